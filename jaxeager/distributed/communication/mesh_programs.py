"""Programs over the devices of a group, from each rank's operands to each rank's results."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxeager.distributed.communication import world
from jaxeager.distributed.communication.kernels import AXIS, KERNELS, Arrays
from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.memory_bound import jitted

if TYPE_CHECKING:
    from collections.abc import Callable


@functools.cache
def mesh_of(ranks: tuple[int, ...]) -> Mesh:
    """Return the devices of ranks, one each, as a mesh of one axis."""
    return Mesh(np.array([world.device_of(each) for each in ranks]), (AXIS,))


@functools.lru_cache(256)
def _program(
    ranks: tuple[int, ...], kernel: str, settings: tuple[tuple[str, object], ...]
) -> Callable:
    """Return a kernel over the devices of ranks, compiled once per shapes and dtypes."""
    rule = functools.partial(KERNELS[kernel], **dict(settings))
    spec = PartitionSpec(AXIS)

    def over_ranks(*arrays: jax.Array) -> Arrays:
        return jax.shard_map(
            rule, mesh=mesh_of(ranks), in_specs=spec, out_specs=spec, check_vma=False
        )(*arrays)

    over_ranks.__name__ = kernel
    return jitted(over_ranks)


def run(ranks: tuple[int, ...], kernel: str, arrays: Sequence[jax.Array], **settings: Any) -> list:
    """Run a kernel among ranks, all of which must call this with matching arguments.

    Args:
        ranks: the numbers of the processes.
        kernel: a name of ``KERNELS``.
        arrays: those of this rank, on one device.
        **settings: the keyword arguments of the kernel.

    Returns:
        This rank's arrays, on its device.

    Raises:
        InvalidArgumentError: for an array that is on several devices.
    """
    mesh = mesh_of(ranks)
    # A block of an axis has at least one row, so a 0-D array is passed as [1].
    is_scalar = [each.ndim == 0 for each in arrays]
    given = [_over_mesh(each, mesh) for each in arrays]
    found = _program(ranks, kernel, tuple(sorted(settings.items())))(*given)
    local = [each.addressable_shards[0].data for each in found]
    one_by_one = len(local) == len(arrays)
    return [
        each.reshape(()) if is_scalar[i if one_by_one else 0] else each
        for i, each in enumerate(local)
    ]


def _over_mesh(array: jax.Array, mesh: Mesh) -> jax.Array:
    """Return the rows of all ranks as one array, of which this rank has its row."""
    if len(array.devices()) != 1:
        raise InvalidArgumentError(
            "A call between processes takes a tensor on one device, but received one that is "
            f"spread over {len(array.devices())} devices."
        )
    (own,) = [each for each in mesh.devices.flat if each.process_index == jax.process_index()]
    if array.devices() != {own}:
        array = jax.device_put(array, own)
    rows = array.reshape(1) if array.ndim == 0 else array
    shape = (rows.shape[0] * mesh.size, *rows.shape[1:])
    sharding = NamedSharding(mesh, PartitionSpec(AXIS))
    return jax.make_array_from_single_device_arrays(shape, sharding, [rows])
