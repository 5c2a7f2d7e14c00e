"""Second and third order of a row through the tape, against nested jax.vjp of its forward.

The output gradients are leaves as well, so the derivative by what arrives is tested with it.
"""

import jax
import jax.numpy as jnp
import numpy as np

import jaxeager as paddle

from . import checks
from .cases import (
    Case,
    as_outputs,
    inputs,
    is_inexact,
    pick,
    put,
    scalars_of,
    static_of,
    tensors,
    wanted,
)
from .compare import assert_close


def check_higher_orders(case: Case) -> None:
    """Second and third order by paddle.grad with create_graph are those of nested jax.vjp."""
    arrays = inputs(case)
    values = [pick(arrays, place) for place in wanted(case.row, arrays)]
    outs = as_outputs(case.row.function(*tensors(arrays), **case.sample.attrs))
    seeds = directions([out.numpy() for out in outs if is_inexact(out)], 1)
    second, third = directions(values, 2), directions([*values, *seeds], 3)
    found = by_tape(case, seeds, second, third)
    expected = by_jax(case, seeds, second, third)
    for order, got, want in zip((2, 3), found, expected, strict=True):
        for number, (one, other) in enumerate(zip(got, want, strict=True)):
            other = np.asarray(other)
            one = np.zeros_like(other) if one is None else one.numpy()
            what = f"{case.id}, order {order}, derivative by value {number}"
            assert_close(one, other, case.dtype, what, 10.0**order)


def directions(values, seed: int) -> list[np.ndarray]:
    """Returns a fixed random array for each value, of its shape and dtype."""
    rng = np.random.default_rng(seed)
    found = []
    for value in values:
        draw = rng.uniform(-1, 1, (2, *value.shape))
        is_complex = "complex" in str(value.dtype)
        found.append(draw[0] + 1j * draw[1] if is_complex else draw[0])
    return found


def by_tape(case: Case, seeds: list, second: list, third: list) -> tuple[list, list]:
    """Returns the second and third order by paddle.grad; a gradient of nothing is None."""
    operands = tensors(inputs(case))
    leaves = [pick(operands, place) for place in wanted(case.row, inputs(case))]
    for leaf in leaves:
        leaf.stop_gradient = False
    outs = as_outputs(case.row.function(*operands, **case.sample.attrs))
    outs = [out for out in outs if is_inexact(out)]
    seeds = tensors(seeds, stop_gradient=False)
    first = paddle.grad(outs, leaves, seeds, create_graph=True)
    found = _again(first, leaves + seeds, tensors(second), create_graph=True)
    return found, _again(found, leaves + seeds, tensors(third), create_graph=False)


def _again(outputs: list, leaves: list, weights: list, create_graph: bool) -> list:
    """Differentiates those outputs that depend on anything."""
    pairs = zip(outputs, weights, strict=True)
    live = [pair for pair in pairs if pair[0] is not None and not pair[0].stop_gradient]
    if not live:
        return [None] * len(leaves)
    outs, weights = zip(*live, strict=True)
    return paddle.grad(
        list(outs), leaves, list(weights), create_graph=create_graph, allow_unused=True
    )


def by_jax(case: Case, seeds: list, second: list, third: list) -> tuple[list, list]:
    """Returns the second and third order by jax.vjp of jax.vjp of jax.vjp, conjugated."""
    row, arrays = case.row, inputs(case)
    places = wanted(row, arrays)
    scalars = scalars_of(row, case.sample, case.dtype)
    static = static_of(row, case.sample)

    def forward(*values):
        merged = [list(each) if isinstance(each, list) else each for each in arrays]
        for place, value in zip(places, values, strict=True):
            put(merged, place, value)
        return checks.inexact_outputs(row, row.forward(*merged, **static, **scalars))

    def pulled(function, values, weights):
        _, pull = jax.vjp(function, *values)
        return [jnp.conj(each) for each in pull([jnp.conj(weight) for weight in weights])]

    count = len(places)

    def first_order(*both):
        return pulled(forward, both[:count], both[count:])

    def second_order(*both):
        return pulled(first_order, both, second)

    values = [pick(arrays, place) for place in places]
    return jax.jit(lambda *both: (second_order(*both), pulled(second_order, both, third)))(
        *values, *seeds
    )
