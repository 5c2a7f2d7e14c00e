"""Axes and shapes that kernels of several families share: pure helpers, checked at trace time."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from numpy.exceptions import AxisError


def normal_axis(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front.

    Raises:
        AxisError: when it is outside [-ndim, ndim); a 0-D tensor takes 0 and -1.
    """
    bound = max(ndim, 1)
    if not -bound <= axis < bound:
        raise AxisError(
            f"the axis must be in the range [{-bound}, {bound}) for a tensor of {ndim} "
            f"dimensions, but received {axis}."
        )
    return axis % bound


def axes_from_front(axis: int | Sequence[int], ndim: int) -> list[int]:
    """Return axes counted from the front, in their order; one may be named twice.

    Raises:
        ValueError: for an axis out of range.
    """
    given = (axis,) if isinstance(axis, int) else axis
    return [normal_axis(each, ndim) for each in given]


def normal_axes(axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Return the axes a reduction runs over: all of them for None or an empty sequence.

    Raises:
        ValueError: for an axis out of range, or one that is named twice.
    """
    if axis is None or axis == ():
        return tuple(range(ndim))
    axes = axes_from_front(axis, ndim)
    if len(set(axes)) < len(axes):
        given = tuple(axis) if isinstance(axis, Sequence) else (axis,)
        raise ValueError(f"the axes must differ from each other, but received {given}.")
    return tuple(axes) if ndim else ()


def lines_over(x: jax.Array, axes: tuple[int, ...]) -> jax.Array:
    """Return x with the given axes merged into one, the last."""
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [x.shape[axis] for axis in rest]
    count = math.prod([x.shape[axis] for axis in axes])
    return jnp.transpose(x, (*rest, *axes)).reshape(*shape, count)


def spread(
    value: jax.Array, shape: tuple[int, ...], axis: int | Sequence[int] | None, keepdim: bool
) -> jax.Array:
    """Broadcast the result of a reduction back over the shape that was reduced."""
    axes = normal_axes(axis, len(shape))
    if not keepdim:
        value = jnp.expand_dims(value, axes)
    return jnp.broadcast_to(value, shape)


def count_of(shape: tuple[int, ...], axis: int | Sequence[int] | None) -> int:
    """Return how many elements a reduction over ``axis`` adds up."""
    return math.prod([shape[i] for i in normal_axes(axis, len(shape))])


def same_dtype(*arrays: jax.Array) -> None:
    """Check that operands agree in dtype; jax.numpy would promote silently.

    Raises:
        ValueError: when they do not.
    """
    names = [array.dtype.name for array in arrays]
    if len(set(names)) > 1:
        keeps = " paddle.to_tensor keeps NumPy's float64 unless it is given a dtype."
        raise ValueError(
            f"the operands must have one dtype, but received {', '.join(names)}. Cast one of them, "
            f"as in x.astype({names[-1]!r}).{keeps if 'float64' in names else ''}"
        )


def as_first(x: jax.Array, *others: jax.Array) -> list[jax.Array]:
    """Return operands, where the first is complex with float32 and float64 ones in its dtype.

    Paddle does so in ops that promote nothing else. A gradient has the dtype of its operand again.
    """
    if jnp.iscomplexobj(x):
        others = tuple(y.astype(x.dtype) if y.dtype in _WIDE_FLOATS else y for y in others)
    return [x, *others]


_WIDE_FLOATS = (jnp.float32, jnp.float64)


def index_dtype(index: jax.Array) -> None:
    """Check that an index operand holds integers.

    Raises:
        ValueError: when it does not.
    """
    if not jnp.issubdtype(index.dtype, jnp.integer):
        raise ValueError(f"the index must hold integers (int32, int64), not {index.dtype.name}.")
