"""Gradients of some rows within a step: pure functions of arrays, which fused.py runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp

from jaxeager.graph.few_rows import present_rows, sum_by_row, write_out

if TYPE_CHECKING:
    from typing import Any

    import jax

    from jaxeager.optimizer.fused import Entry


class Part(NamedTuple):
    """A gradient within a step.

    Attributes:
        grad: the dense gradient, or the values of some rows.
        present: bool[n], the present rows of a dense one; None for all.
        ids: int[k], the numbers of some rows, each once; one out of range names no row.
    """

    grad: jax.Array
    present: jax.Array | None = None
    ids: Any = None


def shape_of(given: Any, table: tuple) -> tuple:
    """Return the shape of a gradient as a step receives it, for a parameter's shape."""
    if type(given) is not tuple:
        return given.shape
    grad, rows = given
    return grad.shape if rows.dtype == bool else (*table[:1], *grad.shape[1:])


def part_of(given: Any, height: int, by_row: bool) -> Part:
    """Return a gradient of some rows as ``by_row`` wants it, or written out; others as they are."""
    if type(given) is not tuple:
        return Part(given)
    grad, rows = given
    if rows.dtype == bool:
        return Part(grad, rows)
    if not by_row:
        return Part(write_out(rows, grad, height), present_rows(rows, height))
    ids, sums = sum_by_row(rows, grad, height)
    return Part(sums, None, ids)


def written_out(part: Part, height: int) -> Part:
    """Return the same gradient, dense."""
    if part.ids is None:
        return part
    return Part(write_out(part.ids, part.grad, height), present_rows(part.ids, height))


def update_rows(
    update: Callable,
    entry: Entry,
    buffers: list,
    part: Part,
    rate: jax.Array,
    skip: jax.Array | None,
) -> None:
    """Update the rows of a gradient in the buffers of one parameter, and no others.

    Args:
        update: the function for whole buffers: (entry, buffers, gradient, rate, present).
        entry: the parameter.
        buffers: all buffers; those of the parameter are replaced.
        part: the gradient, of some rows.
        rate: the learning rate.
        skip: None, or bool[]: whether nothing may change.
    """
    ids = part.ids
    if skip is not None:
        ids = jnp.where(skip, buffers[entry.param].shape[0], ids)
    taken, places = list(buffers), places_of(entry)
    for place in places:
        taken[place] = buffers[place].at[ids].get(mode="clip")
    update(entry, taken, part.grad, rate, jnp.ones(ids.shape, bool))
    for place in places:
        buffers[place] = buffers[place].at[ids].set(taken[place], mode="drop")


def places_of(entry: Entry) -> list[int]:
    """Return the positions of a parameter's own buffers, which have its rows."""
    return [entry.param, *entry.slots, *([] if entry.master is None else [entry.master])]


def clipped(clips: Sequence, by_row: bool) -> set[int]:
    """Return the entries that rules which read the values of some rows clip, or the others."""
    return {
        index
        for clip in clips
        if getattr(clip.rule, "takes_rows", False) is by_row
        for index in clip.entries
    }
