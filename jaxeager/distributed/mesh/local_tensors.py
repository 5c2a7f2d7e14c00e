"""The local parts of tensors on a mesh, and tensors assembled from local parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from jaxeager.core import ports
from jaxeager.distributed.mesh.jax_shardings import Layout, complete, devices, sharding_of
from jaxeager.distributed.mesh.partial_tensors import (
    Parts,
    layout_of_tensor,
    partial_axes,
    partial_tensor,
    parts_of,
    parts_sharding,
    without_partial,
)
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh, Replicate, Shard
from jaxeager.distributed.mesh.resharding import MovingOp, put, record_move, reshard
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor

_FROM_LOCAL = MovingOp("dtensor_from_local", "DtensorFromLocalGradNode")
_TO_LOCAL = MovingOp("dtensor_to_local", "DtensorToLocalGradNode")


def _first_here(mesh: ProcessMesh) -> int:
    """Return the number of the first device of a mesh that belongs to this process."""
    here = set(jax.local_devices())
    return next(number for number in mesh.process_ids if devices()[number] in here)


def local_array(tensor: Tensor, rank: int | None = None) -> jax.Array | None:
    """Return the part of a tensor on one device; None for a tensor on a single device.

    Args:
        tensor: the tensor.
        rank: the number of the device; the first one of this process by default.

    Raises:
        InvalidArgumentError: for a device without the tensor, or of another process.
    """
    layout = layout_of_tensor(tensor)
    if layout is None:
        return None
    parts = parts_of(tensor)
    array = tensor._array if parts is None else parts.array
    rank = _first_here(layout.mesh) if rank is None else rank
    device = devices()[rank] if 0 <= rank < len(devices()) else None
    found = [each.data for each in array.addressable_shards if each.device == device]
    if not found:
        raise InvalidArgumentError(
            f"This process has no part of the tensor for device {rank}; its mesh has the "
            f"processes {layout.mesh.process_ids}."
        )
    front = 0 if parts is None else len(partial_axes(layout.placements))
    return found[0].reshape(found[0].shape[front:]) if front else found[0]


def local_of(tensor: Tensor, rank: int | None = None) -> Tensor | None:
    """Return the part of a tensor on one device, as a tensor; see ``local_array``."""
    array = local_array(tensor, rank)
    return None if array is None else wrap(array)


ports.local_of = local_of


def dtensor_from_local(
    local_tensor: Tensor | Sequence[Tensor], mesh: ProcessMesh, placements: Sequence[Placement]
) -> Tensor:
    """Return the tensor whose part on each device is a local tensor.

    Args:
        local_tensor: the part on each device of this process; or a list with one for each of them,
            in the order of the mesh.
        mesh: the devices.
        placements: the placement along each axis of the mesh: along a Shard axis the local tensors
            are concatenated, along a Partial axis they are summed.

    Returns:
        Tensor, whose gradient is passed back to the local tensors: its part to each.

    Raises:
        InvalidTypeError: for anything but a Tensor.
        InvalidArgumentError: for invalid placements, or another number of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.auto_parallel.api import dtensor_from_local
        >>> mesh = paddle.distributed.ProcessMesh([0])
        >>> dtensor_from_local(paddle.ones([2]), mesh, [paddle.distributed.Shard(0)]).shape
        paddle.Size([2])
    """
    here = set(jax.local_devices())
    numbers = [number for number in mesh.process_ids if devices()[number] in here]
    is_list = isinstance(local_tensor, (list, tuple))
    locals_ = _one_for_each(local_tensor, len(numbers))
    sizes = _whole_sizes(locals_[0], mesh, placements)
    layout = Layout(mesh, complete(mesh, placements, sizes))
    arrays = [each._array for each in locals_]
    made = _assembled(arrays, [devices()[number] for number in numbers], layout, sizes)
    out = partial_tensor(Parts(made, layout)) if partial_axes(layout.placements) else wrap(made)
    whole = Layout(mesh, without_partial(layout.placements))
    homes = [array.sharding for array in arrays]

    def back(grad: Tensor) -> list[Tensor]:
        grad = reshard(grad, whole)
        return [put(local_part(grad, n), home) for n, home in zip(numbers, homes, strict=True)]

    if is_list:
        record_move(_FROM_LOCAL, out, locals_, back)
        return out

    def back_to_one(grad: Tensor) -> list[Tensor]:
        parts = [each for each, n in zip(back(grad), numbers, strict=True) if _counts(n, layout)]
        return [sum(parts[1:], parts[0])]

    record_move(_FROM_LOCAL, out, [locals_[0]], back_to_one)
    return out


def _one_for_each(given: Any, count: int) -> list[Tensor]:
    """Return a local tensor for each of some devices, from a list of them or from one for all."""
    found = list(given) if isinstance(given, (list, tuple)) else [given] * count
    if not all(isinstance(each, Tensor) for each in found):
        raise InvalidTypeError("dtensor_from_local takes a Tensor, or a list of them.")
    if len(found) != count:
        raise InvalidArgumentError(
            f"This process drives {count} devices of the mesh, but received {len(found)} tensors."
        )
    return found


def _whole_sizes(local: Tensor, mesh: ProcessMesh, placements: Sequence[Placement]) -> list[int]:
    """Return the shape of the tensor of which each device has a part of a shape."""
    sizes = list(local.shape)
    for each, count in zip(placements, mesh.shape, strict=False):
        if isinstance(each, Shard):
            if not -len(sizes) <= each.dim < len(sizes):
                raise InvalidArgumentError(
                    f"A tensor of {len(sizes)} axes cannot be placed by {each}."
                )
            sizes[each.dim] *= count
    return sizes


def _counts(number: int, layout: Layout) -> bool:
    """Return whether a device is the first of those with the same part of a tensor."""
    place = np.argwhere(layout.mesh.mesh == number)[0]
    first = np.argwhere(layout.mesh.mesh == _first_here(layout.mesh))[0]
    pairs = zip(place, first, layout.placements, strict=True)
    return all(at == start for at, start, each in pairs if isinstance(each, Replicate))


def _assembled(arrays: list, homes: list, layout: Layout, shape: Sequence[int]) -> jax.Array:
    """Return the array assembled from the parts of the devices."""
    front = [layout.mesh.shape[axis] for axis, _ in partial_axes(layout.placements)]
    sharding = parts_sharding(layout, len(shape))
    parts = [
        jax.device_put(array.reshape((1,) * len(front) + array.shape), home)
        for array, home in zip(arrays, homes, strict=True)
    ]
    return jax.make_array_from_single_device_arrays((*front, *shape), sharding, parts)


def dtensor_to_local(
    dist_tensor: Tensor, mesh: ProcessMesh | None = None, placements: Any = None
) -> Tensor:
    """Return the part of a tensor on the first device of this process.

    Args:
        dist_tensor: the tensor.
        mesh: the mesh of its gradient; that of the tensor by default.
        placements: the placements of its gradient, likewise.

    Returns:
        Tensor on that device. Its gradient is the part of that device; other parts are zero.

    Raises:
        InvalidArgumentError: for a tensor on a single device.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.auto_parallel.api import dtensor_to_local
        >>> mesh, whole = paddle.distributed.ProcessMesh([0]), [paddle.distributed.Replicate()]
        >>> dtensor_to_local(paddle.distributed.shard_tensor([1.0], mesh, whole)).tolist()
        [1.0]
    """
    layout = layout_of_tensor(dist_tensor)
    if layout is None:
        raise InvalidArgumentError("dtensor_to_local takes a tensor that is on a mesh.")
    back = without_partial(layout.placements) if placements is None else tuple(placements)
    return local_part(dist_tensor, None, Layout(layout.mesh if mesh is None else mesh, back))


def part_on(tensor: Tensor, rank: int, placements: Sequence[Placement] | None = None) -> Tensor:
    """Return the part of a tensor on one device, of which all devices' parts are taken.

    Args:
        tensor: a tensor on a mesh.
        rank: the number of the device.
        placements: those of the gradient, the tensor's by default. Of parts that the devices of a
            Replicate axis share, only the first passes its gradient back.
    """
    layout = layout_of_tensor(tensor)
    assert layout is not None
    own = without_partial(layout.placements)
    back = own if placements is None else complete(layout.mesh, placements, tensor.shape)
    if any(each != mine and not each.is_partial() for each, mine in zip(back, own, strict=True)):
        raise InvalidArgumentError(
            f"The gradient of a tensor with placements {list(layout.placements)} cannot have the "
            f"placements {list(back)}: they may only be Partial instead."
        )
    return local_part(tensor, rank, passes_back=_counts(rank, Layout(layout.mesh, tuple(back))))


def local_part(
    tensor: Tensor, rank: int | None, back_to: Layout | None = None, passes_back: bool = True
) -> Tensor:
    """Return the part of a tensor on one device; its gradient is passed back to that device."""
    layout = layout_of_tensor(tensor)
    assert layout is not None
    local: Any = local_array(tensor, rank)
    out = wrap(local)
    home, shape = Layout(layout.mesh, without_partial(layout.placements)), tuple(tensor.shape)
    number = _first_here(layout.mesh) if rank is None else rank

    def back(grad: Tensor) -> list[Tensor]:
        array = grad._array
        given = array if passes_back else np.zeros(array.shape, array.dtype)
        whole = _with_zeros(given, number, home, shape)
        return [reshard(wrap(whole), back_to or home)]

    record_move(_TO_LOCAL, out, [tensor], back)
    return out


def _with_zeros(
    array: jax.Array | np.ndarray, number: int, layout: Layout, shape: tuple
) -> jax.Array:
    """Return a spread array with ``array`` on the devices that share its part, zeros elsewhere."""
    sharding = sharding_of(*layout, shape)
    indices = sharding.addressable_devices_indices_map(shape)
    own = indices[devices()[number]]
    zeros = np.zeros(array.shape, array.dtype)
    parts = []
    for device, index in indices.items():
        part = array if index == own else zeros
        parts.append(jax.device_put(part, device))
    return jax.make_array_from_single_device_arrays(shape, sharding, parts)


def local_shape(tensor: Tensor) -> list[int] | None:
    """Return the shape of the part of a tensor on each device; None for a single device."""
    layout = layout_of_tensor(tensor)
    if layout is None:
        return None
    shape = list(tensor.shape)
    for each, count in zip(layout.placements, layout.mesh.shape, strict=True):
        if isinstance(each, Shard):
            shape[each.dim] //= count
    return shape


__all__ = ["dtensor_from_local", "dtensor_to_local"]
