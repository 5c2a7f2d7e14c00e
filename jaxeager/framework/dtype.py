"""paddle.framework.dtype: dtypes."""

from jaxeager.core.dtypes import DType as dtype
from jaxeager.core.dtypes import (
    bfloat16,
    complex64,
    complex128,
    finfo,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from jaxeager.core.dtypes import bool_ as bool

__all__ = [
    "bfloat16",
    "bool",
    "complex64",
    "complex128",
    "dtype",
    "finfo",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]  # fmt: skip
