"""save and load: Paddle's ``.pdparams``/``.pdopt`` files, and safetensors.

Note [Paddle's files]
Paddle pickles plain containers. There are two forms, and ``save`` chooses as Paddle does:

- a state dict (a dict whose values are tensors, or dicts without tensors in them) becomes a dict
  of NumPy arrays, with the tensors' names under ``StructuredToParameterName@@``;
- in anything else each tensor becomes a tuple ``(name, array)`` where it stands.

bfloat16 has no NumPy dtype of its own: its bits are kept as uint16, and uint16 is read as bfloat16.
With a pickle protocol below 4, arrays over 1 GiB are cut in slices (``UnpackBigParamInfor@@``).
"""

import contextlib
import io
import os
import pickle
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    UnavailableError,
    UnimplementedError,
)
from jaxeager.restricted_pickle import restricted_load
from jaxeager.tensor import Tensor, to_tensor
from jaxeager.tensor_values import read_array

NAME_TABLE = "StructuredToParameterName@@"
SLICE_TABLE = "UnpackBigParamInfor@@"
SLICE_BYTES = 2**30
_SAFETENSORS_LINE = (
    "Files ending in .safetensors need the safetensors package: pip install 'jaxeager[io]'."
)


def save(obj, path, protocol: int = 4, **configs) -> None:
    """Writes tensors, and containers of them, to a file that Paddle can read.

    A file appears whole or not at all: it is written beside its place and then renamed.

    Args:
        obj: a Tensor, a state dict, or nested dicts, lists, tuples and sets of tensors, arrays,
            numbers and strings.
        path: a file name, or an ``io.BytesIO``. A name ending in ``.safetensors`` writes a flat
            dict of tensors in that format.
        protocol: pickle protocol, 2 to 4.
        **configs: ``safetensors=True`` writes that format whatever the name.

    Raises:
        InvalidArgumentError: for a bad path, protocol or config, a Layer, or nested safetensors.
        InvalidTypeError: for an object that is none of the above.
        UnavailableError: when safetensors is not installed.

    Example:
        >>> import io
        >>> import jaxeager as paddle
        >>> file = io.BytesIO()
        >>> paddle.save({"w": paddle.to_tensor([1.0, 2.0]), "epoch": 3}, file)
        >>> _ = file.seek(0)
        >>> state = paddle.load(file)
        >>> state["w"].tolist(), state["epoch"]
        ([1.0, 2.0], 3)
    """
    _refuse_configs(configs, "save", ("use_binary_format", "pickle_protocol", "safetensors"))
    if configs.get("use_binary_format"):
        raise UnimplementedError(
            "paddle.save(use_binary_format=True) is not in jaxeager; leave it out to write a "
            ".pdparams file, which Paddle reads as well."
        )
    protocol = configs.get("pickle_protocol", protocol)
    if isinstance(protocol, bool) or not isinstance(protocol, int) or not 2 <= protocol <= 4:
        raise InvalidArgumentError(
            f"The 'protocol' must be an int from 2 to 4, but received {protocol!r}."
        )
    _check_path(path)
    if configs.get("safetensors") or _is_safetensors(path):
        data = _to_safetensors(obj)
        with _writing(path) as file:
            file.write(data)
        return
    plain = _plain_state_dict(obj, protocol) if _is_state_dict(obj) else _plain(obj)
    with _writing(path) as file:
        pickle.dump(plain, file, protocol)


def load(path, **configs) -> Any:
    """Reads what ``save``, or Paddle's ``save``, wrote; no code in the file is ever run.

    Args:
        path: a file name, or an ``io.BytesIO``. A name ending in ``.safetensors`` is read as such.
        **configs: ``return_numpy=True`` gives NumPy arrays instead of tensors (bfloat16 as uint16
            then, as in Paddle); ``keep_name_table=True`` keeps the parameters' names in a state
            dict; ``safetensors=True`` reads that format whatever the name.

    Raises:
        InvalidArgumentError: when there is no such file, or it is no pickle, or one that names
            anything but arrays, numbers, strings and containers.
        UnavailableError: when safetensors is not installed.

    Example:
        >>> import io
        >>> import jaxeager as paddle
        >>> file = io.BytesIO()
        >>> paddle.save(paddle.to_tensor([1.0, 2.0]), file)
        >>> _ = file.seek(0)
        >>> paddle.load(file, return_numpy=True)
        array([1., 2.], dtype=float32)
    """
    allowed = ("return_numpy", "keep_name_table", "safetensors", "model_filename")
    _refuse_configs(configs, "load", (*allowed, "params_filename"))
    for name in ("model_filename", "params_filename"):
        if configs.get(name) is not None:
            raise UnimplementedError(
                f"paddle.load({name}=...) reads inference models; jaxeager reads files written by "
                "paddle.save."
            )
    return_numpy = configs.get("return_numpy", False)
    with _reading(path) as file:
        if configs.get("safetensors") or _is_safetensors(path):
            return _from_safetensors(file.read(), path, return_numpy)
        found = restricted_load(file, _shown(path))
    if isinstance(found, dict):
        found = _join_slices(found)
        if NAME_TABLE in found:
            return _named_tensors(found, return_numpy, configs.get("keep_name_table", False))
    return _restore(found, return_numpy, _has_named(found))


# ---- paths and bytes


def _refuse_configs(configs: dict, function: str, allowed: tuple[str, ...]) -> None:
    for name in configs:
        if name not in allowed:
            raise InvalidArgumentError(
                f"The additional config ({name}) of `paddle.{function}` is not supported; it takes "
                f"{', '.join(allowed)}."
            )


def _check_path(path) -> None:
    if isinstance(path, io.BytesIO):
        return
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidArgumentError(
            f"only supports saving objects to file and `BytesIO`, but got {type(path)}"
        )
    if os.path.basename(os.fspath(path)) == "":
        raise InvalidArgumentError(
            "The input path MUST be format of dirname/filename, but received filename is empty "
            f"string: {os.fspath(path)!r}."
        )


def _shown(path) -> str:
    return "the buffer" if isinstance(path, io.BytesIO) else os.fspath(path)


def _is_safetensors(path) -> bool:
    return isinstance(path, (str, os.PathLike)) and os.fspath(path).endswith(".safetensors")


@contextlib.contextmanager
def _writing(path) -> Iterator[Any]:
    """Opens a file beside its place, renamed when it is whole, so that nobody sees half of it."""
    if isinstance(path, io.BytesIO):
        yield path
        return
    folder, name = os.path.split(os.fspath(path))
    os.makedirs(folder or ".", exist_ok=True)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(6)}")
    try:
        with open(temporary, "xb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def _reading(path) -> Iterator[Any]:
    """Opens a file; InvalidArgumentError or InvalidTypeError when it cannot be one."""
    if isinstance(path, io.BytesIO):
        yield path
        return
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(
            f"paddle.load takes a file name or `BytesIO`, but got {type(path).__name__}."
        )
    if not os.path.isfile(path):
        hint = ""
        for ending in (".pdparams", ".pdopt"):
            if os.path.isfile(f"{os.fspath(path)}{ending}"):
                hint = f" There is {os.fspath(path)}{ending}; give the whole file name."
        raise InvalidArgumentError(f"The ``path`` ({os.fspath(path)}) to load not exists.{hint}")
    with open(path, "rb") as file:
        yield file


# ---- objects to plain containers of arrays


def _array(tensor: Tensor) -> np.ndarray:
    """Returns a tensor's values as Paddle stores them."""
    array = tensor.numpy()
    if array.dtype == np.uint16:
        raise InvalidArgumentError(
            f"{tensor.name} has dtype uint16, which means bfloat16 in Paddle's files. Cast it, or "
            "save it as .safetensors."
        )
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def _is_state_dict(obj) -> bool:
    """Says whether Paddle would write an object as a state dict."""
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
    return isinstance(obj, Tensor)


def _plain_state_dict(state: dict, protocol: int) -> dict:
    """Returns a state dict with arrays for tensors and the table of their names."""
    plain, names = {}, {}
    for key, value in state.items():
        if isinstance(value, Tensor):
            plain[key], names[key] = _array(value), value.name
        else:
            plain[key] = _plain(value)
    plain[NAME_TABLE] = names
    return plain if protocol >= 4 else _cut_slices(plain)


def _cut_slices(plain: dict) -> dict:
    """Cuts arrays too big for old pickle protocols, as Paddle does."""
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


_NUMBERS_AND_TEXT: tuple[Any, ...] = (bool, int, float, complex, str, bytes, bytearray)


def _plain(obj: Any) -> Any:
    """Returns an object with (name, array) for each tensor; refuses what could not be read back."""
    if isinstance(obj, Tensor):
        return (obj.name, _array(obj))
    if isinstance(obj, (np.ndarray, np.generic)) and not obj.dtype.hasobject:
        return obj
    if isinstance(obj, dict):
        mapping = OrderedDict if isinstance(obj, OrderedDict) else dict
        return mapping((_plain(key), _plain(value)) for key, value in obj.items())
    if isinstance(obj, list) or type(obj) is tuple:
        items = [_plain(item) for item in obj]
        return items if isinstance(obj, list) else tuple(items)
    if type(obj) is set and not _contains_tensor(obj):
        return {_plain(item) for item in obj}
    if type(obj) is frozenset and not _contains_tensor(obj):
        return frozenset(_plain(item) for item in obj)
    for kind in _NUMBERS_AND_TEXT:
        if isinstance(obj, kind):
            return obj if type(obj) is kind else kind(obj)
    if obj is None:
        return None
    if hasattr(obj, "state_dict"):
        raise InvalidArgumentError(
            f"paddle do not support saving a {type(obj).__name__} object; save its state_dict()."
        )
    raise InvalidTypeError(
        f"paddle.save cannot write a {type(obj).__name__}: it writes tensors, arrays, numbers, "
        "strings, None, and dicts, lists, tuples and sets of them (sets without tensors)."
    )


# ---- plain containers of arrays to objects


def _join_slices(found: dict) -> dict:
    """Puts arrays together that old pickle protocols had cut."""
    table = found.pop(SLICE_TABLE, {})
    for key, parts in table.items():
        arrays = [found.pop(name) for name in parts["slices"]]
        found[key] = np.concatenate(arrays).reshape(parts["OriginShape"])
    return found


def _named_tensors(found: dict, return_numpy: bool, keep_name_table: bool) -> dict:
    """Returns a state dict with named tensors for the arrays of its table."""
    names = found[NAME_TABLE]
    for key, name in names.items():
        if isinstance(found.get(key), np.ndarray) and not return_numpy:
            found[key] = _tensor(found[key], name)
    if not keep_name_table:
        del found[NAME_TABLE]
    return found


def _tensor(array: np.ndarray, name: str | None = None) -> Tensor:
    if array.dtype == np.uint16:
        array = array.view(ml_dtypes.bfloat16)
    tensor = to_tensor(array)
    if name:
        tensor.name = name
    return tensor


def _is_named(obj) -> bool:
    """Says whether this is what ``save`` makes of a tensor."""
    return (
        isinstance(obj, tuple)
        and len(obj) == 2
        and isinstance(obj[0], str)
        and isinstance(obj[1], np.ndarray)
    )


def _has_named(obj) -> bool:
    if isinstance(obj, dict):
        return any(map(_has_named, obj.values()))
    return _is_named(obj) or (isinstance(obj, (list, tuple)) and any(map(_has_named, obj)))


def _restore(obj, return_numpy: bool, has_named: bool):
    """Returns an object with tensors again: of its (name, array) tuples, or of all its arrays."""
    if _is_named(obj):
        return obj[1] if return_numpy else _tensor(obj[1], obj[0])
    if isinstance(obj, dict):
        for key, value in obj.items():
            obj[key] = _restore(value, return_numpy, has_named)
        return obj
    if isinstance(obj, (list, tuple, set, frozenset)):
        return type(obj)(_restore(item, return_numpy, has_named) for item in obj)
    if isinstance(obj, np.ndarray) and not has_named and not return_numpy:
        return _tensor(obj)
    return obj


# ---- safetensors

_SAFETENSORS_DTYPES = {
    **{f"F{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    **{f"I{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    "BOOL": np.dtype(bool),
    "C64": np.dtype(np.complex64),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
    "F8_E5M2": np.dtype(ml_dtypes.float8_e5m2),
}


def _to_safetensors(obj) -> bytes:
    if not isinstance(obj, dict) or not all(isinstance(v, Tensor) for v in obj.values()):
        kinds = sorted({type(v).__name__ for v in obj.values()}) if isinstance(obj, dict) else ""
        raise InvalidArgumentError(
            "safetensors holds a flat dict of tensors, such as layer.state_dict(), but received "
            f"{type(obj).__name__} {kinds}. Save it as .pdparams or .pdopt."
        )
    package = _safetensors()
    arrays = {key: np.ascontiguousarray(read_array(tensor)) for key, tensor in obj.items()}
    for key, array in arrays.items():
        if array.dtype not in _SAFETENSORS_DTYPES.values():
            raise InvalidArgumentError(
                f"safetensors cannot hold {key!r}, of dtype {array.dtype}. Save it as .pdparams."
            )
    shaped = {key: array.reshape(obj[key].shape) for key, array in arrays.items()}
    return package.numpy.save(shaped)


def _from_safetensors(data: bytes, path, return_numpy: bool) -> dict:
    package, found = _safetensors(), {}
    try:
        parts = package.deserialize(data)
    except package.SafetensorError as error:
        raise InvalidArgumentError(f"{_shown(path)} is no safetensors file: {error}.") from None
    for key, part in parts:
        dtype = _SAFETENSORS_DTYPES.get(part["dtype"])
        if dtype is None:
            raise UnimplementedError(
                f"{key!r} in {_shown(path)} has dtype {part['dtype']}, which is not in jaxeager."
            )
        array = np.frombuffer(part["data"], dtype).reshape(part["shape"])
        found[key] = array.copy() if return_numpy else to_tensor(array)
    return found


def _safetensors():
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise UnavailableError(_SAFETENSORS_LINE) from None
    return safetensors
