"""paddle.base.data_feeder: checks of arguments, and names of dtypes.

The ``check_...`` functions check the arguments of a static graph. Paddle's check nothing in the
dynamic graph, and neither do these: the ops check their own arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.core import dtypes

if TYPE_CHECKING:
    import numpy.typing as npt

    from jaxeager.core.types import DTypeLike


def check_type(
    input: object, input_name: str, expected_type: object, op_name: str, extra_message: str = ""
) -> None:
    """Check nothing: the op itself checks an argument's type.

    Args:
        input: the argument.
        input_name: its name.
        expected_type: the expected type.
        op_name: the op.
        extra_message: text that an error would add.
    """


def check_dtype(
    input_dtype: object,
    input_name: str,
    expected_dtype: Sequence[str],
    op_name: str,
    extra_message: str = "",
) -> None:
    """Check nothing: the op itself checks an argument's dtype.

    Args:
        input_dtype: the dtype.
        input_name: the argument's name.
        expected_dtype: the expected dtype.
        op_name: the op.
        extra_message: text that an error would add.
    """


def check_variable_and_dtype(
    input: object,
    input_name: str,
    expected_dtype: Sequence[str],
    op_name: str,
    extra_message: str = "",
) -> None:
    """Check nothing: the op itself checks an argument.

    Args:
        input: the argument.
        input_name: its name.
        expected_dtype: the expected dtype.
        op_name: the op.
        extra_message: text that an error would add.
    """


def check_shape(shape: object, op_name: str, *expected: object) -> None:
    """Check nothing: the op itself checks a shape.

    Args:
        shape: the shape.
        op_name: the op.
        *expected: the expected types of its elements.
    """


def convert_dtype(dtype: DTypeLike) -> str:
    """Return the name of a dtype; "uint16" for bfloat16, whose bits it holds.

    Args:
        dtype: in any of its spellings.

    Raises:
        InvalidTypeError: when it is not a dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.data_feeder.convert_dtype(paddle.float32)
        'float32'
    """
    name = dtypes.as_dtype(dtype).name
    return "uint16" if name == "bfloat16" else name


def convert_float_to_uint16(data: npt.ArrayLike, data_format: str = "NCHW") -> np.ndarray:
    """Return the bits of numbers in bfloat16.

    Args:
        data: float32 array.
        data_format: the order of its axes; it is kept.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.data_feeder.convert_float_to_uint16([1.5, 2.0]).tolist()
        [16320, 16384]
    """
    bfloat16 = dtypes.as_dtype("bfloat16").dtype
    return np.asarray(data, np.float32).astype(bfloat16).view(np.uint16)


def convert_uint16_to_float(data: npt.ArrayLike) -> np.ndarray:
    """Return the numbers that bits of bfloat16 represent.

    Args:
        data: uint16 array.

    Example:
        >>> import jaxeager as paddle, numpy as np
        >>> paddle.base.data_feeder.convert_uint16_to_float(np.uint16([16320])).tolist()
        [1.5]
    """
    bfloat16 = dtypes.as_dtype("bfloat16").dtype
    return np.asarray(data, np.uint16).view(bfloat16).astype(np.float32)
