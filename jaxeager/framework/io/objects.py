"""The result of ``load``: the content of a file, with tensors or NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.io.plain import NAME_TABLE, SLICE_TABLE
from jaxeager.framework.restricted_pickle.containers import ATOMS, NAMESPACES, rebuilt
from jaxeager.tensor import Tensor, to_tensor


def objects_of(found: object, file: str, return_numpy: bool, keep_name_table: bool) -> Any:
    """Convert the content of a file to the result of ``load``.

    Args:
        found: the content of a file; its arrays are views of the file's bytes.
        file: the name of the file for error messages.
        return_numpy: return arrays, not tensors.
        keep_name_table: keep the table of the tensors' names in a state dict.

    Raises:
        InvalidArgumentError: when the tables of the file do not match the rest, or an array has a
            dtype that no tensor has.
    """
    making = _Making(file, return_numpy)
    if isinstance(found, dict):
        _join_slices(found, file)
        if NAME_TABLE in found:
            names = _names(found, file)
            if not keep_name_table:
                del found[NAME_TABLE]
            return making.state_dict(found, names)
    has_array, has_named = _kinds_in(found)
    return making.nested(found, has_named) if has_array else found


def _join_slices(found: dict, file: str) -> None:
    """Join the arrays that old pickle protocols had cut."""
    table = found.pop(SLICE_TABLE, {})
    if not isinstance(table, dict):
        raise _unfit(file, SLICE_TABLE, "it is not a dict")
    for key, parts in table.items():
        names = parts.get("slices") if isinstance(parts, dict) else None
        shape = parts.get("OriginShape") if isinstance(parts, dict) else None
        if not isinstance(names, list) or not isinstance(shape, (tuple, list)):
            raise _unfit(file, SLICE_TABLE, f"{_shown(key)} has no slices and OriginShape")
        slices = [found.pop(name, None) if isinstance(name, str) else None for name in names]
        arrays = [part for part in slices if isinstance(part, np.ndarray)]
        if not arrays or len(arrays) < len(slices):
            raise _unfit(file, SLICE_TABLE, f"not every slice of {_shown(key)} is in the file")
        try:
            found[key] = np.concatenate(arrays).reshape(tuple(shape))
        except (ValueError, TypeError, OverflowError) as error:
            raise _unfit(file, SLICE_TABLE, f"the slices of {_shown(key)}: {error}") from None


def _names(found: dict, file: str) -> dict:
    """Return the names of a state dict's tensors."""
    names = found[NAME_TABLE]
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise _unfit(file, NAME_TABLE, "it is not a dict of names")
    return names


def _unfit(file: str, table: str, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"`paddle.load` can not parse the file: {file}: in its table {table}, {why}. It is "
        "damaged, or was not written by paddle.save."
    )


def _shown(key) -> str:
    return repr(key) if isinstance(key, str) and len(key) < 100 else f"a {type(key).__name__}"


def _kinds_in(found) -> tuple[bool, bool]:
    """Return whether a file has arrays, and whether it has (name, array) tuples."""
    has_array, seen, waiting = False, set(), [found]
    while waiting:
        obj = waiting.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        if _is_named(obj):
            return True, True
        has_array = has_array or isinstance(obj, np.ndarray)
        waiting += [part for part in _all_parts(obj) if type(part) not in ATOMS]
    return has_array, False


class _Making:
    """A builder of the tensors, or the arrays, of one file.

    An array that occurs repeatedly in a file is copied once. Tensors share its memory until one of
    them is written to.
    """

    def __init__(self, file: str, return_numpy: bool):
        self._file = file
        self._return_numpy = return_numpy
        # By the id of an array of the file, which is kept alive so that no other gets its id.
        self._copies: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._tensors: dict[int, tuple[np.ndarray, Tensor]] = {}
        self._has_named = True

    def state_dict(self, found: dict, names: dict) -> dict:
        """Return a state dict with named tensors for the arrays of its table."""
        for key, value in found.items():
            if isinstance(value, np.ndarray) and key in names and not self._return_numpy:
                found[key] = self._tensor(value, names[key])
            else:
                found[key] = self.nested(value, has_named=True, names_tensors=False)
        return found

    def nested(self, found, has_named: bool, names_tensors: bool = True):
        """Return an object with tensors for its (name, array) tuples, or for all its arrays."""

        def whole(obj, made: list):
            if isinstance(obj, dict):
                obj.update(zip([*obj], made, strict=True))
                return obj
            if type(obj) in NAMESPACES:
                vars(obj).update(zip([*vars(obj)], made, strict=True))
                return obj
            if names_tensors and _is_named(obj):
                is_array = self._return_numpy
                return self._copy(obj[1]) if is_array else self._tensor(obj[1], obj[0])
            if isinstance(obj, np.ndarray):
                is_array = has_named or self._return_numpy
                return self._copy(obj) if is_array else self._tensor(obj)
            return type(obj)(made) if isinstance(obj, (list, tuple)) else obj

        return rebuilt(found, _parts if names_tensors else _all_parts, whole)

    def _copy(self, array: np.ndarray) -> np.ndarray:
        """Return a copy of an array, the same one for the same array."""
        if id(array) not in self._copies:
            self._copies[id(array)] = array, array.copy("K")
        return self._copies[id(array)][1]

    def _tensor(self, array: np.ndarray, name: str | None = None) -> Tensor:
        _, first = self._tensors.get(id(array), (None, None))
        tensor = to_tensor(self._checked(array) if first is None else first._array)
        self._tensors[id(array)] = array, tensor
        if name:
            tensor.name = name
        return tensor

    def _checked(self, array: np.ndarray) -> np.ndarray:
        """Return an array with a dtype that tensors have."""
        if array.dtype == np.uint16:
            return array.view(ml_dtypes.bfloat16)
        if array.dtype.name not in dtypes.NAMES:
            raise InvalidArgumentError(
                f"`paddle.load` can not make a tensor of the file: {self._file}: it holds an array "
                f"of dtype {array.dtype}, which no tensor has. Load it with return_numpy=True."
            )
        return array


def _is_named(obj) -> bool:
    """Return whether an object is the tuple that ``save`` writes for a tensor."""
    return (
        isinstance(obj, tuple)
        and len(obj) == 2
        and isinstance(obj[0], str)
        and isinstance(obj[1], np.ndarray)
    )


def _parts(obj) -> Sequence:
    """Return the parts of a container; the tuple of a tensor has none."""
    return () if _is_named(obj) else _all_parts(obj)


def _all_parts(obj) -> Sequence:
    if isinstance(obj, dict):
        return [*obj.values()]
    if type(obj) in NAMESPACES:
        return [*vars(obj).values()]
    return obj if isinstance(obj, (list, tuple)) else ()
