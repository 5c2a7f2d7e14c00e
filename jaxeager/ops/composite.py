"""Public functions that Paddle records as several ops, or as none: std, norm, outer, rank, ..."""

import math

import jax.numpy as jnp
import numpy as np

from jaxeager import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.ops.attrs import as_int
from jaxeager.ops.axes import count_of, normal_axes, normal_axis
from jaxeager.ops.dispatch import wrap
from jaxeager.ops.gather import axis_of
from jaxeager.ops.joining import concat
from jaxeager.ops.linalg import matmul
from jaxeager.ops.manipulation import flip, reshape, transpose, unsqueeze
from jaxeager.ops.reduction import max as max_over
from jaxeager.ops.reduction import mean
from jaxeager.ops.reduction import min as min_over
from jaxeager.ops.reduction import sum as sum_over
from jaxeager.ops.row import composite
from jaxeager.ops.selecting import where
from jaxeager.ops.vector_norm import frobenius_norm, p_norm


def _number(value, like):
    """Returns a number as a 0-D tensor of the dtype of another tensor."""
    return wrap(jnp.asarray(value, like._storage.array.dtype))


def _floating(x):
    """Returns x, integers and bool as the default floating dtype."""
    dtype = x._storage.array.dtype
    if dtype in dtypes.FLOATS or dtype in dtypes.COMPLEX:
        return x
    return x.astype(dtypes.get_default_dtype())


# ---- statistics


@composite()
def var(x, axis=None, unbiased=None, keepdim=False, name=None, *, correction=1):
    """Returns the variance of the elements over the given axes.

    Paddle: the variance of an integer tensor is computed, and returned, in integers. Here it is
    computed in the default floating dtype.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        unbiased: True divides by n - 1, False by n; by default ``correction`` decides.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.
        correction: what is taken from n, 1 by default.

    Returns:
        Tensor of the remaining axes; nan where one element is left to divide by n - 1 = 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.var(paddle.to_tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    x = _floating(x)
    if unbiased is not None:
        correction = 1 if unbiased else 0
    try:
        count = count_of(x._storage.array.shape, tuple(axis) if isinstance(axis, list) else axis)
    except ValueError as error:
        raise InvalidArgumentError(f"var: {error}") from None
    squares = x.subtract(mean(x, axis, True)).pow(2.0)
    return sum_over(squares, axis, None, keepdim).divide(_number(max(count - correction, 0), x))


@composite()
def std(x, axis=None, unbiased=True, keepdim=False, name=None):
    """Returns the standard deviation of the elements over the given axes.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        unbiased: whether to divide by n - 1 instead of n.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.std(paddle.to_tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    return var(x, axis, unbiased, keepdim).sqrt()


@composite()
def nansum(x, axis=None, dtype=None, keepdim=False, name=None):
    """Returns the sum of the elements that are not nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nansum(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
        3.0
    """
    return sum_over(where(x.isnan(), _number(0, x), x), axis, dtype, keepdim)


@composite()
def nanmean(x, axis=None, keepdim=False, name=None):
    """Returns the mean of the elements that are not nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nanmean(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
        1.5
    """
    x = _floating(x)
    count = sum_over(x.isnan().logical_not().astype(x.dtype), axis, None, keepdim)
    return nansum(x, axis, None, keepdim).divide(count)


@composite()
def count_nonzero(x, axis=None, keepdim=False, name=None):
    """Returns how many elements are not zero, as int64.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.count_nonzero(paddle.to_tensor([0.0, 2.0, 3.0])).item()
        2
    """
    return sum_over(x.astype("bool").astype("int64"), axis, None, keepdim)


@composite()
def norm(x, p=None, axis=None, keepdim=False, name=None):
    """Returns a norm of a tensor: of vectors along an axis, of matrices over two axes.

    Args:
        x: floating tensor of any shape.
        p: order; 2 by default. "fro" is the root of the sum of squares. Over two axes also 1, -1,
            inf and -inf (the largest or smallest sum of a column or row).
        axis: int, or list of one or two ints; without it all elements form one vector.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes.

    Raises:
        InvalidArgumentError: for an order or number of axes that does not exist.
        UnimplementedError: for norms of singular values: "nuc", 2 and -2 over two axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.norm(paddle.to_tensor([3.0, 4.0])).item()
        5.0
    """
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, (list, tuple)):
        return _matrix_norm(x, p, [as_int(each, "axis") for each in axis], keepdim)
    if p == "nuc":
        return _matrix_norm(x, p, axis, keepdim)
    if isinstance(p, str) and p != "fro":
        raise InvalidArgumentError(f"norm: p must be a number, 'fro' or 'nuc', not {p!r}.")
    order = 2.0 if p is None or p == "fro" else float(p)
    if axis is None:
        return p_norm(x, order, -1, 1e-12, keepdim, True)
    return p_norm(x, order, axis_of(x, axis), 1e-12, keepdim, False)


def _matrix_norm(x, p, axes, keepdim):
    if p in ("nuc", None, 2, -2):
        raise UnimplementedError(
            f"norm: order {2 if p is None else p!r} of matrices needs their singular values, "
            "which jaxeager does not have yet. Orders 'fro', 1, -1, inf and -inf exist."
        )
    if len(axes) != 2:
        raise InvalidArgumentError(f"norm: takes one axis or two, but received {axes}.")
    if p == "fro":
        return frobenius_norm(x, axes, keepdim)
    if p not in (1, -1, math.inf, -math.inf):
        raise InvalidArgumentError(
            f"norm: p must be 'fro', 'nuc', 1, -1, inf, -inf, 2 or -2 over two axes, not {p!r}."
        )
    first, second = axes if abs(p) == 1 else axes[::-1]
    sums = p_norm(x, 1.0, first, 1e-12, True, False)
    out = (max_over if p > 0 else min_over)(sums, second, True)
    return out if keepdim else out.squeeze(axes)


# ---- products


@composite()
def mm(input, mat2, name=None):
    """Returns the product of two matrices; see ``matmul``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.mm(paddle.ones([2, 3]), paddle.ones([3, 1])).tolist()
        [[3.0], [3.0]]
    """
    return matmul(input, mat2)


@composite()
def inner(x, y, name=None):
    """Returns the sums of products over the last dimensions of two tensors.

    Args:
        x: tensor [..., d].
        y: tensor [..., d]; with a 0-D tensor it is a multiplication.
        name: accepted for compatibility.

    Returns:
        Tensor of shape ``x.shape[:-1] + y.shape[:-1]``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inner(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).item()
        11.0
    """
    if x.ndim == 0 or y.ndim == 0:
        return x.multiply(y)
    product = matmul(x.reshape([-1, x.shape[-1]]), y.reshape([-1, y.shape[-1]]), False, True)
    return product.reshape(x.shape[:-1] + y.shape[:-1])


@composite()
def outer(x, y, name=None):
    """Returns the products of every element of ``x`` with every element of ``y``.

    Args:
        x: tensor of n elements.
        y: tensor of m elements.
        name: accepted for compatibility.

    Returns:
        Tensor [n, m].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.outer(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
        [[3.0, 4.0], [6.0, 8.0]]
    """
    return x.reshape([-1, 1]).multiply(y.reshape([1, -1]))


@composite()
def tensordot(x, y, axes=2, name=None):
    """Returns the sums of products over several dimensions of two tensors.

    Args:
        x: tensor of any shape.
        y: tensor of any shape.
        axes: how many of the last dimensions of ``x`` meet the first of ``y``, or two lists of
            dimensions that meet (one list stands for both).
        name: accepted for compatibility.

    Returns:
        Tensor of the dimensions of ``x`` and then of ``y`` that did not meet.

    Raises:
        InvalidArgumentError: when dimensions that meet differ in size.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), 1).shape
        [2, 4]
    """
    left, right = _meeting_axes(x.ndim, y.ndim, axes)
    sizes = [x.shape[i] for i in left], [y.shape[i] for i in right]
    if sizes[0] != sizes[1]:
        raise InvalidArgumentError(
            f"tensordot: dimensions {left} of x and {right} of y must have the same sizes, but "
            f"have {sizes[0]} and {sizes[1]}."
        )
    stays = [i for i in range(x.ndim) if i not in left], [i for i in range(y.ndim) if i not in right]
    shape = [x.shape[i] for i in stays[0]] + [y.shape[i] for i in stays[1]]
    length = math.prod(sizes[0])
    rows = math.prod(x.shape[i] for i in stays[0])
    columns = math.prod(y.shape[i] for i in stays[1])
    x = reshape(transpose(x, stays[0] + left), [rows, length])
    y = reshape(transpose(y, right + stays[1]), [length, columns])
    return reshape(matmul(x, y), shape)


def _meeting_axes(x_ndim: int, y_ndim: int, axes) -> tuple[list[int], list[int]]:
    if hasattr(axes, "_storage"):
        axes = axes.tolist()
    if not isinstance(axes, (list, tuple)):
        count = as_int(axes, "axes")
        if not 0 <= count <= min(x_ndim, y_ndim):
            raise InvalidArgumentError(
                f"tensordot: axes must be in [0, {min(x_ndim, y_ndim)}], but received {count}."
            )
        return list(range(x_ndim - count, x_ndim)), list(range(count))
    if all(not isinstance(each, (list, tuple)) for each in axes):
        axes = [axes, axes]
    left, right = axes if len(axes) == 2 else (axes[0], axes[0])
    try:
        return [normal_axis(i, x_ndim) for i in left], [normal_axis(i, y_ndim) for i in right]
    except ValueError as error:
        raise InvalidArgumentError(f"tensordot: {error}") from None


# ---- dimensions in another order


@composite()
def t(input, name=None):
    """Returns a matrix transposed; tensors with fewer dimensions come back as they are.

    Raises:
        InvalidArgumentError: for more than two dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.t(paddle.ones([2, 3])).shape
        [3, 2]
    """
    _check_matrix("t", input)
    return transpose(input, [1, 0]) if input.ndim == 2 else input


@composite()
def t_(input, name=None):
    """Transposes a matrix in place and returns it; see ``t``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 3]).t_().shape
        [3, 2]
    """
    _check_matrix("t_", input)
    return input.transpose_([1, 0]) if input.ndim == 2 else input


def _check_matrix(name: str, x) -> None:
    if x.ndim > 2:
        raise InvalidArgumentError(
            f"{name}: takes a tensor of at most 2 dimensions, but received one of {x.ndim}. "
            "Use transpose() to reorder more."
        )


@composite()
def moveaxis(x, source, destination, name=None):
    """Returns a tensor with dimensions moved; the others keep their order.

    Args:
        x: tensor of any shape.
        source: int, or list of ints: the dimensions to move.
        destination: where they go.
        name: accepted for compatibility.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.moveaxis(paddle.ones([2, 3, 4]), 0, 2).shape
        [3, 4, 2]
    """
    pair = [[each] if isinstance(each, int) else list(each) for each in (source, destination)]
    try:
        sources, targets = (list(normal_axes(tuple(each), x.ndim)) for each in pair)
    except ValueError as error:
        raise InvalidArgumentError(f"moveaxis: {error}") from None
    if len(sources) != len(targets):
        raise InvalidArgumentError(
            f"moveaxis: {len(sources)} dimensions cannot move to {len(targets)} places."
        )
    perm = [i for i in range(x.ndim) if i not in sources]
    for target, each in sorted(zip(targets, sources, strict=True)):
        perm.insert(target, each)
    return transpose(x, perm)


@composite(aliases="swapdims")
def swapaxes(x, axis0, axis1, name=None):
    """Returns a tensor with two dimensions exchanged.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.swapaxes(paddle.ones([2, 3, 4]), 0, 2).shape
        [4, 3, 2]
    """
    perm = list(range(x.ndim))
    first, second = axis_of(x, axis0), axis_of(x, axis1)
    perm[first], perm[second] = second, first
    return transpose(x, perm)


@composite()
def permute(input, *dims):
    """Returns a tensor with its dimensions reordered: ``permute(x, 2, 0, 1)``, or a list.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.permute(paddle.ones([2, 3, 4]), 2, 0, 1).shape
        [4, 2, 3]
    """
    return transpose(input, dims[0] if isinstance(dims[0], (list, tuple)) else dims)


@composite()
def rot90(x, k=1, axes=(0, 1), name=None):
    """Returns a tensor turned by 90 degrees in the plane of two axes, k times.

    Args:
        x: tensor with at least two dimensions.
        k: how often; a negative number turns from the second axis to the first.
        axes: the plane.
        name: accepted for compatibility.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rot90(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [[2.0, 4.0], [1.0, 3.0]]
    """
    first, second = (axis_of(x, axis) for axis in axes)
    if first == second:
        raise InvalidArgumentError(f"rot90: the two axes must differ, but received {list(axes)}.")
    perm = list(range(x.ndim))
    perm[first], perm[second] = second, first
    turns = as_int(k, "k") % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(flip(x, first), second)
    if turns == 1:
        return transpose(flip(x, second), perm)
    return flip(transpose(x, perm), second)


@composite()
def unflatten(x, axis, shape, name=None):
    """Returns a tensor with one dimension split into several.

    Args:
        x: tensor with at least one dimension.
        axis: the dimension.
        shape: its new sizes; one -1 stands for what is left.
        name: accepted for compatibility.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unflatten(paddle.ones([2, 6]), 1, [3, -1]).shape
        [2, 3, 2]
    """
    axis = axis_of(x, axis)
    return reshape(x, [*x.shape[:axis], *shape, *x.shape[axis + 1 :]])


def _at_least(function, inputs):
    outs = [function(each) for each in inputs]
    return outs[0] if len(outs) == 1 else outs


@composite()
def atleast_1d(*inputs, name=None):
    """Returns tensors with at least one dimension: 0-D ones get one.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_1d(paddle.to_tensor(1.0)).shape
        [1]
    """
    return _at_least(lambda x: reshape(x, [1]) if x.ndim == 0 else x, inputs)


@composite()
def atleast_2d(*inputs, name=None):
    """Returns tensors with at least two dimensions: vectors become rows.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_2d(paddle.ones([3])).shape
        [1, 3]
    """

    def widen(x):
        if x.ndim == 0:
            return reshape(x, [1, 1])
        return unsqueeze(x, 0) if x.ndim == 1 else x

    return _at_least(widen, inputs)


@composite()
def atleast_3d(*inputs, name=None):
    """Returns tensors with at least three dimensions: a vector becomes [1, n, 1].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_3d(paddle.ones([3])).shape
        [1, 3, 1]
    """

    def widen(x):
        if x.ndim == 0:
            return reshape(x, [1, 1, 1])
        if x.ndim == 1:
            return unsqueeze(x, [0, 2])
        return unsqueeze(x, 2) if x.ndim == 2 else x

    return _at_least(widen, inputs)


@composite()
def diff(x, n=1, axis=-1, prepend=None, append=None, name=None):
    """Returns the differences between neighbours along an axis, n times over.

    Args:
        x: tensor with at least one dimension.
        n: how often.
        axis: the axis.
        prepend: tensor put in front first.
        append: tensor put behind first.
        name: accepted for compatibility.

    Returns:
        Tensor that is n elements shorter along the axis; bool tensors give bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diff(paddle.to_tensor([1.0, 4.0, 9.0])).tolist()
        [3.0, 5.0]
    """
    axis = axis_of(x, axis)
    if n < 1:
        raise InvalidArgumentError(f"diff: n must be at least 1, but received {n}.")
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(n):
        later, earlier = x[(*before, slice(1, None))], x[(*before, slice(None, -1))]
        x = later.logical_xor(earlier) if x.dtype == dtypes.bool_ else later.subtract(earlier)
    return x


# ---- what a tensor is


@composite()
def numel(x, name=None):
    """Returns the number of elements, as a 0-D int64 tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.numel(paddle.ones([2, 3])).item()
        6
    """
    return wrap(jnp.asarray(x._storage.array.size, np.int64))


@composite()
def rank(input):
    """Returns the number of dimensions, as a 0-D int32 tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rank(paddle.ones([2, 3])).item()
        2
    """
    return wrap(jnp.asarray(input.ndim, np.int32))


@composite(method=False)
def shape(input):
    """Returns the shape, as an int64 tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.shape(paddle.ones([2, 3])).tolist()
        [2, 3]
    """
    return wrap(jnp.asarray(np.asarray(input._storage.array.shape, np.int64)))


@composite()
def is_empty(x, name=None):
    """Returns whether a tensor has no elements, as a 0-D bool tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_empty(paddle.ones([0, 3])).item()
        True
    """
    return wrap(jnp.asarray(x._storage.array.size == 0))


@composite()
def is_tensor(x):
    """Returns whether an object is a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_tensor(paddle.ones([1])), paddle.is_tensor([1.0])
        (True, False)
    """
    return hasattr(x, "_storage")


def _check_tensor(name: str, x) -> None:
    if not hasattr(x, "_storage"):
        raise InvalidTypeError(f"{name}: takes a Tensor, but received {type(x).__name__}.")


@composite()
def is_complex(x):
    """Returns whether a tensor holds complex numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_complex(paddle.ones([1]))
        False
    """
    _check_tensor("is_complex", x)
    return x._storage.array.dtype in dtypes.COMPLEX


@composite()
def is_floating_point(x):
    """Returns whether a tensor holds floating-point numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_floating_point(paddle.ones([1]))
        True
    """
    _check_tensor("is_floating_point", x)
    return x._storage.array.dtype in dtypes.FLOATS


@composite()
def is_integer(x):
    """Returns whether a tensor holds integers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_integer(paddle.to_tensor([1, 2]))
        True
    """
    _check_tensor("is_integer", x)
    return jnp.issubdtype(x._storage.array.dtype, np.integer)


@composite(method=False)
def broadcast_shape(x_shape, y_shape):
    """Returns the shape two shapes are broadcast to, as a list.

    Raises:
        InvalidArgumentError: when they do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_shape([2, 1], [3])
        [2, 3]
    """
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        raise InvalidArgumentError(
            f"The shapes {list(x_shape)} and {list(y_shape)} do not broadcast."
        ) from None
