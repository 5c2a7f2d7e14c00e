"""Arrays on several devices: how one is moved to the devices of others, and how one is read.

Note [Several devices]
    A jax.Array whose sharding is a NamedSharding is on all devices of a mesh, in parts or whole. A
    kernel accepts such arrays as any others: XLA divides the work, and adds the messages between
    devices itself (GSPMD). It does not accept an array that is committed to one device along with
    them. As in Paddle, that array is copied to every device of the mesh, once: its tensor keeps the
    copy. This happens after JAX has refused a call, so calls on one device pay nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jax
from jax.core import Tracer
from jax.sharding import NamedSharding, PartitionSpec, Sharding

if TYPE_CHECKING:
    from jax.sharding import Mesh


def is_spread(array: Any) -> bool:
    """Return whether an array is on a mesh, of several devices or of one."""
    return is_placed(array) and type(array.sharding) is NamedSharding


def is_placed(array: object) -> bool:
    """Return whether something is an array with values; tracers are on no device yet."""
    return isinstance(array, jax.Array) and not isinstance(array, Tracer)


def placed(array: jax.Array, sharding: Sharding) -> jax.Array:
    """Return an array placed by a sharding; the same object when it is placed so already.

    A tracer is constrained to this sharding at run time. No data passes through the host.

    Args:
        array: a jax.Array or a tracer.
        sharding: the target; its devices may be of other processes.
    """
    if isinstance(array, Tracer):
        return jax.lax.with_sharding_constraint(array, sharding)
    if array.sharding == sharding:
        return array
    if sharding.is_fully_addressable or not array.is_fully_addressable:
        return jax.device_put(array, sharding)
    indices = sharding.addressable_devices_indices_map(array.shape)
    parts = [jax.device_put(array[index], device) for device, index in indices.items()]
    return jax.make_array_from_single_device_arrays(array.shape, sharding, parts)


def replicated(array: jax.Array) -> jax.Array:
    """Return an array of a mesh, whole on each of its devices."""
    sharding: Any = array.sharding
    if sharding.is_fully_replicated or not isinstance(sharding, NamedSharding):
        return array
    return placed(array, NamedSharding(sharding.mesh, PartitionSpec()))


def lies_as(array: jax.Array, other: jax.Array) -> bool:
    """Return whether an array is on another one's devices and divided over them alike."""
    if array.devices() != other.devices():
        return False
    if len(array.devices()) == 1:
        return True
    return array.shape == other.shape and array.sharding.is_equivalent_to(
        other.sharding, array.ndim
    )


def common_mesh(arrays: list) -> Mesh | None:
    """Return the mesh of the first array that is on several devices; None when there is none."""
    for array in _flat(arrays):
        if is_spread(array) and array.sharding.num_devices > 1:
            return array.sharding.mesh
    return None


def _flat(arrays: list) -> Iterator[Any]:
    for each in arrays:
        if isinstance(each, (list, tuple)):
            yield from each
        else:
            yield each


def joining(array: Any, mesh: Mesh) -> Any:
    """Return an array in the form that kernels accept along with arrays of a mesh.

    An array on one device, or on the devices of the mesh in another order, becomes whole on each
    device of the mesh. An array of other devices is returned as it is; the kernel will refuse it.
    """
    if not is_placed(array) or not array.committed:
        return array
    sharding: Any = array.sharding
    if sharding.num_devices == 1:
        return placed(array, NamedSharding(mesh, PartitionSpec()))
    if type(sharding) is not NamedSharding or sharding.device_set != set(mesh.devices.flat):
        return array
    own: Any = sharding.mesh
    if own.device_ids.flatten().tolist() == mesh.device_ids.flatten().tolist():
        return array
    return placed(array, NamedSharding(mesh, PartitionSpec()))


def joined(arrays: list) -> list | None:
    """Return arrays moved to the mesh of one of them, as one kernel accepts them.

    Returns:
        None when no array is on several devices, or no array has to be moved.
    """
    mesh = common_mesh(arrays)
    if mesh is None:
        return None
    found = [
        type(each)(joining(one, mesh) for one in each)
        if isinstance(each, (list, tuple))
        else joining(each, mesh)
        for each in arrays
    ]
    pairs = zip(_flat(found), _flat(arrays), strict=True)
    return None if all(a is b for a, b in pairs) else found
