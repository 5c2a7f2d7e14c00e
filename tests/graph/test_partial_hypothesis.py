"""paddle.grad on random programs: of any tensors, to second order, compared with jax.grad.

``JAXEAGER_EXAMPLES`` sets how many programs are drawn instead of the few that every run draws.
"""

import os

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import jaxeager as paddle
from tests.support.examples import examples
from tests.support.programs import plans, pure_gradients, run_eager, run_pure, seed_values

CLOSE = {"rtol": 1e-8, "atol": 1e-11}
MANY = int(os.environ.get("JAXEAGER_EXAMPLES", "0"))


def inputs_of(plan, drawn) -> list[int]:
    """Return the numbers of tensors to differentiate by: any not written after creation."""
    found = [
        number
        for number, variable in enumerate(plan.variables)
        if not variable.stops and variable.memory.version == 0
    ]
    assume(found)
    return list(dict.fromkeys(found[number % len(found)] for number in drawn))


def partial(plan, tensors, numbers, create_graph=False):
    """Return the gradients of the plan's roots by some of its tensors."""
    seeds = [paddle.to_tensor(seed) for seed in seed_values(plan)]
    wanted = [tensors[number] for number in numbers]
    pairs = [(tensors[i], seed) for i, seed in zip(plan.roots, seeds, strict=True)]
    outputs, seeds = zip(*pairs, strict=True)
    return paddle.grad(
        list(outputs), wanted, list(seeds), create_graph=create_graph, allow_unused=True
    )


some = st.lists(st.integers(0, 30), min_size=1, max_size=4)


@settings(max_examples=MANY or examples(20, 120))
@given(plans(), some)
def test_gradients_by_any_tensors(plan, drawn):
    assume(not plan.stale)
    numbers = inputs_of(plan, drawn)
    tensors = run_eager(plan)
    found = partial(plan, tensors, numbers)
    expected = pure_gradients(plan)
    event(f"{sum(not plan.variables[number].is_leaf for number in numbers)} are no leaves")
    for number, grad in zip(numbers, found, strict=True):
        if grad is None:
            assert not np.any(expected[number]), f"tensor {number} is reached, but got None"
        else:
            np.testing.assert_allclose(grad.numpy(), expected[number], **CLOSE)
    assert all(tensor.grad is None for tensor in tensors), "paddle.grad must leave .grad alone"
    again = partial(plan, tensors, numbers)
    for first, second in zip(found, again, strict=True):
        assert (first is None) == (second is None)
        assert first is None or np.array_equal(first.numpy(), second.numpy())


def pure_second_order(plan, numbers, weights):
    """Return d(sum of weights * gradients) by the inputs of the plan, by jax.grad of jax.grad."""
    zeros = [jnp.zeros(variable.shape) for variable in plan.variables]

    def loss(zeros):
        values = run_pure(plan, zeros)
        seeds = zip(plan.roots, seed_values(plan), strict=True)
        total = sum(jnp.sum(values[i] * seed) for i, seed in seeds if not plan.variables[i].stops)
        return total + jnp.zeros(())

    def weighed(zeros):
        grads = jax.grad(loss)(zeros)
        return sum(jnp.sum(grads[i] * weight) for i, weight in zip(numbers, weights, strict=True))

    return jax.grad(weighed)(zeros)


@settings(max_examples=MANY or examples(10, 60))
@given(plans(), some)
def test_second_order(plan, drawn):
    assume(not plan.stale)
    numbers = inputs_of(plan, drawn)
    # By leaves only: a rule may be written in terms of an op's output, and then its result depends
    # on that output, which jax.grad cannot see.
    leaves = inputs_of(plan, range(len(plan.inputs)))
    leaves = [i for i in leaves if plan.variables[i].is_leaf]
    assume(leaves)
    tensors = run_eager(plan)
    first = partial(plan, tensors, numbers, create_graph=True)
    rng = np.random.default_rng(6)
    weights = [rng.uniform(0.5, 1.5, plan.variables[number].shape) for number in numbers]
    terms = [
        (grad * paddle.to_tensor(weight)).sum()
        for grad, weight in zip(first, weights, strict=True)
        if grad is not None
    ]
    assume(terms)
    found = paddle.grad(terms, [tensors[i] for i in leaves], allow_unused=True)
    expected = pure_second_order(plan, numbers, weights)
    for number, grad in zip(leaves, found, strict=True):
        if grad is None:
            assert not np.any(expected[number]), f"tensor {number}"
        else:
            np.testing.assert_allclose(grad.numpy(), expected[number], **CLOSE)
