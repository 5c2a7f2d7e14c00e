"""The objects that ``save`` writes: plain containers with arrays instead of tensors."""

from __future__ import annotations

import dataclasses
import pickle
from collections import OrderedDict
from typing import Any

import ml_dtypes
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.framework.io.writing_states import is_state, words_of
from jaxeager.framework.restricted_pickle.arrays import can_be_read
from jaxeager.framework.restricted_pickle.containers import NAMESPACES
from jaxeager.framework.restricted_pickle.part_records import RECORDS
from jaxeager.tensor import Tensor

NAME_TABLE = "StructuredToParameterName@@"
SLICE_TABLE = "UnpackBigParamInfor@@"
SLICE_BYTES = 2**30


def array_of(tensor: Tensor) -> np.ndarray:
    """Return a tensor's values as Paddle stores them."""
    array = tensor.numpy()
    if array.dtype == np.uint16:
        raise InvalidArgumentError(
            f"{tensor.name} has dtype uint16, which means bfloat16 in Paddle's files. Cast it, or "
            "save it as .safetensors."
        )
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def is_state_dict(obj) -> bool:
    """Return whether Paddle would write an object as a state dict."""
    if not isinstance(obj, dict):
        return False
    for value in obj.values():
        if isinstance(value, dict):
            if any(_contains_tensor(item) for item in value.values()):
                return False
        elif not isinstance(value, Tensor):
            return False
    return True


def _contains_tensor(obj) -> bool:
    if isinstance(obj, dict):
        return any(map(_contains_tensor, obj.values()))
    if isinstance(obj, (list, tuple, set, frozenset)):
        return any(map(_contains_tensor, obj))
    if type(obj) in NAMESPACES:
        return any(map(_contains_tensor, vars(obj).values()))
    return isinstance(obj, Tensor)


def plain_state_dict(state: dict, protocol: int) -> dict:
    """Return a state dict with arrays for tensors and the table of their names."""
    plain, names = {}, {}
    for key, value in state.items():
        if isinstance(value, Tensor):
            plain[key], names[key] = array_of(value), value.name
        else:
            plain[key] = plain_of(value)
    plain[NAME_TABLE] = names
    return plain if protocol >= 4 else _cut_slices(plain)


def _cut_slices(plain: dict) -> dict:
    """Cut arrays too big for old pickle protocols, as Paddle does."""
    cut, table = {}, {}
    for key, value in plain.items():
        if not isinstance(value, np.ndarray) or value.nbytes <= SLICE_BYTES:
            cut[key] = value
            continue
        flat, step = value.reshape(-1), SLICE_BYTES // value.itemsize
        names = []
        for number, start in enumerate(range(0, flat.size, step)):
            names.append(f"{key}@@.{number}")
            cut[names[-1]] = flat[start : start + step]
        table[key] = {"OriginShape": value.shape, "slices": names}
    if table:
        cut[SLICE_TABLE] = table
    return cut


_NUMBERS_AND_TEXT: tuple[type, ...] = (bool, int, float, complex, str, bytes, bytearray)


def plain_of(obj: Any) -> Any:
    """Return an object with (name, array) for each tensor; refuse what could not be read back."""
    if isinstance(obj, Tensor):
        return (obj.name, array_of(obj))
    if isinstance(obj, (np.ndarray, np.generic)) and not isinstance(obj, np.ma.MaskedArray):
        if not can_be_read(obj.dtype):
            raise InvalidTypeError(
                f"paddle.save cannot write a {type(obj).__name__} of dtype {obj.dtype}: only "
                "numbers, text and times can be read back."
            )
        return np.asarray(obj) if isinstance(obj, np.ndarray) else obj  # also for a np.memmap
    if is_state(obj):
        return words_of(obj)
    if isinstance(obj, dict):
        if any(_contains_tensor(key) for key in obj):
            raise InvalidTypeError("paddle.save cannot write a dict with a tensor for a key.")
        mapping = OrderedDict if isinstance(obj, OrderedDict) else dict
        return mapping((plain_of(key), plain_of(value)) for key, value in obj.items())
    if isinstance(obj, list) or type(obj) is tuple:
        items = [plain_of(item) for item in obj]
        return items if isinstance(obj, list) else tuple(items)
    if type(obj) in NAMESPACES:
        namespace = type(obj)()
        vars(namespace).update({name: plain_of(value) for name, value in vars(obj).items()})
        return namespace
    if type(obj) is set and not _contains_tensor(obj):
        return {plain_of(item) for item in obj}
    if type(obj) is frozenset and not _contains_tensor(obj):
        return frozenset(plain_of(item) for item in obj)
    for kind in _NUMBERS_AND_TEXT:
        if isinstance(obj, kind):
            return obj if type(obj) is kind else kind(obj)
    if obj is None:
        return None
    if hasattr(obj, "state_dict"):
        raise InvalidArgumentError(
            f"paddle do not support saving a {type(obj).__name__} object; save its state_dict()."
        )
    if type(obj) in RECORDS:
        return obj
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return _checked_dataclass(obj)
    raise InvalidTypeError(
        f"paddle.save cannot write a {type(obj).__name__}: it writes tensors, arrays, numbers, "
        "strings, None, and dicts, lists, tuples, namespaces and sets of them (sets without "
        "tensors)."
    )


def _checked_dataclass(obj: Any) -> Any:
    """Return an object of a dataclass, such as a program's options, if pickle can write it.

    It is pickled here as well, so that an object that cannot be written leaves no part of a file.
    ``load`` refuses it, as it makes no object of a class that a file names; ``pickle.load`` reads
    it back.
    """
    name = type(obj).__name__
    if _contains_tensor(vars(obj) if hasattr(obj, "__dict__") else dataclasses.asdict(obj)):
        raise InvalidTypeError(f"paddle.save cannot write a {name} with tensors; save these alone.")
    try:
        pickle.dumps(obj)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidTypeError(f"paddle.save cannot write a {name}: {error}.") from None
    return obj
