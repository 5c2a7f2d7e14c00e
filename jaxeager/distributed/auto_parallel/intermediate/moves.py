"""Moves of activations along the axis "mp" of a mesh, which the plans make in hooks of layers.

Note [Activations in one program]
    While a function is traced as one XLA program, its tensors are on no device yet. A move to parts
    is then a hint to XLA that leaves the other axes of the tensor open, and a move to a whole
    tensor is left to XLA, which gathers it where an op needs it. Results are equal either way.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from jax.core import Tracer
from jax.sharding import NamedSharding, PartitionSpec

import jaxeager as paddle
from jaxeager.distributed.mesh.jax_shardings import Layout, jax_mesh
from jaxeager.distributed.mesh.partial_tensors import layout_of_tensor
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh, Replicate, Shard
from jaxeager.distributed.mesh.resharding import put, reshard
from jaxeager.errors import RefusedArgumentError, RefusedTypeError
from jaxeager.tensor import Tensor

_log = logging.getLogger(__name__)


def axis_of(mesh: ProcessMesh, name: str = "mp") -> int:
    """Return the number of an axis of a mesh.

    Raises:
        RefusedArgumentError: for a mesh without it.
    """
    if name not in mesh.dim_names:
        raise RefusedArgumentError(
            f"A plan needs a mesh with the axis {name!r}, but it has {mesh.dim_names}."
        )
    return mesh.dim_names.index(name)


def first_changed(value: object, change: Callable[[Tensor], Tensor]) -> Any:
    """Return a tensor, or a tuple or list whose first item is a tensor, with that tensor changed.

    Raises:
        RefusedTypeError: when there is no such tensor.
    """
    if isinstance(value, (tuple, list)) and value:
        return type(value)([first_changed(value[0], change), *value[1:]])
    if not isinstance(value, Tensor):
        raise RefusedTypeError(
            "A plan that moves a layer's input or output needs a Tensor as its first positional "
            f"one, but received {type(value).__name__}: {value!r:.80}. Pass it by position."
        )
    return change(value)


def layout_on(tensor: Tensor, mesh: ProcessMesh) -> list[Placement]:
    """Return the placements of a tensor on a mesh; whole for one on other devices."""
    layout = layout_of_tensor(tensor)
    if layout is None or layout.mesh != mesh or layout.mesh.dim_names != mesh.dim_names:
        return [Replicate() for _ in mesh.shape]
    return list(layout.placements)


def along_mp(tensor: Tensor, mesh: ProcessMesh, placement: Placement) -> Tensor:
    """Return a tensor with another placement along "mp", and the same along the other axes.

    Args:
        tensor: the tensor; one on a single device is copied to the mesh.
        mesh: the mesh.
        placement: Replicate, or a Shard.
    """
    if layout_of_tensor(tensor) is None and isinstance(tensor._array, Tracer):
        return _hinted(tensor, mesh, placement)
    placements = layout_on(tensor, mesh)
    placements[axis_of(mesh)] = placement
    return reshard(tensor, Layout(mesh, tuple(placements)))


def _hinted(tensor: Tensor, mesh: ProcessMesh, placement: Placement) -> Tensor:
    """Return a traced tensor with a hint: see Note [Activations in one program]."""
    if not isinstance(placement, Shard):
        return tensor
    spec: list = [PartitionSpec.UNCONSTRAINED] * tensor.ndim
    spec[placement.dim] = "mp"
    return put(tensor, NamedSharding(jax_mesh(mesh), PartitionSpec(*spec)))


def last_axis_split(value: object, mesh: ProcessMesh) -> Any:
    """Return the input or output of a layer with the last axis of its tensor divided over "mp"."""
    return first_changed(value, lambda each: along_mp(each, mesh, Shard(each.ndim - 1)))


def gathered(value: object, mesh: ProcessMesh) -> Any:
    """Return the input or output of a layer with its tensor whole along "mp"."""
    return first_changed(value, lambda each: along_mp(each, mesh, Replicate()))


def sequence_split(value: object, mesh: ProcessMesh, need_transpose: bool) -> Any:
    """Return the input or output of a layer with the sequence axis of its tensor split over "mp".

    Args:
        value: a tensor of three axes, or a tuple that begins with one.
        mesh: the mesh.
        need_transpose: whether its first two axes are exchanged before, from batch, sequence.
    """

    def change(tensor: Tensor) -> Tensor:
        tensor = _exchanged(_checked(tensor), need_transpose)
        return along_mp(tensor, mesh, Shard(_sequence_axis(tensor, mesh)))

    return first_changed(value, change)


def sequence_gathered(value: object, mesh: ProcessMesh, need_transpose: bool) -> Any:
    """Return the input or output of a layer with the whole sequence of its tensor on each device.

    Args:
        value: a tensor of three axes, or a tuple that begins with one.
        mesh: the mesh.
        need_transpose: whether its first two axes are exchanged afterwards, to batch, sequence.
    """

    def change(tensor: Tensor) -> Tensor:
        return _exchanged(along_mp(_checked(tensor), mesh, Replicate()), need_transpose)

    return first_changed(value, change)


def _exchanged(tensor: Tensor, need_transpose: bool) -> Tensor:
    """Return a tensor with its first two axes exchanged, if that is needed."""
    return paddle.transpose(tensor, [1, 0, 2]) if need_transpose else tensor


def _checked(tensor: Tensor) -> Tensor:
    """Return a tensor of three axes; refuse any other."""
    if tensor.ndim != 3:
        raise RefusedArgumentError(
            "Sequence parallelism divides tensors of three axes, batch, sequence and hidden, but "
            f"received the shape {list(tensor.shape)}."
        )
    return tensor


def _sequence_axis(tensor: Tensor, mesh: ProcessMesh) -> int:
    """Return the axis of the sequence: the one of the first two that "dp" does not divide."""
    over_dp = layout_on(tensor, mesh)[mesh.dim_names.index("dp")] if "dp" in mesh.dim_names else 0
    if over_dp == Shard(0):
        return 1
    if over_dp != Shard(1):
        _log.warning(
            "Which axis of a tensor of shape %s is the batch is unknown, because 'dp' divides "
            "neither of the first two: axis 0 is divided as the sequence.",
            list(tensor.shape),
        )
    return 0
