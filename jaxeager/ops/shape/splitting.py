"""Taking a tensor apart: split, chunk, tensor_split, unbind, unstack, and similar ops."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.register import PUBLIC, composite, op
from jaxeager.ops.row import ROWS, ViewRule
from jaxeager.ops.rules.attrs import Axis, OneAxis, Sizes, as_int
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.far_places import place_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def split_forward(x, *, sections: Sizes, axis: OneAxis = 0):
    """Cut a tensor into parts of given lengths, of which one may be -1."""
    axis = normal_axis(axis, x.ndim)
    length, lengths = x.shape[axis], list(sections)
    if lengths.count(-1) == 1:
        lengths[lengths.index(-1)] = length - sum(n for n in lengths if n != -1)
    if sum(lengths) != length or any(n < 0 for n in lengths):
        raise ValueError(f"parts of {list(sections)} do not add up to the length {length}.")
    return jnp.split(x, list(accumulate(lengths))[:-1], axis)


def split_with_num_forward(x, *, num: int, axis: OneAxis = 0):
    """Cut a tensor into equal parts."""
    axis = normal_axis(axis, x.ndim)
    if num < 1 or x.shape[axis] % num != 0:
        raise ValueError(f"the length {x.shape[axis]} cannot be cut into {num} equal parts.")
    return jnp.split(x, num, axis)


def join_vjp(dout, *, axis):
    """Join the gradients of the parts."""
    return jnp.concatenate(dout, axis)


def split_reference(x, sections, axis=0):
    """Use NumPy's split at the ends of the parts."""
    axis_length, lengths = np.shape(x)[axis], list(sections)
    if -1 in lengths:
        lengths[lengths.index(-1)] = axis_length - sum(lengths) - 1
    return np.split(x, np.cumsum(lengths)[:-1], axis)


def split_with_num_reference(x, num, axis=0):
    """Use NumPy's split."""
    return np.split(x, num, axis)


def split_samples():
    """Yield lengths, an unknown one, an empty part."""
    yield Sample(values((5, 2)), sections=[2, 3])
    yield Sample(values((2, 6)), sections=[1, -1, 2], axis=-1)
    yield Sample(values((3,)), sections=[0, 3])


def split_with_num_samples():
    """Yield even cuts along each axis, and one part."""
    yield Sample(values((4, 3)), num=2)
    yield Sample(values((2, 6)), num=3, axis=-1)
    yield Sample(values((2, 3)), num=1, axis=1)


def split_errors():
    """Yield lengths that do not add up."""
    yield BadInput((np.ones((2, 3)), [1, 1], 1), {}, InvalidArgumentError, "do not add up")


def split_with_num_errors():
    """Yield a length that cannot be cut evenly."""
    yield BadInput((np.ones((2, 3)), 2, 1), {}, InvalidArgumentError, "2 equal parts")


_split = op(
    "split",
    split_forward,
    vjp=join_vjp,
    outputs="out[]",
    public=None,
    reference=split_reference,
    samples=split_samples,
    errors=split_errors,
    formula="dx = concat(dout)",
    doc="Cut a tensor into parts of given lengths along an axis.",
    dtypes=WITH_COMPLEX,
)
_split_with_num = op(
    "split_with_num",
    split_with_num_forward,
    vjp=join_vjp,
    outputs="out[]",
    public=None,
    reference=split_with_num_reference,
    samples=split_with_num_samples,
    errors=split_with_num_errors,
    formula="dx = concat(dout)",
    doc="Cut a tensor into equal parts along an axis.",
    dtypes=WITH_COMPLEX,
)


@composite()
def split(
    x: "Tensor",
    num_or_sections: "int | Sequence[int | Tensor]",
    axis: "int | Tensor" = 0,
    name: str | None = None,
) -> "list[Tensor]":
    """Return the parts of a tensor along an axis.

    Args:
        x: tensor with at least one dimension.
        num_or_sections: the number of equal parts, or a list of their lengths, one of which may
            be -1 for the remaining length.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        List of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> [part.shape for part in paddle.split(paddle.ones([5, 2]), [1, -1])]
        [paddle.Size([1, 2]), paddle.Size([4, 2])]
    """
    if isinstance(num_or_sections, (list, tuple)):
        return _split(x, num_or_sections, axis)
    return _split_with_num(x, as_int(num_or_sections, "num_or_sections"), axis)


@composite()
def chunk(
    x: "Tensor", chunks: int, axis: "int | Tensor" = 0, name: str | None = None
) -> "list[Tensor]":
    """Return equal parts of a tensor along an axis.

    Args:
        x: tensor with at least one dimension.
        chunks: the number of parts.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        List of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> len(paddle.chunk(paddle.ones([6]), 3))
        3
    """
    return _split_with_num(x, chunks, axis)


@composite()
def tensor_split(
    x: "Tensor",
    num_or_indices: "int | Sequence[int]",
    axis: "int | Tensor" = 0,
    name: str | None = None,
) -> "list[Tensor]":
    """Return parts of a tensor along an axis, as even as possible or cut at given positions.

    Args:
        x: tensor with at least one dimension.
        num_or_indices: the number of parts, or a list of the positions to cut at.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        List of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> [part.shape for part in paddle.tensor_split(paddle.ones([5]), 2)]
        [paddle.Size([3]), paddle.Size([2])]
    """
    if x.ndim == 0:
        raise InvalidArgumentError("tensor_split takes a tensor of at least 1 dimension, not 0-D.")
    axis = normal_axis(as_int(axis, "axis"), x.ndim)
    length = x.shape[axis]
    if not isinstance(num_or_indices, (list, tuple)):
        count = as_int(num_or_indices, "num_or_indices")
        if count < 1:
            raise InvalidArgumentError(f"A tensor cannot be cut into {count} parts.")
        check_size("tensor_split", (count,), np.int64)  # the list of its parts
        lengths = [(length + count - 1 - i) // count for i in range(count)]
        return _split(x, lengths, axis)
    ends = [0, *(_place_in(length, place) for place in num_or_indices), length]
    return [PUBLIC["slice"](x, [axis], [a], [max(b, a)]) for a, b in pairwise(ends)]


def _place_in(length: int, place: int) -> int:
    """Return a position counted from the front, as Python's slices read it."""
    place = as_int(place, "num_or_indices")
    return max(place + length, 0) if place < 0 else min(place, length)


def _split_along(axis: int, name: str, least: int, doc: str):
    def function(
        x: "Tensor", num_or_indices: "int | Sequence[int]", name: str | None = None
    ) -> "list[Tensor]":
        if x.ndim < least:
            raise InvalidArgumentError(
                f"{function.__name__} takes a tensor of at least {least} dimensions, but "
                f"received one of {x.ndim}."
            )
        return tensor_split(x, num_or_indices, min(axis, x.ndim - 1))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{doc}\n\n    Example:\n        >>> import jaxeager as paddle\n"
        f"        >>> len(paddle.{name}(paddle.ones([2, 2, 2]), 2))\n        2\n    "
    )
    return composite()(function)


hsplit = _split_along(1, "hsplit", 1, "Return parts along the second axis; see tensor_split.")
vsplit = _split_along(0, "vsplit", 2, "Return parts along the first axis; see tensor_split.")
dsplit = _split_along(2, "dsplit", 3, "Return parts along the third axis; see tensor_split.")


def unbind_forward(input, *, axis: OneAxis = 0):
    """Split a tensor into its slices along an axis, which disappears."""
    return list(jnp.moveaxis(input, normal_axis(axis, input.ndim), 0))


def unstack_forward(x, *, axis: Axis = 0, num: Axis = None):
    """Split a tensor into its slices along an axis; num, if given, must be its length."""
    parts = unbind_forward(x, axis=axis)  # pyright: ignore[reportArgumentType]
    if num is not None and num != len(parts):
        raise ValueError(f"num is {num}, but the axis has length {len(parts)}.")
    return parts


def unbind_vjp(dout, *, axis):
    """Stack the gradients of the parts."""
    return jnp.stack(dout, axis)


def unbind_reference(x, axis=0):
    """Return the slices along an axis."""
    return list(np.moveaxis(x, axis, 0))


def unbind_samples():
    """Yield each axis, and vectors."""
    yield Sample(values((2, 3)))
    yield Sample(values((2, 3, 2)), axis=-2)
    yield Sample(values((3,)))


def unbind_errors():
    """Yield an axis out of range."""
    yield BadInput((np.ones((2, 3)), 5), {}, InvalidArgumentError, "in the range [-2, 2)")


def unstack_errors():
    """Yield an axis out of range, and a wrong number of parts."""
    yield from unbind_errors()
    yield BadInput((np.ones((2, 3)), 0, 3), {}, InvalidArgumentError, "num is 3")


def unbind_part(shape, position, *, axis):
    """Return one output of unbind as a slice of its input."""
    axis = normal_axis(axis, len(shape))
    starts = [0] * len(shape)
    starts[axis] = position
    spans = (*shape[:axis], 1, *shape[axis + 1 :])
    attrs = (spans, (1,) * len(shape), (axis,))
    return (
        ROWS["slice"],
        attrs,
        (np.asarray(starts, place_dtype(position)),),
    )  # a jax.Array takes 50 us


unbind = op(
    "unbind",
    unbind_forward,
    vjp=unbind_vjp,
    view=ViewRule(part=unbind_part),
    outputs="out[]",
    reference=unbind_reference,
    samples=unbind_samples,
    errors=unbind_errors,
    formula="dinput = stack(dout)",
    doc="Split a tensor along an axis into a list of slices without that axis.",
    example="paddle.unbind(paddle.ones([2, 3]))",
    dtypes=WITH_COMPLEX,
)
unstack = op(
    "unstack",
    unstack_forward,
    vjp=unbind_vjp,
    outputs="out[]",
    reference=unbind_reference,
    samples=unbind_samples,
    errors=unstack_errors,
    formula="dx = stack(dout)",
    doc="Split a tensor along an axis into a list of slices without that axis.",
    example="paddle.unstack(paddle.ones([2, 3]), axis=1)",
    dtypes=WITH_COMPLEX,
)
