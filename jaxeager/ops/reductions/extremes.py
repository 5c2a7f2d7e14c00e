"""Rows argmax and argmin: the positions of extremes."""

import numpy as np

from jaxeager.arrays import ordering
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.attrs import DType, WholeAxis
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.far_places import check_reach
from jaxeager.ops.rules.samples import BadInput, Sample, values


def argmax_forward(x, *, axis: WholeAxis = None, keepdim: bool = False, dtype: DType = "int64"):
    """Find the first position of the maximum."""
    return _position(ordering.argmax, x, axis, keepdim, dtype)


def argmin_forward(x, *, axis: WholeAxis = None, keepdim: bool = False, dtype: DType = "int64"):
    """Find the first position of the minimum."""
    return _position(ordering.argmin, x, axis, keepdim, dtype)


def _position(function, x, axis, keepdim, dtype):
    if dtype is None:
        raise ValueError("the value of 'dtype' in argmax and argmin could not be None.")
    if dtype not in (np.int32, np.int64):
        raise ValueError(f"the dtype must be int32 or int64, not {dtype}.")
    if axis is not None:
        axis = normal_axis(axis, x.ndim)
    check_reach(dtype, x.size if axis is None or not x.ndim else x.shape[axis])
    if axis is not None and x.ndim:
        return function(x, axis, keepdim).astype(dtype)
    found = function(x.reshape(-1), 0).astype(dtype)
    return found.reshape((1,) * x.ndim) if keepdim else found


def argmax_reference(x, axis=None, keepdim=False, dtype="int64"):
    """Compute NumPy's argmax."""
    return np.asarray(np.argmax(x, axis=axis, keepdims=keepdim)).astype(dtype)


def argmin_reference(x, axis=None, keepdim=False, dtype="int64"):
    """Compute NumPy's argmin."""
    return np.asarray(np.argmin(x, axis=axis, keepdims=keepdim)).astype(dtype)


def position_samples():
    """Yield flat and along an axis, ties (the first wins), kept dimensions, 0-D."""
    yield Sample(values((2, 3)))
    yield Sample(values((2, 3, 4)), axis=1)
    yield Sample(values((2, 3)), axis=-1, keepdim=True, dtype="int32")
    yield Sample(np.array([[1.0, 5.0, 5.0], [2.0, 2.0, 1.0]]), axis=1)
    yield Sample(np.array([[3, 7, 7], [2, 2, 5]]), axis=0)
    yield Sample(values(()))


def position_errors():
    """Yield an axis out of range, and an empty axis."""
    yield BadInput((np.ones((2, 3)), 5), {}, InvalidArgumentError, "must be in the range [-2, 2)")
    yield BadInput((np.ones((0, 3)), 0), {}, InvalidArgumentError, "empty")


def _position_row(name: str, forward, reference, doc: str):
    return op(
        name,
        forward,
        vjp=NONDIFF,
        reference=reference,
        samples=position_samples,
        errors=position_errors,
        doc=doc,
        example=f"paddle.{name}(paddle.to_tensor([[1.0, 5.0], [7.0, 4.0]]), axis=1)",
    )


argmax = _position_row(
    "argmax", argmax_forward, argmax_reference, "Find the position of the first maximum."
)
argmin = _position_row(
    "argmin", argmin_forward, argmin_reference, "Find the position of the first minimum."
)
