"""Rows of a gradient: the rows of a table that a sparse look-up has read.

Note [Rows of a gradient]
    ``embedding(sparse=True)`` produces a gradient of some rows of its table, Paddle's SelectedRows.
    It has one of two forms. FewRows holds the ids and their values, so that its memory grows with
    the present rows: a look-up passes it to its leaf, where it becomes ``grad``. The sum of two
    is one of both rows. An update whose rule leaves the other rows unchanged reads and writes these
    rows alone, in the memory of the table; for any other rule the step writes the gradient out.

    The other form is a dense array, with its rows stored per array (``note``) as a mask. It is used
    where tools observe the call, in a program (``to_static``), on several devices, for as many ids
    as the table has rows, and after an operation that needs the whole gradient. The sum with a
    dense gradient is dense.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

from jaxeager.core import ports
from jaxeager.core.weak_entries import removing_ref
from jaxeager.graph import few_rows
from jaxeager.graph.few_rows import FewRows
from jaxeager.kernels.tracing import jit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.graph.types import Grad, Gradient, Node, UpperTensor


AnyRows: TypeAlias = "Rows | FewRows"


class Rows(NamedTuple):
    """The rows that are present in a gradient.

    Attributes:
        present: bool[n], whether a row is present, by row of the table.
        ids: int[...], the ids as looked up; None once gradients have been added up.
        values: the gradient of each looked-up row, [..., d]; None with ``ids``.
        by_id: the same gradient as FewRows, so that a step has the same result in both forms; None
            where that is not known.
    """

    present: jax.Array
    ids: jax.Array | None
    values: jax.Array | None
    by_id: FewRows | None = None

    def merged(self) -> Rows:
        """Return the same rows, each once and in order."""
        return Rows(self.present, None, None)

    def is_empty(self) -> bool:
        """Return whether the shape of the ids shows that no row is present."""
        return self.ids is not None and self.ids.size == 0


known: dict[int, tuple[weakref.ref[jax.Array], Rows]] = {}
"""By the id of a dense gradient that a leaf will receive: a weak reference to it, and its rows."""

seen = False
"""Whether a gradient of some rows was ever created; before that, no code needs to check for one."""


def note(array: jax.Array, rows: Rows) -> None:
    """Store the rows of a dense gradient, as long as the array lives."""
    global seen
    seen = True
    known[id(array)] = removing_ref(known, array), rows


def rows_of(array: jax.Array) -> Rows | None:
    """Return the rows stored by ``note`` for this array object; None if there are none."""
    found = known.get(id(array))
    return None if found is None or found[0]() is not array else found[1]


def note_sum(a: jax.Array, b: jax.Array, total: jax.Array) -> None:
    """Store the rows of a sum of two dense gradients that both have known rows."""
    first, second = rows_of(a), rows_of(b)
    if first is not None and second is not None:
        note(total, joined(first, second))


def note_same(old: jax.Array, new: jax.Array) -> None:
    """Store for a copy of a gradient the rows of the original."""
    rows = rows_of(old) if known else None
    if rows is not None:
        note(new, rows.merged())


def joined(first: Rows, second: Rows) -> Rows:
    """Return the rows of a sum."""
    if first.is_empty() and second.is_empty():
        return first
    by_id = sum_of(first.by_id, second.by_id)
    return Rows(_either(first.present, second.present), None, None, by_id)


def looked_up(ids: jax.Array, values: jax.Array, count: int) -> Rows:
    """Return the rows of a gradient of ``count`` rows, for looked-up ``ids``."""
    by_id = few_looked_up(ids, values, count) if ids.size < count else None
    return Rows(few_rows.mask_of(count)(ids), ids, values, by_id)


def few_looked_up(ids: jax.Array, values: jax.Array, count: int) -> FewRows:
    """Return the gradient of ``count`` rows for looked-up ``ids``, fewer than ``count``."""
    global seen
    seen = True
    flat, rows = few_rows.flat_rows(ids, values)
    return FewRows(flat, rows, count)


def sum_of(a: object, b: object) -> FewRows | None:
    """Return the sum of two gradients of which only some rows are held; None for any others."""
    return few_rows.joined(a, b) if type(a) is FewRows and type(b) is FewRows else None


def written_out(gradient: Grad) -> jax.Array:
    """Return a gradient as a dense array, with its rows noted."""
    if type(gradient) is not FewRows:
        return gradient
    array = gradient.dense()
    note(array, Rows(gradient.present, None, None))
    return array


def as_gradient(array: Grad, stop_gradient: bool) -> UpperTensor:
    """Return a Tensor of a gradient: SelectedRows where its rows are known."""
    if type(array) is FewRows:
        return ports.as_selected_rows(None, array, stop_gradient)
    rows = rows_of(array) if known else None
    if rows is None:
        return ports.as_tensor(array, stop_gradient)
    return ports.as_selected_rows(array, rows, stop_gradient)


def array_of(tensor: UpperTensor) -> Grad:
    """Return the gradient of a Tensor as nodes pass it on: an array, its rows noted, or FewRows."""
    rows = tensor._rows
    if rows is None:
        return tensor._array
    if type(rows) is FewRows:
        return rows
    array = tensor._whole
    note(array, rows)
    return array


def only_rows(array: jax.Array, present: jax.Array) -> jax.Array:
    """Return a gradient with zeros in the absent rows, where a NaN scale leaves NaN.

    Args:
        array: the gradient, dense: [n, ...].
        present: bool[n], the rows that are present.
    """
    return jnp.where(present.reshape(-1, *[1] * (array.ndim - 1)), array, 0)


# ---- for programs, which have arrays as outputs


def noted(grads: tuple[jax.Array, ...], node: Node, places: list[int]) -> tuple[jax.Array, ...]:
    """Return the gradients a program has made for a node's edges, with their rows noted.

    Args:
        grads: a gradient per edge, followed by the mask of rows for each of ``places``.
        node: the node.
        places: the indices of the gradients of some rows.
    """
    count = len(node.edges)
    for place, present in zip(places, grads[count:], strict=True):
        edge = node.edges[place]
        if edge is not None and edge.node.is_leaf:
            note(grads[place], Rows(present, None, None))
    return grads[:count]


def gradient_of(
    outputs: Sequence[jax.Array], place: int, present: int | None, stop_gradient: bool
) -> Gradient:
    """Return an output as a Tensor: SelectedRows when another output is its mask of rows."""
    if present is None:
        return ports.as_tensor(outputs[place], stop_gradient)
    rows = Rows(outputs[present], None, None)
    return ports.as_selected_rows(outputs[place], rows, stop_gradient)


def dense_or_none(grad: Gradient | None) -> Gradient | None:
    """Return a gradient, a Tensor or None; None for a gradient of some rows."""
    return None if grad is None or grad._rows is not None else grad


@jit
def _either(a: jax.Array, b: jax.Array) -> jax.Array:
    return a | b
