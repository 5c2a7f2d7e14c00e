"""The description of a record of a checkpoint in parts (part_records.py)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.framework.restricted_pickle.containers import WithFields
from jaxeager.framework.restricted_pickle.damage import Damage
from jaxeager.framework.restricted_pickle.keys import check_keys
from jaxeager.framework.restricted_pickle.part_records import (
    MODULE,
    RECORDS,
    LocalTensorIndex,
    LocalTensorMetadata,
)

if TYPE_CHECKING:
    from jaxeager.framework.restricted_pickle.machine import Machine


class PartRecord(WithFields):
    """A record of a checkpoint in parts.

    A field must have the type that Paddle writes: no attribute is set by a name that the file
    chooses, and the hash of a record is that of text and whole numbers.
    """

    __slots__ = ()
    writer = "Paddle"

    def made(self, machine: Machine, parts: list) -> object:
        """Return the record."""
        names, values = parts[::2], parts[1::2]
        check_keys(machine, names, self.offset)
        fits = _FIELDS[self.kind]
        for name, value in zip(names, values, strict=True):
            if name not in fits or not fits[name](value):
                raise self._unfit(name)
        needed = [
            field.name
            for field in dataclasses.fields(self.kind)
            if field.default is dataclasses.MISSING and field.name not in names
        ]
        if needed:
            raise self._unfit(needed[0])
        return self.kind(**dict(zip(names, values, strict=True)))

    def _unfit(self, name: object) -> Damage:
        shown = repr(name) if type(name) is str and len(name) < 100 else "one"
        return Damage(f"it has {self.called()} whose field {shown} is not Paddle's", self.offset)


def _is_shape(value: object) -> bool:
    return type(value) is tuple and all(type(each) is int for each in value)


def _is_optional_shape(value: object) -> bool:
    return value is None or _is_shape(value)


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_truth(value: object) -> bool:
    return type(value) is bool


def _is_optional_number(value: object) -> bool:
    return value is None or type(value) is int


def _has_parts_of_tensors(value: object) -> bool:
    return value is None or (
        type(value) is dict
        and all(type(name) is str and type(parts) is list for name, parts in value.items())
        and all(type(part) is LocalTensorMetadata for parts in value.values() for part in parts)
    )


def _has_files_of_parts(value: object) -> bool:
    return value is None or (
        type(value) is dict
        and all(type(at) is LocalTensorIndex for at in value)
        and all(type(file) is str for file in value.values())
    )


def _has_keys_of_names(value: object) -> bool:
    return value is None or (
        type(value) is dict
        and all(type(name) is str and type(keys) is tuple for name, keys in value.items())
        and all(type(key) is str for keys in value.values() for key in keys)
    )


_PLACE: dict[str, Callable[[object], bool]] = {
    "global_offset": _is_shape,
    "is_flattened": _is_truth,
    "flattened_range": _is_optional_shape,
}
_FIELDS: dict[type, dict[str, Callable[[object], bool]]] = dict(
    zip(
        RECORDS,
        (
            _PLACE | {"local_shape": _is_shape, "dtype": _is_text}
            | {"global_shape": _is_optional_shape},
            _PLACE | {"tensor_key": _is_text, "replica_id": _is_optional_number}
            | {"local_shape": _is_optional_shape},
            {
                "state_dict_metadata": _has_parts_of_tensors,
                "storage_metadata": _has_files_of_parts,
                "flat_mapping": _has_keys_of_names,
            },
        ),
        strict=True,
    )
)  # fmt: skip

RECORD_CLASSES: dict[tuple[str, str], type] = {(MODULE, kind.__name__): kind for kind in RECORDS}
"""The classes by the names that a file has for them."""
