"""Tensors that are the sum, or the greatest, of what several devices have.

Note [Partial tensors]
    XLA has no array that is a sum still to be made: a kernel that ends in one makes it. So results
    of ops are never Partial here; where Paddle's are, they are Replicate. Who asks for a Partial
    tensor gets one all the same: it keeps the parts as one array with a further axis in front for
    each axis of the mesh that it is Partial along, divided over it. An op that reads the tensor
    gets the sum, which is made then and kept; ``reshard`` goes from the parts to parts or sums
    without a detour, in one all-reduce or reduce-scatter. What is written in place is no longer
    Partial.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from jaxeager.core import ports
from jaxeager.core.tracing import jit
from jaxeager.distributed.placements import Partial, Placement, ReduceType, Replicate
from jaxeager.distributed.shardings import Lie, jax_mesh, placement_of, spec_of
from jaxeager.graph.storage import Storage
from jaxeager.tensor import Tensor

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
"""What all devices but the first have of a value; of the other kinds each has the value."""


class Parts:
    """What a Partial tensor holds in the place of its array.

    Attributes:
        array: the parts, along axes in front that the mesh divides.
        lie: how the tensor lies.
        whole: the sums, once somebody has asked for them.
    """

    __slots__ = ("array", "lie", "whole")

    def __init__(self, array: jax.Array, lie: Lie):
        self.array = array
        self.lie = lie
        self.whole: jax.Array | None = None

    @property
    def aval(self) -> Any:
        """Shape and dtype of the tensor."""
        axes = partial_axes(self.lie.placements)
        return jax.ShapeDtypeStruct(self.array.shape[len(axes) :], self.array.dtype)

    def sums(self) -> jax.Array:
        """Return the value of the tensor, whole or divided as its other placements say."""
        if self.whole is None:
            mesh, placements = self.lie
            self.whole = moved(self.array, self.lie, Lie(mesh, without_partial(placements)))
        return self.whole


def partial_axes(placements: tuple[Placement, ...]) -> tuple[tuple[int, ReduceType], ...]:
    """Return the axes of a mesh along which a tensor is Partial, and how it is put together."""
    return tuple(
        (axis, each.reduce_type())
        for axis, each in enumerate(placements)
        if isinstance(each, Partial)
    )


def without_partial(placements: tuple[Placement, ...]) -> tuple[Placement, ...]:
    """Return placements with Replicate for Partial."""
    return tuple(Replicate() if isinstance(each, Partial) else each for each in placements)


def parts_sharding(lie: Lie, ndim: int) -> NamedSharding:
    """Return the sharding of the array of parts of a tensor of so many axes."""
    mesh, placements = lie
    front = [mesh.dim_names[axis] for axis, _ in partial_axes(placements)]
    return NamedSharding(jax_mesh(mesh), PartitionSpec(*front, *spec_of(mesh, placements, ndim)))


def moved(array: jax.Array, old: Lie, new: Lie) -> jax.Array:
    """Return the array of parts of a tensor that lies otherwise on the same devices.

    What is Partial along the same axis in both stays in its parts. Without an axis that is
    Partial, parts are the value itself.

    Args:
        array: the parts as they are.
        old: how it lies.
        new: how it is to lie, on the same mesh.
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
    """Return the kernel that puts parts together, takes values apart, and moves them."""
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
    """Return a value as parts along a new axis, whose reduction it is."""
    spread = jnp.broadcast_to(
        jnp.expand_dims(array, front), (*array.shape[:front], size, *array.shape[front:])
    )
    if kind not in _NEUTRAL:
        return spread
    shape = [1] * spread.ndim
    shape[front] = size
    is_first = (jnp.arange(size) == 0).reshape(shape)
    return jnp.where(is_first, spread, jnp.asarray(_NEUTRAL[kind], array.dtype))


_slot: Any = Tensor.__dict__["_array"]


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
    """Return a tensor that holds parts, and is part of no graph."""
    tensor = object.__new__(PartialTensor)
    _slot.__set__(tensor, parts)
    tensor._storage = storage = object.__new__(Storage)
    storage.version = 0
    storage.sharers = None
    tensor._meta = None
    return tensor


def parts_of(tensor: Tensor) -> Parts | None:
    """Return what a Partial tensor holds; None for any other."""
    if type(tensor) is not PartialTensor:
        return None
    held = _slot.__get__(tensor)
    return held if type(held) is Parts else None


def lie_of_tensor(tensor: Any) -> Lie | None:
    """Return how a tensor or an array lies on a mesh; None on one device, or while traced."""
    parts = parts_of(tensor)
    return placement_of(getattr(tensor, "_whole", tensor)) if parts is None else parts.lie


ports.placement_of = lie_of_tensor
