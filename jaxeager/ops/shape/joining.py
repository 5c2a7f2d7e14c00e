"""Joining tensors: concat, stack, and similar ops."""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.bad_operands import listed
from jaxeager.ops.register import PUBLIC, composite, op, publish
from jaxeager.ops.rules.attrs import OneAxis, Tensors, WholeAxis
from jaxeager.ops.rules.axes import as_first, normal_axis
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def consistent(arrays) -> None:
    """Check that there is a list of arrays, all of one dtype.

    Raises:
        ValueError: when not.
    """
    if not isinstance(arrays, (list, tuple)):
        raise ValueError("takes a list of tensors, but received one tensor.")
    if not arrays:
        raise ValueError("needs at least one tensor, but received an empty list.")
    for position, array in enumerate(arrays):
        if array.dtype != arrays[0].dtype:
            raise ValueError(
                f"the tensors must have one dtype, but the first is {arrays[0].dtype.name} and "
                f"number {position} is {array.dtype.name}."
            )


# ---- joining


def concat_forward(x: Tensors, *, axis: WholeAxis = 0):
    """Join tensors along an axis."""
    consistent(x)
    if x[0].ndim == 0:
        raise ValueError("tensors without dimensions have no axis to join; use stack.")
    return jnp.concatenate(x, normal_axis(axis, x[0].ndim))


def concat_vjp(x, dout, *, axis):
    """Cut the gradient where the tensors were joined."""
    axis = normal_axis(axis, dout.ndim)
    ends = list(accumulate(each.shape[axis] for each in x))[:-1]
    return jnp.split(dout, ends, axis)


def concat_reference(x, axis=0):
    """Use NumPy's concatenate."""
    return np.concatenate(x, axis)


def concat_samples():
    """Yield two and three tensors, one, and an empty one among them."""
    yield Sample([values((2, 3)), values((1, 3), seed=1)])
    yield Sample([values((2, 3)), values((2, 1), seed=1), values((2, 2), seed=2)], axis=-1)
    yield Sample([values((2, 3))], axis=1)
    yield Sample([values((2, 3)), values((0, 3))])


def concat_errors():
    """Yield shapes and dtypes that do not fit, 0-D tensors, no tensors."""
    yield BadInput(([np.ones((2, 3)), np.ones(3)],), {}, InvalidArgumentError, "concat")
    mixed = [np.ones(2, np.float32), np.ones(2)]
    yield BadInput((mixed,), {}, InvalidArgumentError, "must have one dtype")
    yield BadInput(([np.ones(()), np.ones(())],), {}, InvalidArgumentError, "use stack")
    yield BadInput(([np.ones(2)], 1), {}, InvalidArgumentError, "in the range [-1, 1)")
    yield BadInput(([],), {}, InvalidArgumentError, "empty list")
    yield BadInput((np.ones((2, 3)),), {}, InvalidArgumentError, "a list of tensors")


concat = op(
    "concat",
    concat_forward,
    vjp=concat_vjp,
    shapes="x",
    reference=concat_reference,
    samples=concat_samples,
    errors=concat_errors,
    formula="dx = dout, taken where x was put",
    doc="Join tensors one after the other along an axis.",
    example="paddle.concat([paddle.ones([2, 3]), paddle.zeros([1, 3])], axis=0)",
    dtypes=WITH_COMPLEX,
)
publish("cat", concat, "paddle", method=False)
publish("concatenate", concat, "paddle", method=False)


def stack_forward(x: Tensors, *, axis: OneAxis = 0):
    """Join tensors along a new axis."""
    x = as_first(*x) if isinstance(x, (list, tuple)) and x else x
    consistent(x)
    return jnp.stack(x, normal_axis(axis, x[0].ndim + 1))


def stack_vjp(x, dout, *, axis):
    """Split the gradient along the new axis."""
    return list(jnp.moveaxis(dout, axis, 0))


def stack_reference(x, axis=0):
    """Use NumPy's stack."""
    return np.stack(x, axis)


def stack_samples():
    """Yield a first and a last axis, 0-D, zero-size."""
    yield Sample([values((2, 3)), values((2, 3), seed=1)])
    yield Sample([values((2, 3)), values((2, 3), seed=1), values((2, 3), seed=2)], axis=-1)
    yield Sample([values(()), values((), seed=1)])
    yield Sample([values((0, 3)), values((0, 3))], axis=1)


def stack_errors():
    """Yield shapes that differ, an axis out of range."""
    yield BadInput(([np.ones((2, 3)), np.ones(3)],), {}, InvalidArgumentError, "stack")
    yield BadInput(([np.ones(2)], 2), {}, InvalidArgumentError, "in the range [-2, 2)")


stack = op(
    "stack",
    stack_forward,
    vjp=stack_vjp,
    shapes="x",
    reference=stack_reference,
    samples=stack_samples,
    errors=stack_errors,
    formula="dx = unbind(dout)",
    doc="Join tensors of one shape along a new axis.",
    example="paddle.stack([paddle.ones([3]), paddle.zeros([3])], axis=0)",
    dtypes=WITH_COMPLEX,
)


# ---- joining along named directions


def _at_least(ndim: int, tensors):
    """Return the tensors with dimensions of size 1 added, as in NumPy's atleast_*."""
    function = {1: "atleast_1d", 2: "atleast_2d", 3: "atleast_3d"}[ndim]
    return [PUBLIC[function](each) for each in tensors]


@composite(method=False)
def hstack(x: "Sequence[Tensor]", name: str | None = None) -> "Tensor":
    """Return tensors joined horizontally: along the second axis, or the first for vectors.

    ``x`` is a list of tensors of one dtype that differ only in the size of that axis; a 0-D tensor
    counts as [1].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.hstack([paddle.ones([2, 1]), paddle.ones([2, 3])]).shape
        paddle.Size([2, 4])
    """
    x = _at_least(1, listed("hstack", "x", x))
    return concat(x, 0 if x[0].ndim == 1 else 1)


@composite(method=False, aliases="row_stack")
def vstack(x: "Sequence[Tensor]", name: str | None = None) -> "Tensor":
    """Return tensors joined vertically: along the first axis, with vectors as rows.

    ``x`` is a list of tensors of one dtype that differ only in the size of that axis; a vector [n]
    counts as [1, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vstack([paddle.ones([3]), paddle.ones([2, 3])]).shape
        paddle.Size([3, 3])
    """
    return concat(_at_least(2, listed("vstack", "x", x)), 0)


@composite(method=False)
def dstack(x: "Sequence[Tensor]", name: str | None = None) -> "Tensor":
    """Return tensors joined along the third axis.

    ``x`` is a list of tensors of one dtype that, after ``atleast_3d``, differ only in the size of
    that axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dstack([paddle.ones([2, 3]), paddle.ones([2, 3])]).shape
        paddle.Size([2, 3, 2])
    """
    return concat(_at_least(3, listed("dstack", "x", x)), 2)


@composite(method=False)
def column_stack(x: "Sequence[Tensor]", name: str | None = None) -> "Tensor":
    """Return tensors joined along the second axis, vectors as columns.

    ``x`` is a list of tensors of one dtype: vectors [n], and tensors [n, ...] that differ only in
    the size of that axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.column_stack([paddle.ones([3]), paddle.ones([3, 2])]).shape
        paddle.Size([3, 3])
    """
    tensors = listed("column_stack", "x", x)
    return concat([each.reshape([-1, 1]) if each.ndim < 2 else each for each in tensors], 1)
