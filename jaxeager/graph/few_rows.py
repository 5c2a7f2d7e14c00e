"""FewRows: a gradient of some rows of a table, as the ids and their values only."""

# JAX's creation functions have a device of an unknown type.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import jax.numpy as jnp

from jaxeager.arrays.ordering import argsort
from jaxeager.kernels.tracing import jit, kernel_cache

if TYPE_CHECKING:
    import jax
    import numpy as np


class FewRows:
    """A gradient whose memory grows with the present rows; see Note [Rows of a gradient].

    It takes the place of an array on the way from a look-up to its leaf, and of ``Rows`` in
    SelectedRows. It has fewer values than the table has rows.

    Attributes:
        ids: int[k], the number of each row; one out of range names no row.
        values: [k, d], the gradient of each.
        height: the number of rows of the table.
        is_merged: whether it is shown with each row once, in order.
    """

    __slots__ = ("height", "ids", "is_merged", "values")

    def __init__(self, ids: jax.Array, values: jax.Array, height: int, is_merged: bool = False):
        self.ids, self.values, self.height, self.is_merged = ids, values, height, is_merged

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the whole gradient."""
        return (self.height, *self.values.shape[1:])

    @property
    def dtype(self) -> np.dtype:
        """Return the dtype of the values."""
        return self.values.dtype

    @property
    def present(self) -> jax.Array:
        """Return bool[n], whether each row is present, computed now."""
        return mask_of(self.height)(self.ids)

    @property
    def by_id(self) -> FewRows:
        """Return self, as ``Rows.by_id`` does for a gradient that is held whole."""
        return self

    def dense(self) -> jax.Array:
        """Return the whole gradient, written out now."""
        return _written_out(self.height)(self.ids, self.values)

    def with_values(self, values: jax.Array) -> FewRows:
        """Return other values of the same rows."""
        return FewRows(self.ids, values, self.height, self.is_merged)

    def merged(self) -> FewRows:
        """Return the same gradient, shown with each row once and in order."""
        return FewRows(self.ids, self.values, self.height, True)

    def summed(self) -> FewRows:
        """Return the same gradient with one value per row; unused places have no row's number."""
        ids, sums = _summed(self.height)(self.ids, self.values)
        return FewRows(ids, sums, self.height, True)

    def padded(self) -> FewRows:
        """Return the same gradient in a power of two of places; the new ones have no row's number.

        What reads it is then compiled for few numbers of ids.
        """
        places = 1 << (self.ids.size - 1).bit_length()
        if places == self.ids.size:
            return self
        padded = _padded(self.height, places)(self.ids, self.values)
        return FewRows(*padded, self.height, self.is_merged)

    def is_empty(self) -> bool:
        """Return whether no row is present."""
        return self.ids.size == 0


def joined(a: FewRows, b: FewRows) -> FewRows | None:
    """Return the sum of two gradients; None when the whole gradient takes less memory."""
    if a.ids.size + b.ids.size >= a.height or (a.shape, a.ids.dtype) != (b.shape, b.ids.dtype):
        return None
    ids, values = _chained(a.ids, a.values, b.ids, b.values)
    return FewRows(ids, values, a.height, True)


def sum_by_row(ids: jax.Array, values: jax.Array, height: int) -> tuple[jax.Array, jax.Array]:
    """Return each present row once and the sum of its values, in as many places as before.

    Args:
        ids: int[k].
        values: [k, d].
        height: the number of rows; the id of a place that is not used.
    """
    ids = jnp.where((ids < 0) | (ids >= height), height, ids)
    order = argsort(ids)
    ordered = ids[order]
    is_first = jnp.concatenate([ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]])
    place = jnp.cumsum(is_first) - 1
    wide = jnp.promote_types(values.dtype, jnp.float32)
    sums = jnp.zeros(values.shape, wide)  # pyright: ignore[reportUnknownMemberType]  # of JAX
    sums = sums.at[place].add(values[order].astype(wide))
    rows = jnp.full(ids.shape, height, ids.dtype)  # pyright: ignore[reportUnknownMemberType]
    rows = rows.at[place].set(ordered)
    return rows, sums.astype(values.dtype)


def write_out(ids: jax.Array, values: jax.Array, height: int) -> jax.Array:
    """Return the whole gradient, [height, d]: repeated rows added up, absent ones zeros."""
    place = jnp.where(ids < 0, height, ids)
    wide = jnp.promote_types(values.dtype, jnp.float32)
    shape = (height, *values.shape[1:])
    table = jnp.zeros(shape, wide)  # pyright: ignore[reportUnknownMemberType]  # of JAX
    return table.at[place].add(values.astype(wide), mode="drop").astype(values.dtype)


def present_rows(ids: jax.Array, height: int) -> jax.Array:
    """Return bool[height], whether a row is among the ids; an id out of range selects no row."""
    place = jnp.where(ids < 0, height, ids).reshape(-1)
    return jnp.zeros(height, bool).at[place].set(True, mode="drop")


@jit
def _chained(
    ids: jax.Array, values: jax.Array, more_ids: jax.Array, more: jax.Array
) -> tuple[jax.Array, jax.Array]:
    both = jnp.concatenate([values, more.astype(values.dtype)])
    return jnp.concatenate([ids, more_ids]), both


@jit
def flat_rows(ids: jax.Array, values: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return looked-up ids and the gradients of their rows as int[k] and [k, d]."""
    return ids.reshape(-1), values.reshape(-1, values.shape[-1])


@kernel_cache(maxsize=256)
def _padded(height: int, places: int) -> Callable[..., tuple[jax.Array, jax.Array]]:
    def rows_padded(ids: jax.Array, values: jax.Array) -> tuple[jax.Array, jax.Array]:
        more = places - ids.size
        padding = (0, more), *[(0, 0)] * (values.ndim - 1)
        return jnp.pad(ids, (0, more), constant_values=height), jnp.pad(values, padding)

    return jit(rows_padded)


@kernel_cache(maxsize=256)
def mask_of(height: int) -> Callable[..., jax.Array]:
    """Return the kernel from ids to bool[height]; an id out of range selects no row."""

    def mask_of_rows(ids: jax.Array) -> jax.Array:
        return present_rows(ids, height)

    return jit(mask_of_rows)


@kernel_cache(maxsize=256)
def _written_out(height: int) -> Callable[..., jax.Array]:
    def rows_written_out(ids: jax.Array, values: jax.Array) -> jax.Array:
        return write_out(ids, values, height)

    return jit(rows_written_out)


@kernel_cache(maxsize=256)
def _summed(height: int) -> Callable[..., tuple[jax.Array, jax.Array]]:
    def rows_summed(ids: jax.Array, values: jax.Array) -> tuple[jax.Array, jax.Array]:
        return sum_by_row(ids, values, height)

    return jit(rows_summed)
