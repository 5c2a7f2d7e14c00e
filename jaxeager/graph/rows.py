"""Rows of a gradient: which rows of a table a sparse look-up has read.

Note [Rows of a gradient]
    ``embedding(sparse=True)`` gives the table it reads a gradient of some rows, Paddle's
    SelectedRows. Between nodes it is a dense array like every gradient, so hooks' results, sums,
    tools and compiled backward treat it as they treat any; which rows came is known by the array
    (``note``), and ends in the leaf: its ``grad`` is a SelectedRows tensor then. Where it meets a
    dense gradient the sum is dense, and where it meets another one the rows of both have come. A
    mask of all rows is what an update reads, because its shape does not depend on how many ids
    came: a step is compiled once.

    The dense array is more memory than rows and ids take. It is what there was before, every rule
    of every optimizer can read it, and XLA adds up repeated rows as it writes it.
"""

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxeager.core import ports
from jaxeager.core.tracing import jit


class Rows(NamedTuple):
    """Which rows of a gradient came.

    Attributes:
        came: bool[n], by row of the table.
        ids: int[...], as they were looked up; None once gradients have been added up.
        values: the gradient of each row that was looked up, [..., d]; None with ``ids``.
    """

    came: jax.Array
    ids: jax.Array | None
    values: jax.Array | None

    def merged(self) -> "Rows":
        """Return the same rows, each once and in order."""
        return Rows(self.came, None, None)

    def is_empty(self) -> bool:
        """Return whether it is known from the shape of the ids that no row came."""
        return self.ids is not None and self.ids.size == 0


known: dict[int, tuple[weakref.ref, Rows]] = {}
"""By the id of a dense gradient on its way to a leaf: a weak reference to it, and its rows."""

seen = False
"""Whether a gradient of some rows was ever made: until then no code needs to look for one."""


def note(array: jax.Array, rows: Rows) -> None:
    """Remember which rows of a dense gradient came, for as long as the array lives."""
    global seen
    seen = True
    key = id(array)
    known[key] = weakref.ref(array, lambda _: known.pop(key, None)), rows


def rows_of(array: jax.Array) -> Rows | None:
    """Return what ``note`` was given with this very array, None for another one."""
    found = known.get(id(array))
    return None if found is None or found[0]() is not array else found[1]


def note_sum(a: jax.Array, b: jax.Array, total: jax.Array) -> None:
    """Remember the rows of a sum of two gradients that are both of some rows."""
    first, second = rows_of(a), rows_of(b)
    if first is not None and second is not None:
        note(total, joined(first, second))


def note_same(old: jax.Array, new: jax.Array) -> None:
    """Remember for a copy of a gradient which rows of it came."""
    rows = rows_of(old) if known else None
    if rows is not None:
        note(new, rows.merged())


def joined(first: Rows, second: Rows) -> Rows:
    """Return the rows of a sum."""
    if first.is_empty() and second.is_empty():
        return first
    return Rows(_either(first.came, second.came), None, None)


def looked_up(ids: jax.Array, values: jax.Array, count: int) -> Rows:
    """Return the rows of a gradient of ``count`` rows, of which ``ids`` were looked up."""
    return Rows(_mask(count)(ids), ids, values)


def as_gradient(array: jax.Array, stop_gradient: bool) -> Any:
    """Return a Tensor of a gradient: SelectedRows where it is known which rows came."""
    rows = rows_of(array) if known else None
    if rows is None:
        return ports.as_tensor(array, stop_gradient)
    return ports.as_selected_rows(array, rows, stop_gradient)


def array_of(tensor: Any) -> jax.Array:
    """Return the whole gradient that a Tensor is, dense; its rows are noted."""
    rows = tensor._rows
    if rows is None:
        return tensor._array
    array = tensor._whole
    note(array, rows)
    return array


def only_rows(array: jax.Array, came: jax.Array) -> jax.Array:
    """Return a gradient with zeros in the rows that did not come, as a NaN scale leaves NaN there.

    Args:
        array: the gradient, dense: [n, ...].
        came: bool[n], the rows that came.
    """
    return jnp.where(came.reshape(-1, *[1] * (array.ndim - 1)), array, 0)


# ---- for programs, whose outputs are arrays


def noted(grads: tuple, node: Any, places: list[int]) -> tuple:
    """Return the gradients a program has made for a node's edges, with their rows noted.

    Args:
        grads: a gradient per edge, and behind them for each of ``places`` which rows came.
        node: the node.
        places: which of the gradients are of some rows.
    """
    count = len(node.edges)
    for place, came in zip(places, grads[count:], strict=True):
        edge = node.edges[place]
        if edge is not None and edge.node.is_leaf:
            note(grads[place], Rows(came, None, None))
    return grads[:count]


def gradient_of(outputs: Any, place: int, came: int | None, stop_gradient: bool) -> Any:
    """Return an output as a Tensor: SelectedRows when another one says which rows came."""
    if came is None:
        return ports.as_tensor(outputs[place], stop_gradient)
    rows = Rows(outputs[came], None, None)
    return ports.as_selected_rows(outputs[place], rows, stop_gradient)


def dense_or_none(grad: Any) -> Any:
    """Return a gradient, a Tensor or None; None for one of some rows."""
    return None if grad is None or grad._rows is not None else grad


@jit
def _either(a, b):
    return a | b


_masks: dict[int, Callable] = {}


def _mask(count: int) -> Callable:
    """Return the kernel from ids to bool[count]; an id outside is that of no row."""
    kernel = _masks.get(count)
    if kernel is None:

        def rows_that_came(ids):
            place = jnp.where(ids < 0, count, ids).reshape(-1)
            return jnp.zeros(count, bool).at[place].set(True, mode="drop")

        kernel = _masks[count] = jit(rows_that_came)
    return kernel
