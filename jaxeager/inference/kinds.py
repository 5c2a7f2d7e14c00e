"""Data types, places and precisions, as the inference engine numbers them."""

from __future__ import annotations

import enum

import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError


class _Kind(enum.Enum):
    def __int__(self) -> int:
        return self.value


class DataType(_Kind):
    """The types of a tensor's elements, by Paddle's numbers.

    Example:
        >>> import jaxeager as paddle
        >>> int(paddle.inference.DataType.INT64)
        1
    """

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    FLOAT16 = 5
    BOOL = 6
    FLOAT64 = 7
    BFLOAT16 = 8


class PlaceType(_Kind):
    """The places of tensors, by Paddle's numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inference.PlaceType.CPU.value
        0
    """

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 4


class PrecisionType(_Kind):
    """The precisions that settings name, by Paddle's numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inference.PrecisionType.Half.value
        2
    """

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


def data_type_of(dtype: np.dtype) -> DataType:
    """Return the DataType of a dtype.

    Raises:
        InvalidArgumentError: when the inference engine has no such type.
    """
    name = dtypes.as_dtype(dtype).name.upper()
    if name not in DataType.__members__:
        raise InvalidArgumentError(f"paddle.inference has no data type {name.lower()}.")
    return DataType[name]


def get_num_bytes_of_data_type(dtype: DataType) -> int:
    """Return the number of bytes of an element.

    Args:
        dtype: a DataType.

    Paddle: returns -1 for six of the nine.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inference.get_num_bytes_of_data_type(paddle.inference.DataType.BFLOAT16)
        2
    """
    return dtypes.to_numpy(dtype.name.lower()).itemsize
