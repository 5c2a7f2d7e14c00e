"""Random programs on the engine, compared with jax.grad of the same program as a pure function."""

import collections
import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import jaxeager as paddle
from jaxeager.errors import FatalError, InvalidArgumentError, PermissionDeniedError
from jaxeager.graph.node import GradNode, GradNodeAccumulation
from tests.support.examples import examples
from tests.support.programs import plans, pure_gradients, run_eager, seed_values, values_of

pytestmark = pytest.mark.filterwarnings("ignore:backward.. computes no gradients")

# float64 sums in another order than JAX's; the values stay below some tens.
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def backward(plan, tensors, retain_graph=False):
    """Run backward from the plan's roots."""
    seeds = [paddle.to_tensor(seed) for seed in seed_values(plan)]
    paddle.autograd.backward([tensors[i] for i in plan.roots], seeds, retain_graph)


def graph_nodes(tensors) -> list:
    """Return every node upstream of the tensors, without recursion."""
    waiting = [t.grad_fn for t in tensors if not t.stop_gradient]
    found = {}
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in found:
            found[id(node)] = node
            waiting += node.next_functions
    return list(found.values())


def assert_gradients(plan, tensors, times=1):
    """Assert that the leaves that a root reaches, and no others, have the gradients of jax.grad."""
    expected = pure_gradients(plan)
    for number, (variable, tensor) in enumerate(zip(plan.variables, tensors, strict=True)):
        if number in plan.leaves:
            assert tensor.grad is not None, f"tensor {number} has no gradient"
            np.testing.assert_allclose(tensor.grad.numpy(), times * expected[number], **CLOSE)
        elif variable.is_leaf:
            assert tensor.grad is None, f"tensor {number} has a gradient, but no root reaches it"


@settings(max_examples=examples(25, 150))
@given(plans())
def test_values_versions_and_gradients(plan):
    tensors = run_eager(plan)
    for variable, tensor, value in zip(plan.variables, tensors, values_of(plan), strict=True):
        np.testing.assert_allclose(tensor.numpy(), value, **CLOSE)
        assert tensor.inplace_version == variable.memory.version
        assert tensor.stop_gradient == variable.stops
        assert tensor.is_leaf == variable.is_leaf
    if plan.stale:
        event("a saved tensor was written")
        with pytest.raises(PermissionDeniedError, match="modified by an inplace operation"):
            backward(plan, tensors)
        return
    event(f"{len(plan.nodes) // 3 * 3} nodes or more")
    backward(plan, tensors)
    assert_gradients(plan, tensors)


@settings(max_examples=examples(12, 60))
@given(plans())
def test_each_node_runs_once_and_frees_its_tensors(plan):
    if plan.stale:
        return
    tensors = run_eager(plan)
    runs = collections.Counter()
    with pytest.MonkeyPatch.context() as patch:
        for kind in (GradNode, GradNodeAccumulation):
            patch.setattr(kind, "run", _counting(kind.run, runs))
        backward(plan, tensors)
    reached = graph_nodes([tensors[i] for i in plan.roots])
    assert set(runs.values()) <= {1}
    assert runs.keys() == {id(node) for node in reached}
    recorded = [node for node in reached if not node.is_leaf]
    assert len(recorded) == len(plan.nodes)
    assert all(node.released and not node.saved for node in recorded)


def _counting(run, runs):
    def counted(self, *args):
        runs[id(self)] += 1
        return run(self, *args)

    return counted


@settings(max_examples=examples(8, 40))
@given(plans(), st.sampled_from(["keep", "to zero", "to None"]))
def test_second_backward_adds_unless_cleared(plan, clearing):
    if plan.stale:
        return
    tensors = run_eager(plan)
    backward(plan, tensors, retain_graph=True)
    assert_gradients(plan, tensors)
    if clearing != "keep":
        for tensor in tensors:
            tensor.clear_gradient(clearing == "to zero")
    backward(plan, tensors)
    assert_gradients(plan, tensors, times=2 if clearing == "keep" else 1)
    if plan.nodes:
        with pytest.raises(FatalError, match="backward twice"):
            backward(plan, tensors)


@settings(max_examples=examples(8, 40))
@given(plans())
def test_without_recording_there_is_no_graph(plan):
    with paddle.no_grad():
        tensors = run_eager(plan)
    made = tensors[len(plan.inputs) :]
    assert all(tensor.is_leaf for tensor in made)


@st.composite
def sums(draw):
    """Draw terms (which leaf times which), and two orders to add them in."""
    terms = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=10))
    numbers = list(range(len(terms)))
    return terms, draw(st.permutations(numbers)), draw(st.permutations(numbers))


def _integer_leaves():
    rng = np.random.default_rng(5)
    values = [rng.integers(-9, 9, 3).astype("float64") for _ in range(3)]
    return values, [paddle.to_tensor(value, stop_gradient=False) for value in values]


@settings(max_examples=examples(8, 40))
@given(sums())
def test_the_order_of_a_sum_does_not_matter(drawn):
    # Small integers in float64: every sum is exact, so every order must give the same bits.
    terms, *orders = drawn
    found = []
    for order in orders:
        values, leaves = _integer_leaves()
        products = [leaves[a] * leaves[b] for a, b in terms]
        total = products[order[0]]
        for number in order[1:]:
            total = paddle.add(total, products[number])
        total.sum().backward()
        found.append([leaf.grad for leaf in leaves])
    expected = jax.grad(lambda xs: sum(jnp.sum(xs[a] * xs[b]) for a, b in terms))(values)
    for one, other, want in zip(*found, expected, strict=True):
        if one is None:
            assert other is None
            assert not np.any(want)
        else:
            np.testing.assert_array_equal(one.numpy(), other.numpy())
            np.testing.assert_array_equal(one.numpy(), want)


@settings(max_examples=examples(8, 40))
@given(sums())
def test_the_order_of_roots_does_not_matter(drawn):
    terms, *orders = drawn
    found = []
    for order in orders:
        _, leaves = _integer_leaves()
        products = [leaves[a] * leaves[b] for a, b in terms]
        paddle.autograd.backward([products[number] for number in order])
        found.append([leaf.grad for leaf in leaves])
    for one, other in zip(*found, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_roots_that_are_upstream_of_each_other_are_summed():
    for turned in (False, True):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        a = x * 2.0
        b = a * 3.0
        paddle.autograd.backward([b, a] if turned else [a, b])
        assert x.grad.tolist() == [8.0, 8.0]


def test_a_leaf_that_wants_a_gradient_is_not_written():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(InvalidArgumentError, match=r"Leaf Var .* can't use inplace strategy"):
        x.scale_(2.0)
    assert x.tolist() == [1.0]
    assert x.inplace_version == 0


@pytest.mark.single_calls
def test_arrays_are_freed_as_soon_as_backward_has_run():
    x = paddle.to_tensor(np.ones(3), stop_gradient=False)
    y = paddle.sin(x)
    kept = weakref.ref(y.__jax_array__())
    z = paddle.multiply(y, y)
    del y
    gc.collect()
    assert kept() is not None, "the graph must hold what backward needs"
    z.backward()
    gc.collect()
    assert kept() is None, "backward must free what it needed, though the result lives"
    assert x.grad is not None


@pytest.mark.single_calls
def test_a_result_that_is_dropped_takes_its_graph_with_it():
    x = paddle.to_tensor(np.ones(3), stop_gradient=False)
    y = paddle.tanh(x)
    kept = weakref.ref(y.__jax_array__())
    gc.disable()
    try:
        del y
        assert kept() is None, "a graph must have no cycles: it is freed at once"
    finally:
        gc.enable()
