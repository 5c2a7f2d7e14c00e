"""Second and third order of a row through the tape, each the slope of the order before it.

The first order is compared with jax.vjp and with differences of the values (support/checks.py,
support/differences.py). From there on differences of order n determine order n + 1. The output
gradients are leaves as well, so the derivative by them is tested too.

The few rows whose gradient is not a slope are compared with jax.vjp of jax.vjp instead.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

import jaxeager as paddle

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
from .checks import inexact_outputs
from .compare import assert_close
from .differences import along_of, assert_slope, directions, has_slope, weighed


def check_order(case: Case, order: int) -> None:
    """Check that an order by paddle.grad with create_graph is the slope of the order before."""
    arrays = inputs(case)
    leaves = [pick(arrays, place) for place in wanted(case.row, arrays)]
    outs = as_outputs(case.row.function(*tensors(arrays), **case.sample.attrs))
    outs = [np.asarray(out._array) for out in outs if is_inexact(out)]
    seeds = [d.astype(out.dtype) for d, out in zip(directions(outs, 1), outs, strict=True)]
    values = [*leaves, *seeds]
    weights = [directions(leaves, 2), directions(values, 3)][: order - 1]
    along = [*along_of(case, leaves, 4), *directions(seeds, 5)]
    found = gradients(case, values, weights)
    if not has_slope(case):
        _compare_with_jax(case, values, weights, found)
        return

    def terms(way):
        there = [np.asarray(v + way * d, v.dtype) for v, d in zip(values, along, strict=True)]
        return weighed(gradients(case, there, weights[:-1]), weights[-1])

    assert_slope(terms, found, along, f"{case.id}, order {order}")


def _compare_with_jax(case: Case, values: list, weights: list, found: list) -> None:
    """Check that the gradients are those of nested jax.vjp of the forward, conjugated."""
    row, arrays = case.row, inputs(case)
    places = wanted(row, arrays)
    fixed = static_of(row, case.sample) | scalars_of(row, case.sample, case.dtype)

    def forward(*values):
        merged = [list(each) if isinstance(each, list) else each for each in arrays]
        for place, value in zip(places, values, strict=True):
            put(merged, place, value)
        return inexact_outputs(row, row.forward(*merged, **fixed))

    def pulled(function, weights):
        def pull(*values):
            _, back = jax.vjp(function, *values)
            return [jnp.conj(each) for each in back([jnp.conj(weight) for weight in weights])]

        return pull

    def function(*both):
        return pulled(forward, both[len(places) :])(*both[: len(places)])

    for weight in weights:
        function = pulled(function, weight)
    expected = jax.jit(function)(*values)
    for number, (got, want) in enumerate(zip(found, expected, strict=True)):
        what = f"{case.id}, order {len(weights) + 1}, derivative by value {number}"
        assert_close(got, want, case.dtype, what, 10.0 ** (len(weights) + 1))


def gradients(case: Case, values: list, weights: list) -> list[np.ndarray]:
    """Return the gradients of order 1 + len(weights) by the tape, zeros for missing ones.

    Args:
        case: the row, its sample and dtype.
        values: the wanted inputs, then the gradients of the floating outputs.
        weights: for each further order, the factors of the gradients before it.
    """
    operands = tensors(inputs(case))
    places = wanted(case.row, operands)
    both = tensors(values, stop_gradient=False)
    leaves, seeds = both[: len(places)], both[len(places) :]
    for place, leaf in zip(places, leaves, strict=True):
        put(operands, place, leaf)
    outs = as_outputs(case.row.function(*operands, **case.sample.attrs))
    outs = [out for out in outs if is_inexact(out)]
    found = paddle.grad(outs, leaves, seeds, create_graph=bool(weights))
    for number, weight in enumerate(weights, 1):
        found = _again(found, both, tensors(weight), number < len(weights))
    like = values if weights else values[: len(places)]
    return [
        np.zeros_like(value) if grad is None else grad.to_dense().numpy()
        for grad, value in zip(found, like, strict=True)
    ]


def _again(outputs: Sequence, leaves: Sequence, weights: Sequence, create_graph: bool) -> list:
    """Differentiate the outputs that depend on an input."""
    pairs = zip(outputs, weights, strict=True)
    live = [pair for pair in pairs if pair[0] is not None and not pair[0].stop_gradient]
    if not live:
        return [None] * len(leaves)
    outs, weights = zip(*live, strict=True)
    return paddle.grad(
        list(outs), leaves, list(weights), create_graph=create_graph, allow_unused=True
    )
