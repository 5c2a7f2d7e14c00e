"""crop: a copy of a box of a tensor."""

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.indexing.box_rows import slice_forward, slice_reference, slice_vjp, starts_array
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Static, as_shape
from jaxeager.ops.rules.samples import WITH_COMPLEX, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike
    from jaxeager.tensor.tensor import Tensor


def crop_forward(x, starts, *, spans: Static):
    """Copy a box of a tensor."""
    return slice_forward(x, starts, spans=spans, steps=(1,) * x.ndim, squeeze=())


def crop_vjp(x, starts, dout, *, spans):
    """Write the gradient where the box was, with zeros around it."""
    return slice_vjp(x, starts, dout, spans=spans, steps=(1,) * dout.ndim)


def crop_reference(x, starts, spans):
    """Use NumPy's slices."""
    return slice_reference(x, starts, spans=spans, steps=(1,) * np.ndim(x), squeeze=())


def crop_samples():
    """Yield a box in the middle, the whole tensor, and an empty box."""
    yield Sample(values((4, 5)), np.array([1, 2]), spans=(2, 3))
    yield Sample(values((3,)), np.array([0]), spans=(3,))
    yield Sample(values((4, 5)), np.array([0, 1]), spans=(0, 3))


_crop = op(
    "crop", crop_forward, vjp=crop_vjp, saves="starts", shapes="x", nondiff="starts", public=None,
    reference=crop_reference, samples=crop_samples, dtypes=WITH_COMPLEX,
    formula="dx = dout, put where x was read",
    doc="Cut a box out of a tensor.",
)  # fmt: skip


@composite(method=False)
def crop(
    x: "Tensor",
    shape: "ShapeLike | None" = None,
    offsets: "ShapeLike | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return a box of a tensor, as a copy.

    Args:
        x: tensor of at least one dimension.
        shape: sizes of the box, a list of ints (or Tensors) or an integer tensor; -1 means all
            elements from the offset on. All of ``x`` by default.
        offsets: start of the box, one int per dimension in any of those forms; 0 by default.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape; a copy, not a view.

    Raises:
        InvalidArgumentError: when the length of shape or offsets is not the number of dimensions of
            ``x``, or when they are negative or reach beyond ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
        >>> paddle.crop(x, shape=[2, -1], offsets=[0, 1]).tolist()
        [[2, 3], [5, 6]]
    """
    sizes = x._array.shape
    if not sizes:
        raise InvalidArgumentError(
            "The number of dimensions of the input 'x' for Op(crop_tensor) must be greater than or "
            "equal to 1, but the value received is 0."
        )
    spans = sizes if shape is None else as_shape(shape)
    starts = (0,) * len(sizes) if offsets is None else as_shape(offsets)
    for name, given in (("shape", spans), ("offsets", starts)):
        if len(given) != len(sizes):
            raise InvalidArgumentError(
                f"The number of elements ({len(given)}) of attribute '{name}' for CropTensor must "
                f"be equal to the number of dimensions ({len(sizes)}) of the input."
            )
    spans = tuple(map(_span, range(len(sizes)), sizes, spans, starts))
    return _crop(x, starts_array(starts), spans)


def _span(axis: int, size: int, span: int, start: int) -> int:
    """Return the size of the box along one axis."""
    if start < 0:
        raise InvalidArgumentError(
            f"The offsets ({start}) of the {axis}th elements of Op(crop_tensor) should be greater "
            "than or equal to 0."
        )
    if span < -1:
        raise InvalidArgumentError(
            f"When the value ({span}) of the {axis}th element for shape of Op(crop_tensor) is "
            "negative, only -1 is supported."
        )
    span = size - start if span == -1 else span
    if start + span > size or span < 0:
        raise InvalidArgumentError(
            f"The sum of the {axis}th elements of offsets ({start}) and shape ({span}) of "
            "Op(crop_tensor) should be less than or equal to the size of "
            f"{axis}th dimension of the input."
        )
    return span
