"""Kinds of arrays: a small integer represents shape, dtype and device in the keys of the tree."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeAlias

import jax

if TYPE_CHECKING:
    from jaxeager.core.places import Device

# The number of a kind, and its device; None for arrays on several devices.
Kind: TypeAlias = "tuple[int, Device | None]"

MOST = 20_000  # number of kinds that are remembered

_numbers_of_kinds = itertools.count(1)
_kinds: dict[tuple, Kind] = {}
_kinds_by_id: dict[tuple, tuple] = {}
"""The same, keyed by the ids of aval and sharding, which the results of an executable share."""


def kind_of(array: jax.Array) -> Kind:
    """Return the number of an array's shape, dtype and device, and the device.

    The device is None for an array on several devices.
    """
    aval, sharding = array.aval, array.sharding
    ids = id(aval), id(sharding), array.committed
    found = _kinds_by_id.get(ids)
    if found is None:
        if len(_kinds_by_id) > MOST:
            _kinds_by_id.clear()
        found = _kinds_by_id[ids] = _new_kind(array), aval, sharding
    return found[0]


def _new_kind(array: jax.Array) -> Kind:
    """Do the work of ``kind_of`` for an array whose aval was not seen before."""
    aval, sharding = array.aval, array.sharding
    if type(sharding) is not jax.sharding.SingleDeviceSharding:
        return 0, None
    key = aval.shape, aval.dtype, aval.weak_type, sharding, array.committed
    found = _kinds.get(key)
    if found is None:
        if len(_kinds) > MOST:
            _kinds.clear()  # numbers are not reused: the tree contains them
        (device,) = sharding.device_set
        found = _kinds[key] = next(_numbers_of_kinds), device
    return found
