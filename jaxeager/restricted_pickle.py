"""A reader of pickles that cannot run code: what ``load`` reads files with.

Note [Restricted unpickler]
A pickle can call any function it names. ``load`` resolves names from one short table and nothing
else: arrays, dtypes, scalars and plain containers can be made, and no function of the user's
machine can be reached.
"""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from jaxeager.errors import InvalidArgumentError


class _NdarrayName:
    """Stands for numpy.ndarray in a pickle; nothing can be made with it."""

    def __new__(cls, *args):
        raise pickle.UnpicklingError("it makes an array other than NumPy does")


def _empty_array(kind, shape, typecode) -> np.ndarray:
    """Stands for NumPy's _reconstruct: an empty array whose contents follow."""
    if kind is not _NdarrayName:
        raise pickle.UnpicklingError("it asks for an array of a class that is not numpy.ndarray")
    return np.ndarray((0,), "b")


def _array_of_bytes(buffer, dtype, shape, order) -> np.ndarray:
    """Stands for NumPy's _frombuffer."""
    return np.frombuffer(buffer, _checked(dtype)).reshape(shape, order=order).copy()


def _scalar(dtype, data):
    """Stands for NumPy's scalar."""
    return np.frombuffer(data, _checked(dtype), count=1)[0]


def _dtype(spec, align=False, copy=True) -> np.dtype:
    """Stands for numpy.dtype; makes element types without Python objects in them only."""
    return _checked(np.dtype(spec, align=bool(align), copy=True))


def _checked(dtype) -> np.dtype:
    if not isinstance(dtype, np.dtype) or dtype.hasobject:
        raise pickle.UnpicklingError(f"it holds an array of Python objects (dtype {dtype})")
    return dtype


def _latin1(text: str, encoding: str = "latin1") -> bytes:
    """Stands for codecs.encode, which old protocols write bytes with."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it holds bytes in the encoding {encoding!r}")
    return text.encode("latin1")


_NUMPY_FUNCTIONS: dict[str, Callable] = {
    "_reconstruct": _empty_array,
    "_frombuffer": _array_of_bytes,
    "scalar": _scalar,
}
_BUILTINS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        tuple,
        list,
        dict,
        set,
        frozenset,
        complex,
        bytearray,
        bytes,
        int,
        float,
        bool,
        str,
    )
}
_MAKERS: dict[tuple[str, str], Any] = {
    **{
        (f"numpy.{core}.{module}", name): maker
        for core in ("core", "_core")
        for module in ("multiarray", "numeric")
        for name, maker in _NUMPY_FUNCTIONS.items()
    },
    ("numpy", "ndarray"): _NdarrayName,
    ("numpy", "dtype"): _dtype,
    ("_codecs", "encode"): _latin1,
    ("collections", "OrderedDict"): OrderedDict,
    **{
        ("ml_dtypes", kind.__name__): kind
        for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)
    },
    **{("builtins", name): kind for name, kind in _BUILTINS.items()},
    **{("__builtin__", name): kind for name, kind in _BUILTINS.items()},
}


# What unpickling damaged bytes raises beside UnpicklingError.
_DAMAGES = (
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    MemoryError,
)


class _RestrictedUnpickler(pickle.Unpickler):
    """Makes arrays, numbers, strings and containers; see Note [Restricted unpickler]."""

    def find_class(self, module: str, name: str):
        maker = _MAKERS.get((module, name))
        if maker is None:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return maker


def restricted_load(file, name: str):
    """Returns what a pickle file holds, made of arrays, numbers, strings and containers only.

    Args:
        file: open for reading bytes.
        name: what errors call the file.

    Raises:
        InvalidArgumentError: when the file asks for anything else, or is damaged.

    Example:
        >>> import io, pickle
        >>> from jaxeager.restricted_pickle import restricted_load
        >>> restricted_load(io.BytesIO(pickle.dumps({"epoch": 3})), "example")
        {'epoch': 3}
    """
    try:
        return _RestrictedUnpickler(file, encoding="latin1").load()
    except pickle.UnpicklingError as error:
        raise InvalidArgumentError(
            f"`paddle.load` can not parse the file: {name}: {error}. Only arrays, numbers, strings "
            "and containers are read; the file is damaged, of another kind, or not to be trusted."
        ) from None
    except _DAMAGES as error:
        raise InvalidArgumentError(
            f"`paddle.load` can not parse the file: {name}: {type(error).__name__}: {error}. It is "
            "damaged, or was not written by paddle.save."
        ) from None
