"""Shapes, elements and Fourier transforms."""

import jaxeager as paddle
from jaxeager.legacy._C_ops_by_hand.placing import placed


def slice(input, axes, starts, ends, infer_flags=None, decrease_axis=None):
    """Return a slice of a tensor, without the axes in ``decrease_axis``."""
    found = paddle.slice(input, axes, starts, ends)
    return found.squeeze(list(decrease_axis)) if decrease_axis else found


def expand_as(x, y, target_shape=None):
    """Return x, broadcast to a shape or to the shape of another tensor."""
    return paddle.expand(x, list(target_shape or ()) if y is None else list(y.shape))


def view_shape(input, dims):
    """Return a view of another shape."""
    return paddle.view(input, dims)


def view_dtype(input, dtype):
    """Return a view with another dtype."""
    return paddle.view(input, dtype)


def view_slice(input, begin_idx, end_idx):
    """Return a view of a slice of the first axis."""
    return input[begin_idx:end_idx]


def shape64(input):
    """Return the shape as a tensor."""
    return paddle.to_tensor(list(input.shape), "int64")


def increment_(x, value=1.0):
    """Add a number to a tensor, in place."""
    return paddle.increment(x, value)


def fill(x, value):
    """Return a tensor like x, filled with a value."""
    return paddle.full_like(x, value)


def full_(output, shape, value, dtype=None, place=None):
    """Fill a tensor with a value, in place, and return it."""
    filled = paddle.full(shape, value, dtype or output.dtype)
    return paddle.assign(placed(filled, place), output)


def full_with_tensor(value, shape, dtype):
    """Return a tensor filled with the value of another one."""
    return paddle.full(shape, value.item(), dtype)


def repeat_interleave_with_tensor_index(x, repeats, axis, output_size=-1):
    """Return x with its elements repeated along an axis, as often as a tensor of counts states."""
    return paddle.repeat_interleave(x, repeats, axis)


def rint(x):
    """Return the nearest integers; ties go to the even one."""
    return paddle.round(x)


def trunc_divide(x, y):
    """Return quotients rounded toward zero."""
    return paddle.trunc(paddle.divide(x, y)).astype(x.dtype)


def elementwise_pow(x, y):
    """Return x to the power of y."""
    return paddle.pow(x, y)


def tril_indices(rows, cols, offset, dtype, place=None):
    """Return the indices of the elements on and below a diagonal, int[2, n]."""
    return placed(paddle.tril_indices(rows, cols, offset, dtype), place)


def triu_indices(row, col, offset, dtype, place=None):
    """Return the indices of the elements on and above a diagonal, int[2, n]."""
    return placed(paddle.triu_indices(row, col, offset, dtype), place)


def range_v2(start, end, step, dtype, place=None):
    """Return the numbers from a start to an end, without the end."""
    return placed(paddle.arange(start, end, step, dtype), place)


def unique(x, return_index, return_inverse, return_counts, axis, dtype):
    """Return the distinct elements, their indices, the inverse indices and the counts."""
    return paddle.unique(x, True, True, True, axis[0] if axis else None, dtype)


def einsum(x, equation):
    """Return the Einstein summation of tensors."""
    return paddle.einsum(equation, *x), [], []


def fft_c2c(x, axes, normalization, forward):
    """Return the Fourier transform along axes, or its inverse."""
    function = paddle.fft.fftn if forward else paddle.fft.ifftn
    return function(x, None, axes, normalization)


def fft_r2c(x, axes, normalization, forward, onesided):
    """Return the Fourier transform of real numbers along axes."""
    if not onesided:
        return fft_c2c(paddle.complex(x, paddle.zeros_like(x)), axes, normalization, forward)
    function = paddle.fft.rfftn if forward else paddle.fft.ihfftn
    return function(x, None, axes, normalization)


def fft_c2r(x, axes, normalization, forward, last_dim_size=0):
    """Return the real numbers from the first half of their Fourier transform."""
    size = last_dim_size or 2 * (x.shape[axes[-1]] - 1)
    sizes = [*(x.shape[axis] for axis in axes[:-1]), size]
    function = paddle.fft.hfftn if forward else paddle.fft.irfftn
    return function(x, sizes, axes, normalization)
