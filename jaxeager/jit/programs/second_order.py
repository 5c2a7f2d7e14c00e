"""The gradient of a program's gradient: the program of its function together with its backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from jaxeager.arrays import random
from jaxeager.errors import UnimplementedError
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import gradient_edge
from jaxeager.graph.partial import UNREACHED, run_partial
from jaxeager.jit.capture.side_effects import results_of
from jaxeager.jit.programs.checking import difference_of
from jaxeager.ops.call import dispatch

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.types import Gradient
    from jaxeager.jit.programs.program import Program
    from jaxeager.tensor import Tensor


def with_backward(first: Program, gradients: Sequence[Tensor]) -> Program:
    """Return the program of a program's function together with its backward, recorded.

    Args:
        first: the program.
        gradients: the gradients of its results.

    Raises:
        UnimplementedError: when the function uses a gradient that is part of a graph, or would now
            make another program.
    """
    arguments = [
        _argument(aval, own, stops)
        for aval, own, (stops, *_) in zip(
            first.argument_avals, first.own, first.captured.expected, strict=False
        )
    ]
    seeds = [dispatch.wrap(grad._array, stop_gradient=False) for grad in gradients]
    if any(_is_unheld(first, number) for number in first.captured.wanted):
        raise UnimplementedError(
            f"{first.name}(): it uses a gradient that is part of a graph: the gradient of its "
            "gradient cannot be computed."
        )
    make = type(first)
    mark = random.default_generator.mark()
    try:  # it gets the numbers that the first program drew
        with first.as_captured():
            again = make(first.function, arguments, first.name, True, lowers=first.lowers)
        _refuse_changed(first, again)
        random.default_generator.go_back(mark)
        with first.as_captured():
            made = make(
                lambda given: _gradients(first, given),
                [*arguments, *seeds],
                f"{first.name}_grad",
                True,
                lowers=first.lowers,
            )
        made.as_captured = first.as_captured
        made.against += first.against
        return made
    finally:
        random.default_generator.go_back(mark)


def _gradients(first: Program, given: Sequence[Any]) -> list[Tensor | Gradient]:
    """Return the gradients of the tensors that a program uses, recorded during a capture.

    Args:
        first: the program.
        given: its arguments, and the gradients of its results.
    """
    seen: Any = grad_mode.capture
    count = first.count
    roots, _ = results_of(seen, first.function(given[:count]))
    used = [*given[:count], *first.others]
    wanted = [used[number] for number in first.captured.wanted]
    leaves = [gradient_edge(seen.fresh_meta_of(tensor)) for tensor in wanted]
    edges = [gradient_edge(meta) for meta, _ in roots]
    pairs = list(zip(edges, given[count:], strict=True))
    found = run_partial(pairs, leaves, create_graph=True)
    return [
        dispatch.wrap(jnp.zeros(tensor._array.shape, tensor._array.dtype))
        if each is None or each is UNREACHED
        else each
        for tensor, each in zip(wanted, found, strict=True)
    ]


def _argument(aval: jax.ShapeDtypeStruct, own: Tensor | None, stops: bool) -> Tensor:
    """Return a tensor for a capture of the function, instead of an argument."""
    if own is not None:
        return own
    made = dispatch.wrap(jnp.zeros(aval.shape, aval.dtype))
    made.stop_gradient = stops
    return made


def _is_unheld(first: Program, number: int) -> bool:
    return number >= first.count and first.others[number - first.count] is None


def _refuse_changed(first: Program, again: Program) -> None:
    """Raise when another capture of the function makes a different program."""
    arguments = [None] * first.count
    of_first, of_again = [*arguments, *first.others], [*arguments, *again.others]
    difference = difference_of((first, of_first), (again, of_again))
    if difference:
        raise UnimplementedError(
            f"{first.name}(): the gradient of its gradient is requested after something that it "
            f"reads has changed: {difference}. Request it earlier, or leave out full_graph."
        )
