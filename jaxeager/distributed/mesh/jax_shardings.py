"""Conversions between placements on a mesh and JAX's shardings."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxeager.arrays.sharded import is_spread
from jaxeager.distributed.mesh.placements import Partial, Placement, ProcessMesh, Replicate, Shard
from jaxeager.errors import InvalidArgumentError, UnavailableError


class Layout(NamedTuple):
    """The layout of a tensor on several devices.

    Attributes:
        mesh: the devices.
        placements: one along each axis of the mesh.
    """

    mesh: ProcessMesh
    placements: tuple[Placement, ...]


@functools.cache
def devices() -> tuple:
    """Return the devices of all processes, indexed by the numbers that a ProcessMesh uses."""
    return tuple(sorted(jax.devices(), key=lambda each: (each.process_index, each.id)))


@functools.cache
def _number_of() -> dict:
    return {device: number for number, device in enumerate(devices())}


@functools.lru_cache(256)
def _jax_mesh(shape: tuple, ids: tuple, names: tuple) -> Mesh:
    chosen = np.array([devices()[number] for number in ids], object)
    return Mesh(chosen.reshape(shape), names)


def jax_mesh(mesh: ProcessMesh) -> Mesh:
    """Return the JAX mesh of the same devices.

    Raises:
        UnavailableError: for a device number that does not exist.
    """
    there = len(devices())
    if any(not 0 <= number < there for number in mesh.process_ids):
        found = "is one, 0" if there == 1 else f"are {there}, 0 to {there - 1}"
        raise UnavailableError(
            f"The mesh has the processes {mesh.process_ids}, but there {found}: one for each "
            "device of each process. Start more processes (jaxeager.distributed.launch), or have "
            "XLA split the host: XLA_FLAGS=--xla_force_host_platform_device_count=8."
        )
    return _jax_mesh(tuple(mesh.shape), tuple(mesh.process_ids), tuple(mesh.dim_names))


@functools.lru_cache(256)
def process_mesh(mesh: Mesh) -> ProcessMesh:
    """Return the ProcessMesh of the devices of a JAX mesh."""
    numbers = [_number_of()[device] for device in mesh.devices.flat]
    return ProcessMesh(np.array(numbers).reshape(mesh.devices.shape), list(mesh.axis_names))


def complete(
    mesh: ProcessMesh, placements: Sequence[Placement], shape: Sequence[int]
) -> tuple[Placement, ...]:
    """Return a placement for each axis of a mesh, with tensor axes counted from the front.

    Args:
        mesh: the mesh.
        placements: a placement per axis, or fewer: the tensor is whole along the others.
        shape: the shape of the tensor.

    Raises:
        InvalidArgumentError: for too many placements, an axis that the tensor does not have, or one
            that cannot be divided evenly.
    """
    if len(placements) > mesh.ndim:
        raise InvalidArgumentError(
            f"A mesh of {mesh.ndim} axes takes as many placements, but received {list(placements)}."
        )
    if not all(isinstance(each, Placement) for each in placements):
        raise InvalidArgumentError(
            "A placement is a Replicate(), Shard(dim) or Partial(), but received "
            f"{list(placements)}."
        )
    found, parts = [], [1] * len(shape)
    for each, size in zip(placements, mesh.shape, strict=False):
        if isinstance(each, Shard):
            if not -len(shape) <= each.dim < len(shape):
                raise InvalidArgumentError(
                    f"A tensor of {len(shape)} axes cannot be placed by {each}."
                )
            dim = each.dim % len(shape)
            parts[dim] *= size
            each = Shard(dim, shard_order=each._order)
        found.append(each)
    for dim, (size, count) in enumerate(zip(shape, parts, strict=True)):
        if size % count:
            raise InvalidArgumentError(
                f"Axis {dim} of a tensor of shape {list(shape)} has {size} elements, which cannot "
                f"be divided over {count} devices by {list(placements)}: XLA needs equal parts. "
                "Pad it, divide another axis, or keep it whole: Replicate()."
            )
    return (*found, *(Replicate() for _ in range(mesh.ndim - len(found))))


def spec_of(mesh: ProcessMesh, placements: Sequence[Placement], ndim: int) -> list:
    """Return, per axis of a tensor, the names of the mesh axes that divide it, or None."""
    names: list[list] = [[] for _ in range(ndim)]
    for number, (name, each) in enumerate(zip(mesh.dim_names, placements, strict=False)):
        if isinstance(each, Shard):
            order = number if each._order is None else each._order
            names[each.dim % ndim].append((order, name))
    return [tuple(name for _, name in sorted(each)) or None for each in names]


def sharding_of(
    mesh: ProcessMesh, placements: Sequence[Placement], shape: Sequence[int]
) -> NamedSharding:
    """Return the JAX sharding of placements; a Partial tensor is whole in it.

    Raises:
        UnavailableError: for a device that does not exist.
        InvalidArgumentError: as in ``complete``.
    """
    found = jax_mesh(mesh)
    spec = spec_of(mesh, complete(mesh, placements, shape), len(shape))
    return NamedSharding(found, PartitionSpec(*spec))


@functools.lru_cache(4096)
def layout_of(sharding: NamedSharding) -> Layout:
    """Return the layout of arrays with a sharding."""
    divided: dict[str, list[Shard]] = {}
    for dim, names in enumerate(sharding.spec):
        names = () if names is None else (names,) if isinstance(names, str) else tuple(names)
        for order, name in enumerate(names):
            divided[name] = [Shard(dim, shard_order=order if len(names) > 1 else None)]
    mesh = process_mesh(sharding.mesh)  # type: ignore[arg-type]
    return Layout(mesh, tuple(divided.get(name, [Replicate()])[0] for name in mesh.dim_names))


def placement_of(array: Any) -> Layout | None:
    """Return the layout of an array on several devices; None on one, or while it is traced."""
    return layout_of(array.sharding) if is_spread(array) else None


def has_partial(placements: Sequence[Placement]) -> bool:
    """Return whether any placement is Partial."""
    return any(isinstance(each, Partial) for each in placements)
