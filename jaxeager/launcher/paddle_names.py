"""The visible parts of Paddle besides its names: versions, and the names of printed classes."""

from __future__ import annotations

import jaxeager
from jaxeager import version
from jaxeager.core.dtypes import DType
from jaxeager.tensor import Parameter, Tensor

# The numbers of Paddle's data types, which their repr() shows.
_NUMBERS = {
    "bool": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "uint32": 6, "int32": 7,
    "uint64": 8, "int64": 9, "float32": 10, "float64": 11, "complex64": 12, "complex128": 13,
    "float16": 15, "bfloat16": 16, "float8_e4m3fn": 17, "float8_e5m2": 18,
}  # fmt: skip
_before: list[tuple[object, str, object]] = []  # changed attributes and their previous values


def put_on() -> None:
    """Give versions and classes the names of Paddle's.

    Only classes whose objects are pickled by functions of jaxeager are renamed: a pickle made under
    the launcher can be read without it.
    """
    for owner, name, value in _settings():
        _before.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)


def take_off() -> None:
    """Undo ``put_on``."""
    while _before:
        setattr(*_before.pop())


def _settings() -> list[tuple[object, str, object]]:
    """Return (owner, name of an attribute, value)."""
    major, minor, patch = version.paddle_version.split(".")
    found: list[tuple[object, str, object]] = [
        (jaxeager, "__version__", version.paddle_version),
        (version, "full_version", version.paddle_version),
        (version, "major", major),
        (version, "minor", minor),
        (version, "patch", patch),
        (DType, "__module__", "paddle"),
        (DType, "__qualname__", "dtype"),
        (DType, "__name__", "dtype"),
        (DType, "__str__", DType.__repr__),
        (DType, "__repr__", _repr_of_dtype),
    ]
    for kind in _classes_of(Tensor):
        found.append((kind, "__module__", "paddle"))
    for kind in _classes_of(Parameter):
        found.append((kind, "__module__", "paddle.base.framework"))
        found.append((kind, "__qualname__", "EagerParamBase"))
    return found


def _classes_of(kind: type) -> list[type]:
    """Return a class of tensors and the classes that replace it while a view is stale."""
    stale = [each for each in kind.__subclasses__() if vars(each).get("_fresh_class") is kind]
    return [kind, *stale]


def _repr_of_dtype(dtype: DType) -> str:
    return f"<DataType.{dtype.name.upper()}: {_NUMBERS[dtype.name]}>"
