"""Tensors that are the sum, or the maximum, of the parts of several devices.

Note [Partial tensors]
    XLA has no array that is a pending sum: a kernel that ends in one computes it. So results of ops
    are never Partial here; where Paddle's are, they are Replicate. A Partial tensor can still be
    requested: it keeps the parts as one array with an additional leading axis for each mesh axis
    along which it is Partial, sharded over that axis. An op that reads the tensor gets the sum,
    which is computed then and kept; ``reshard`` converts the parts directly to parts or sums, with
    one all-reduce or reduce-scatter. A tensor that is written in place is no longer Partial.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from jaxeager.core import ports
from jaxeager.distributed.mesh.jax_shardings import Layout, jax_mesh, placement_of, spec_of
from jaxeager.distributed.mesh.placements import Partial, Placement, ReduceType, Replicate
from jaxeager.graph.views.storage import Storage
from jaxeager.kernels.tracing import jit
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from types import MemberDescriptorType


_REDUCE: dict[ReduceType, Callable] = {
    ReduceType.kRedSum: jnp.sum,
    ReduceType.kRedMax: jnp.max,
    ReduceType.kRedMin: jnp.min,
    ReduceType.kRedProd: jnp.prod,
    ReduceType.kRedAvg: jnp.mean,
    ReduceType.kRedAny: jnp.any,
    ReduceType.kRedAll: jnp.all,
}
_NEUTRAL = {ReduceType.kRedSum: 0, ReduceType.kRedProd: 1}
"""The value on all devices but the first; for the other kinds each device has the value."""


class Parts:
    """The storage of a Partial tensor, instead of an array.

    Attributes:
        array: the parts, along leading axes that the mesh divides.
        layout: the layout of the tensor.
        whole: the sums, once they have been read.
    """

    __slots__ = ("array", "layout", "whole")

    def __init__(self, array: jax.Array, layout: Layout):
        self.array = array
        self.layout = layout
        self.whole: jax.Array | None = None

    @property
    def aval(self) -> Any:
        """Return the shape and dtype of the tensor."""
        axes = partial_axes(self.layout.placements)
        return jax.ShapeDtypeStruct(self.array.shape[len(axes) :], self.array.dtype)

    def sums(self) -> jax.Array:
        """Return the value of the tensor, whole or divided by its other placements."""
        if self.whole is None:
            mesh, placements = self.layout
            self.whole = moved(self.array, self.layout, Layout(mesh, without_partial(placements)))
        return self.whole


def partial_axes(placements: tuple[Placement, ...]) -> tuple[tuple[int, ReduceType], ...]:
    """Return the axes of a mesh along which a tensor is Partial, and their reductions."""
    return tuple(
        (axis, each.reduce_type())
        for axis, each in enumerate(placements)
        if isinstance(each, Partial)
    )


def without_partial(placements: tuple[Placement, ...]) -> tuple[Placement, ...]:
    """Return placements with Partial replaced by Replicate."""
    return tuple(Replicate() if isinstance(each, Partial) else each for each in placements)


def parts_sharding(layout: Layout, ndim: int) -> NamedSharding:
    """Return the sharding of the array of parts of a tensor with ``ndim`` axes."""
    mesh, placements = layout
    front = [mesh.dim_names[axis] for axis, _ in partial_axes(placements)]
    return NamedSharding(jax_mesh(mesh), PartitionSpec(*front, *spec_of(mesh, placements, ndim)))


def moved(array: jax.Array, old: Layout, new: Layout) -> jax.Array:
    """Return the array of parts of a tensor in another layout on the same devices.

    Axes along which both layouts are Partial in the same way keep their parts. Without a Partial
    axis, the parts are the value itself.

    Args:
        array: the parts as they are.
        old: their layout.
        new: the new layout, on the same mesh.
    """
    before, after = partial_axes(old.placements), partial_axes(new.placements)
    sharding = parts_sharding(new, array.ndim - len(before))
    if before == after:
        same = _moving((), (), sharding)
        return array if array.sharding == sharding else same(array)
    sizes = tuple(old.mesh.shape)
    return _moving(before, tuple((*each, sizes[each[0]]) for each in after), sharding)(array)


@functools.lru_cache(512)
def _moving(before: tuple, after: tuple, sharding: NamedSharding) -> Callable:
    """Return the kernel that reduces parts, expands values to parts, and moves them."""
    kept = [each[:2] for each in after]

    def reshard(array):
        for front in reversed(range(len(before))):
            axis, kind = before[front]
            if (axis, kind) not in kept:
                array = _REDUCE[kind](array, axis=front).astype(array.dtype)
        there = [each for each in before if each in kept]
        for front, (axis, kind, size) in enumerate(after):
            if (axis, kind) not in there:
                array = _apart(array, front, kind, size)
        return array

    return jit(reshard, out_shardings=sharding)


def _apart(array, front: int, kind: ReduceType, size: int):
    """Return a value as parts along a new axis, over which it is the reduction."""
    spread = jnp.broadcast_to(
        jnp.expand_dims(array, front), (*array.shape[:front], size, *array.shape[front:])
    )
    if kind not in _NEUTRAL:
        return spread
    shape = [1] * spread.ndim
    shape[front] = size
    is_first = (jnp.arange(size) == 0).reshape(shape)
    return jnp.where(is_first, spread, jnp.asarray(_NEUTRAL[kind], array.dtype))


_slot: MemberDescriptorType = Tensor.__dict__["_array"]


class PartialTensor(Tensor):
    """A Tensor that holds parts: see Note [Partial tensors]."""

    __slots__ = ()

    @property
    def _array(self) -> jax.Array:  # type: ignore[override]
        held = _slot.__get__(self)
        return held.sums() if type(held) is Parts else held

    @_array.setter
    def _array(self, array) -> None:
        _slot.__set__(self, array)
        if type(array) is not Parts:
            self.__class__ = Tensor  # type: ignore[assignment]


PartialTensor.__name__ = PartialTensor.__qualname__ = "Tensor"


def partial_tensor(parts: Parts) -> Tensor:
    """Return a tensor of parts, outside of any graph."""
    tensor = object.__new__(PartialTensor)
    _slot.__set__(tensor, parts)
    tensor._storage = storage = object.__new__(Storage)
    storage.version = 0
    storage.sharers = None
    tensor._meta = None
    return tensor


def parts_of(tensor: Tensor) -> Parts | None:
    """Return the parts of a Partial tensor; None for any other."""
    if type(tensor) is not PartialTensor:
        return None
    held = _slot.__get__(tensor)
    return held if type(held) is Parts else None


def layout_of_tensor(tensor: Any) -> Layout | None:
    """Return the layout of a tensor or an array on a mesh; None on one device, or while traced."""
    parts = parts_of(tensor)
    return placement_of(getattr(tensor, "_whole", tensor)) if parts is None else parts.layout


ports.layout_of = layout_of_tensor
