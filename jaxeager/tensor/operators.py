"""Tensor's operators, and its methods from the op table.

The recorded ops are Paddle's: ``x * 2`` is one ``scale``, ``x / 2`` one ``div_scale``.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.closures import closure_of
from jaxeager.ops.call.signature import operator_function
from jaxeager.ops.elementwise.composite_math import positive
from jaxeager.ops.indexing.getitem import getitem
from jaxeager.ops.indexing.setitem import setitem
from jaxeager.ops.register import METHODS
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.promotion import NUMBERS, SCALES, number_dtype
from jaxeager.tensor.methods import TableMethods

_op = SimpleNamespace(**{name: row.function for name, row in ROWS.items()})
# As in Paddle, these operators accept NumPy arrays, which the functions refuse.
_array_op = SimpleNamespace(**{
    name: operator_function(ROWS[name])
    for name in (
        "floor_divide", "remainder", "elementwise_pow", "matmul", "equal", "not_equal",
        "less_than", "less_equal", "greater_than", "greater_equal",
    )
})  # fmt: skip


def _for_scale(x, number):
    """Return x in the dtype for arithmetic with a number."""
    dtype = x._array.aval.dtype
    if dtype in dtypes.FLOATS:
        return x
    target = number_dtype(number, dtype)
    return x if target == dtype else dispatch.cast(x, target)


def _plus_number(x, y):
    return _scale(_for_scale(x, y), scalars=(None, y))


def _minus_number(x, y):
    return _scale(_for_scale(x, y), scalars=(None, -y))


def _times_number(x, y):
    return _scale(_for_scale(x, y), scalars=(y, None))


def _over_number(x, y):
    return _div_scale(x, scalars=(y,))


_scale: Any = closure_of(ROWS["scale"])
_div_scale: Any = closure_of(ROWS["div_scale"])
_add = operator_function(ROWS["add"], SCALES, _plus_number)
_subtract = operator_function(ROWS["subtract"], SCALES, _minus_number)
_multiply = operator_function(ROWS["multiply"], SCALES, _times_number)
_divide = operator_function(ROWS["divide"], SCALES, _over_number)


def _rsubtract(x, y):
    if type(y) in SCALES:
        return _op.scale(_for_scale(x, y), -1, y)
    return _subtract(y, x)


def _rdivide(x, y):
    return _divide(dispatch.promote_to_float(y), dispatch.promote_to_float(x))


def _checked(function):
    """Add a check for integer tensors divided by the number 0, where XLA returns some integer."""

    def divide(x, y):
        if type(y) in NUMBERS and y == 0 and x._array.dtype.kind in "iub":
            raise InvalidArgumentError(
                f"{function.__name__}: an integer tensor cannot be divided by {y!r}."
            )
        return function(x, y)

    return divide


def _power(x, y):
    if type(y) in NUMBERS:
        return _op.pow(_for_scale(x, y), y)
    return _array_op.elementwise_pow(x, y)


def _rpower(x, y):
    return _array_op.elementwise_pow(y, x)


def _negate(x):
    return _op.scale(x, -1, None)


def _invert(x, out=None, name=None):
    invert = _op.logical_not if x._array.dtype == np.bool_ else _op.bitwise_not
    return invert(x) if out is None else invert(x, out=out)


def _filled(x, value):
    """Return a bool tensor of the shape of ``x`` with one value, the answer about a text."""
    return _op.fill(dispatch.cast(x.detach(), np.dtype(np.bool_)), value)


def _equal(x, y):
    if y is None:
        return False
    return _filled(x, False) if isinstance(y, str) else _array_op.equal(x, y)


def _not_equal(x, y):
    if y is None:
        return True
    return _filled(x, True) if isinstance(y, str) else _array_op.not_equal(x, y)


def _swapped(function):
    def swapped(x, y):
        return function(y, x)

    swapped.__name__ = f"r{function.__name__}"
    return swapped


def _rlshift(x, y, is_arithmetic=True):
    return _op.bitwise_left_shift(y, x, is_arithmetic)


def _rrshift(x, y, is_arithmetic=True):
    return _op.bitwise_right_shift(y, x, is_arithmetic)


OPERATORS = {
    "__add__": _add, "__radd__": _add, "__sub__": _subtract, "__rsub__": _rsubtract,
    "__mul__": _multiply, "__rmul__": _multiply, "__truediv__": _divide, "__rtruediv__": _rdivide,
    "__div__": _divide, "__rdiv__": _rdivide,  # Python 2 names
    "__floordiv__": _checked(_array_op.floor_divide),
    "__rfloordiv__": _swapped(_array_op.floor_divide),
    "__mod__": _checked(_array_op.remainder), "__rmod__": _swapped(_array_op.remainder),
    "__lshift__": _op.bitwise_left_shift, "__rlshift__": _rlshift,
    "__rshift__": _op.bitwise_right_shift, "__rrshift__": _rrshift,
    "__pow__": _power, "__rpow__": _rpower, "__neg__": _negate,
    "__pos__": positive, "__abs__": _op.abs,
    "__matmul__": _array_op.matmul, "__rmatmul__": _swapped(_array_op.matmul),
    "__eq__": _equal, "__ne__": _not_equal, "__lt__": _array_op.less_than,
    "__le__": _array_op.less_equal, "__gt__": _array_op.greater_than,
    "__ge__": _array_op.greater_equal,
    "__and__": _op.bitwise_and, "__or__": _op.bitwise_or, "__xor__": _op.bitwise_xor,
    "__rand__": _op.bitwise_and, "__ror__": _op.bitwise_or, "__rxor__": _op.bitwise_xor,
    "__invert__": _invert, "__getitem__": getitem, "__setitem__": setitem,
}  # fmt: skip


for _name, _function in {**METHODS, **OPERATORS}.items():
    setattr(TableMethods, _name, _function)
