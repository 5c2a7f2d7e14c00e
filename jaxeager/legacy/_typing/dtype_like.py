"""paddle._typing.dtype_like: types of element types."""

from typing import Literal, TypeAlias

import numpy as np

from jaxeager.core.dtypes import DType

_DTypeLiteral: TypeAlias = Literal[
    "bool", "int8", "int16", "int32", "int64", "uint8",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
_DTypeNumpy: TypeAlias = type[np.bool_ | np.number] | np.dtype

DTypeLike: TypeAlias = DType | _DTypeNumpy | _DTypeLiteral
