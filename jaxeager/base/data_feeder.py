"""paddle.base.data_feeder: looks at arguments, and names dtypes.

The ``check_...`` functions look at what a static graph is given; Paddle's look at nothing where ops
run when they are called, and neither do these: the ops look for themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.core import dtypes

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


def check_type(
    input: Any, input_name: str, expected_type: Any, op_name: str, extra_message: str = ""
) -> None:
    """Look at nothing: an argument's type is looked at by the op itself.

    Args:
        input: the argument.
        input_name: its name.
        expected_type: what it should be.
        op_name: the op.
        extra_message: what an error would add.
    """


def check_dtype(
    input_dtype: Any,
    input_name: str,
    expected_dtype: Sequence[str],
    op_name: str,
    extra_message: str = "",
) -> None:
    """Look at nothing: an argument's dtype is looked at by the op itself.

    Args:
        input_dtype: the dtype.
        input_name: the argument's name.
        expected_dtype: what it should be.
        op_name: the op.
        extra_message: what an error would add.
    """


def check_variable_and_dtype(
    input: Any,
    input_name: str,
    expected_dtype: Sequence[str],
    op_name: str,
    extra_message: str = "",
) -> None:
    """Look at nothing: an argument is looked at by the op itself.

    Args:
        input: the argument.
        input_name: its name.
        expected_dtype: which dtype it should have.
        op_name: the op.
        extra_message: what an error would add.
    """


def check_shape(shape: Any, op_name: str, *expected: Any) -> None:
    """Look at nothing: a shape is looked at by the op itself.

    Args:
        shape: the shape.
        op_name: the op.
        *expected: what it should be made of.
    """


def convert_dtype(dtype: DTypeLike) -> str:
    """Return the name of a dtype; that of bfloat16 is "uint16", as its bits go by.

    Args:
        dtype: in any of its spellings.

    Raises:
        InvalidTypeError: when it is none.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.data_feeder.convert_dtype(paddle.float32)
        'float32'
    """
    name = dtypes.as_dtype(dtype).name
    return "uint16" if name == "bfloat16" else name


def convert_float_to_uint16(data: Any, data_format: str = "NCHW") -> np.ndarray:
    """Return the bits of numbers as bfloat16.

    Args:
        data: float32 array.
        data_format: the order of its axes, which stays.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.data_feeder.convert_float_to_uint16([1.5, 2.0]).tolist()
        [16320, 16384]
    """
    bfloat16 = dtypes.as_dtype("bfloat16").dtype
    return np.asarray(data, np.float32).astype(bfloat16).view(np.uint16)


def convert_uint16_to_float(data: Any) -> np.ndarray:
    """Return the numbers that bits of bfloat16 are.

    Args:
        data: uint16 array.

    Example:
        >>> import jaxeager as paddle, numpy as np
        >>> paddle.base.data_feeder.convert_uint16_to_float(np.uint16([16320])).tolist()
        [1.5]
    """
    bfloat16 = dtypes.as_dtype("bfloat16").dtype
    return np.asarray(data, np.uint16).view(bfloat16).astype(np.float32)
