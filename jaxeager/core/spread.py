"""Arrays that lie on several devices: how one gets where others are, and how one is read.

Note [Several devices]
    A jax.Array whose sharding is a NamedSharding lies on all devices of a mesh, in parts or whole.
    A kernel takes such arrays as it takes others: XLA divides the work, and adds the messages
    between devices itself (GSPMD). It takes no array that is committed to one device beside them.
    As Paddle does, that one is copied to every device of the mesh, once: its tensor keeps it so.
    This happens where JAX has refused a call, so calls on one device pay nothing for it.
"""

from collections.abc import Iterator
from typing import Any

import jax
from jax.core import Tracer
from jax.sharding import NamedSharding, PartitionSpec, Sharding


def is_spread(array: Any) -> bool:
    """Says whether an array lies on a mesh: of several devices, or of one."""
    return is_placed(array) and type(array.sharding) is NamedSharding


def is_placed(array: Any) -> bool:
    """Says whether something is an array with values: tracers lie nowhere yet."""
    return isinstance(array, jax.Array) and not isinstance(array, Tracer)


def placed(array: Any, sharding: Sharding) -> Any:
    """Return an array as a sharding says, the very same object when it lies so.

    What is traced is constrained to lie so when it runs. Nothing goes through the host.

    Args:
        array: a jax.Array or a tracer.
        sharding: where to; of devices of other processes too.
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


def lies_as(array: Any, other: Any) -> bool:
    """Says whether an array is on the devices of another one, and divided over them as it is."""
    if array.devices() != other.devices():
        return False
    if len(array.devices()) == 1:
        return True
    return array.shape == other.shape and array.sharding.is_equivalent_to(
        other.sharding, array.ndim
    )


def common_mesh(arrays: list) -> Any:
    """Return the mesh of the first array that lies on several devices; None when none does."""
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


def joining(array: Any, mesh: Any) -> Any:
    """Return an array as kernels take it beside those of a mesh: where it was on one device
    alone, or its devices have another order, it is whole on each device of the mesh.

    An array of other devices is returned as it is; the kernel will refuse it.
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
    """Return arrays as one kernel takes them, brought to the mesh that one of them lies on.

    Returns:
        None when none lies on several devices, or nothing is to be brought anywhere.
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
