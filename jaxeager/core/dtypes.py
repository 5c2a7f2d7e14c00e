"""Paddle's dtype objects over NumPy's, and the default floating dtype."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from jaxeager.core.further_names import also_named
from jaxeager.errors import InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


class DType:
    """One element type, as ``paddle.float32`` is.

    It equals the same dtype written in any other form (``"float32"``, ``np.float32``,
    ``jnp.float32``), and NumPy and JAX accept it as a dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0]).dtype == "float32"
        True
        >>> print(paddle.float32, paddle.float32.itemsize)
        paddle.float32 4
    """

    __slots__ = ("dtype", "name")

    def __init__(self, numpy_dtype: np.dtype):
        self.dtype = numpy_dtype
        self.name = numpy_dtype.name

    @property
    def itemsize(self) -> int:
        """Return the size of one element, in bytes."""
        return self.dtype.itemsize

    def __repr__(self) -> str:
        return f"paddle.{self.name}"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        if isinstance(other, Enum):  # a VarType, which Paddle calls different
            return NotImplemented
        try:
            return to_numpy(other) == self.dtype
        except (TypeError, ValueError):  # comparing with a Tensor compares its elements
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self):
        return as_dtype, (self.dtype if self.name == "uint16" else self.name,)


NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 "
    "float16 bfloat16 float32 float64 complex64 complex128 float8_e4m3fn float8_e5m2"
).split()


def _numpy_dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


_BY_NUMPY = {_numpy_dtype(name): DType(_numpy_dtype(name)) for name in NAMES}
_BY_NAME = {dtype.name: dtype for dtype in _BY_NUMPY.values()}
_ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "int": "int32",
    "uint16": "bfloat16",  # see Note [uint16]
}  # fmt: skip

uint8, uint16, uint32, uint64 = (_BY_NAME[f"uint{bits}"] for bits in (8, 16, 32, 64))
int8, int16, int32, int64 = (_BY_NAME[f"int{bits}"] for bits in (8, 16, 32, 64))
float16, bfloat16 = _BY_NAME["float16"], _BY_NAME["bfloat16"]
float32, float64 = _BY_NAME["float32"], _BY_NAME["float64"]
float8_e4m3fn, float8_e5m2 = _BY_NAME["float8_e4m3fn"], _BY_NAME["float8_e5m2"]
complex64, complex128 = _BY_NAME["complex64"], _BY_NAME["complex128"]
bool_ = _BY_NAME["bool"]
FLOATS = frozenset(_numpy_dtype(n) for n in ("float16", "bfloat16", "float32", "float64"))
COMPLEX = frozenset(_numpy_dtype(n) for n in ("complex64", "complex128"))
HALF = frozenset(_numpy_dtype(n) for n in ("float16", "bfloat16"))


for _name, _dtype in _BY_NAME.items():  # paddle.dtype.FLOAT32
    setattr(DType, _name.upper(), _dtype)


def as_dtype(dtype: object) -> DType:
    """Return the DType for a DType, name, NumPy or JAX dtype.

    Raises:
        InvalidTypeError: when it is not a supported element type.

    Example:
        >>> from jaxeager.core import dtypes
        >>> dtypes.as_dtype("int64")
        paddle.int64
    """
    if type(dtype) is DType:
        return dtype
    try:
        return _BY_NUMPY[to_numpy(dtype)]
    except (KeyError, TypeError):
        raise InvalidTypeError(
            f"dtype must be one of {', '.join(NAMES)}, but received {dtype!r}."
        ) from None


def to_numpy(dtype: Any) -> np.dtype:
    """Return the np.dtype for a DType, name, NumPy or JAX dtype.

    Note [uint16]: NumPy has no bfloat16, so Paddle's programs name it "uint16" or np.uint16, and
    write its bits into arrays of that dtype. ``paddle.uint16`` and ``np.dtype("uint16")`` are the
    16-bit integers.

    Raises:
        InvalidTypeError: when it is not an element type.

    Example:
        >>> from jaxeager.core import dtypes
        >>> dtypes.to_numpy("bfloat16").itemsize
        2
        >>> dtypes.to_numpy("uint16")
        dtype(bfloat16)
    """
    if type(dtype) is DType:
        return dtype.dtype
    if dtype is np.uint16:
        return bfloat16.dtype
    if isinstance(dtype, str):
        name = dtype.removeprefix("paddle.")
        found = _BY_NAME.get(_ALIASES.get(name, name))
        if found is None:
            raise InvalidTypeError(
                f"dtype must be one of {', '.join(NAMES)}, but received {dtype!r}."
            )
        return found.dtype
    if dtype is None:
        raise InvalidTypeError("dtype must be given, but received None.")
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError):  # a ValueError of a Tensor, which NumPy tries to read
        raise InvalidTypeError(
            f"dtype must be one of {', '.join(NAMES)}, but received {dtype!r}."
        ) from None


def of_bits(array: np.ndarray, wanted: np.dtype | None = None) -> np.ndarray:
    """Return the bfloat16 numbers whose bits an array of uint16 holds; other arrays as they are.

    See Note [uint16].

    Args:
        array: any array.
        wanted: the dtype of what the array is for, if that is known: the numbers of a tensor of
            uint16 are no bits.

    Example:
        >>> import numpy as np
        >>> of_bits(np.array([16256], "uint16"))
        array([1], dtype=bfloat16)
    """
    are_bits = array.dtype == np.uint16 and wanted in (None, bfloat16.dtype)
    return array.view(bfloat16.dtype) if are_bits else array


_default = _BY_NAME["float32"].dtype


def get_default_dtype() -> str:
    """Return the name of the dtype of new floating tensors.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.get_default_dtype()
        'float32'
    """
    return _default.name


def set_default_dtype(d: DTypeLike) -> None:
    """Set the dtype of new floating tensors: float16, bfloat16, float32 or float64.

    Raises:
        InvalidTypeError: for any other dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_default_dtype("float64")
        >>> paddle.to_tensor(1.5).dtype
        paddle.float64
        >>> paddle.set_default_dtype("float32")
    """
    global _default
    dtype = to_numpy(d)
    if dtype not in FLOATS:
        raise InvalidTypeError(
            "set_default_dtype only supports [float16, float32, float64, bfloat16] "
            f", but received {dtype.name}"
        )
    _default = dtype


def default_float() -> np.dtype:
    """Return the dtype of new floating tensors, as np.dtype."""
    return _default


def default_complex() -> np.dtype:
    """Return complex128 when the default dtype is float64, else complex64."""
    return np.dtype("complex128" if _default == np.float64 else "complex64")


def is_floating(dtype: np.dtype) -> bool:
    """Return whether an np.dtype is a real floating dtype, bfloat16 and float8 included."""
    return dtype.kind == "f" or (dtype.kind == "V" and dtype in _BY_NUMPY)


class _Limits:
    """The result of ``paddle.finfo`` and ``paddle.iinfo``: limits of a dtype as Python numbers."""

    def __init__(self, kind: str, **limits: object):
        self._kind = kind
        vars(self).update(limits)

    def __repr__(self) -> str:
        limits = [(name, value) for name, value in vars(self).items() if name != "_kind"]
        shown = [f"{name}={_short(value)}" for name, value in limits]
        return f"paddle.{self._kind}({', '.join(shown)})"


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


_float_limits: Callable[[np.dtype], Any] = ml_dtypes.finfo  # which has no types


@also_named("type=dtype")
def finfo(dtype: DTypeLike) -> _Limits:
    """Return the limits of a floating dtype: min, max, eps, resolution, tiny, bits.

    Those of a complex dtype are those of its parts.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.finfo("bfloat16").bits
        16
        >>> print(paddle.finfo("float16").max)
        65504.0
    """
    name = {"complex64": "float32", "complex128": "float64"}.get(to_numpy(dtype).name)
    limits = _float_limits(np.dtype(name) if name else to_numpy(dtype))
    fields = {
        field: float(getattr(limits, field))
        for field in ("min", "max", "eps", "resolution", "smallest_normal", "tiny")
    }
    fields["resolution"] = float(f"1e-{limits.precision}")
    return _Limits("finfo", **fields, bits=limits.bits, dtype=limits.dtype.name)


def iinfo(dtype: DTypeLike) -> _Limits:
    """Return the limits of an integer dtype: min, max, bits.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.iinfo("int8")
        paddle.iinfo(min=-128, max=127, bits=8, dtype=int8)
    """
    limits = np.iinfo(to_numpy(dtype))
    return _Limits(
        "iinfo", min=limits.min, max=limits.max, bits=limits.bits, dtype=limits.dtype.name
    )
