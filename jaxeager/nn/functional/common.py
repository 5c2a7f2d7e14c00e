"""Linear maps, dropout and unfold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.arrays.random import next_key, no_key
from jaxeager.core.dtypes import FLOATS
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.mode import grad_mode
from jaxeager.nn.functional.window_arguments import by_axis_paddings, check_layout
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.nn import dropout as dropout_rows
from jaxeager.ops.nn.bilinear import bilinear as bilinear_row
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

MODES = dropout_rows.MODES


@composite(public="functional", method=False)
def linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None
) -> Tensor:
    """Return ``x @ weight + bias``: a matmul and an add, as Paddle records them.

    Args:
        x: float[..., n].
        weight: float[n, m].
        bias: float[m], or None.
        name: ignored.

    Returns:
        float[..., m].

    Raises:
        InvalidArgumentError: if the sizes do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 2]), paddle.ones([2, 3])
        >>> paddle.nn.functional.linear(x, weight, paddle.to_tensor([0.0, 1.0, 2.0])).tolist()
        [[2.0, 3.0, 4.0]]
    """
    if grad_mode.amp is not None:
        return grad_mode.amp.as_one_op("linear", linear, (x, weight, bias))
    out = paddle.matmul(x, weight)
    return out if bias is None else paddle.add(out, bias)


@composite(public="functional", method=False)
def bilinear(
    x1: Tensor, x2: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None
) -> Tensor:
    """Return ``x1 @ weight[o] @ x2`` for each output o, plus the bias.

    Args:
        x1: float[N, n].
        x2: float[N, m].
        weight: float[outputs, n, m].
        bias: float[1, outputs], or None.
        name: ignored.

    Returns:
        float[N, outputs].

    Raises:
        InvalidArgumentError: if the sizes do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, y, weight = paddle.ones([1, 2]), paddle.ones([1, 3]), paddle.ones([4, 2, 3])
        >>> paddle.nn.functional.bilinear(x, y, weight).tolist()
        [[6.0, 6.0, 6.0, 6.0]]
    """
    return bilinear_row(x1, x2, weight, bias)


def _probability(p) -> float:
    """Return p as a float, after checking that it is in [0, 1]."""
    if hasattr(p, "_storage"):
        p = p.item()
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise InvalidTypeError("p argument should be a number or Variable")
    if not 0 <= p <= 1:
        raise InvalidArgumentError(f"p argument should between 0 and 1, but received {p}")
    return p


@composite(public="functional", method=False)
def dropout(
    x: Tensor,
    p: float = 0.5,
    axis: int | Sequence[int] | None = None,
    training: bool = True,
    inplace: bool = False,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    """Zero random elements of x.

    Args:
        x: float tensor.
        p: the probability that an element is zeroed, a number or a Tensor of one element.
        axis: the axis or axes along which elements are zeroed independently; along the others
            they are zeroed together. None means all.
        training: whether to apply dropout.
        inplace: whether to overwrite x itself; only allowed with axis None.
        mode: "upscale_in_train" divides the remaining elements by 1 - p; "downscale_in_infer"
            multiplies by 1 - p when not training.
        name: ignored.

    Returns:
        float, shaped as x; x itself if there is nothing to do.

    Raises:
        InvalidTypeError: if p is not a number or axis not an int.
        InvalidArgumentError: for a p outside [0, 1], an unknown mode or axis, or integers.
        UnimplementedError: for an axis together with inplace, as in Paddle.

    Paddle: the random numbers differ; here a 1-D tensor also works with downscale_in_infer.

    Example:
        >>> import jaxeager as paddle
        >>> _ = paddle.seed(0)
        >>> sorted(set(paddle.nn.functional.dropout(paddle.ones([64]), 0.5).tolist()))
        [0.0, 2.0]
    """
    p = _probability(p)
    if mode not in MODES:
        raise InvalidArgumentError(
            "mode argument should be 'downscale_in_infer' or 'upscale_in_train', but received "
            f"{mode!r}"
        )
    if raw(x).dtype not in FLOATS and "float" not in str(x.dtype):
        raise InvalidArgumentError(f"dropout takes floating tensors, but received {x.dtype}.")
    if p == 0:
        return x
    training = training and not grad_mode.for_inference
    if axis is not None:
        if inplace:
            raise paddle.errors.UnimplementedError(
                "inplace not supported for dropout_nd yet: with an axis, write x = dropout(x, ...)."
            )
        return _dropout_along(x, p, axis, training, mode)
    key = next_key() if training else no_key()
    row = dropout_rows.dropout.row
    drop = row.inplace_function if inplace else row.function
    return drop(x, key, p, not training, mode)


def _dropout_along(x, p: float, axis, training: bool, mode: str):
    """Record scale, cast, and multiply by a mask that has size 1 along the other axes."""
    axes = _axes(axis, x.ndim)
    if not training:
        return paddle.scale(x, 1 - p) if mode == MODES[1] else x
    if p == 1:
        return paddle.scale(x, 0.0)
    scaled = paddle.scale(x, 1 / (1 - p)) if mode == MODES[0] else x
    shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
    draw = paddle.uniform(shape, "float32", 0.0, 1.0)
    mask = paddle.cast(paddle.greater_equal(draw, paddle.full([1], p, "float32")), x.dtype)
    return paddle.multiply(paddle.cast(scaled, x.dtype), mask)


def _axes(axis, ndim: int) -> tuple[int, ...]:
    axes = (axis,) if isinstance(axis, int) else axis
    if not isinstance(axes, (list, tuple)) or not all(isinstance(a, int) for a in axes):
        raise InvalidTypeError("datatype of axis argument should be int or list")
    if len(axes) > ndim:
        raise InvalidArgumentError(
            f"length of axis should not be greater than dimensions of x:{ndim}, but get length of "
            f"axis: {len(axes)}"
        )
    for each in axes:
        if not 0 <= each < ndim:
            raise InvalidArgumentError(
                "axis value should be greater than or equal to 0 and less than dimensions of "
                f"x:{ndim}, but get axis value:{each}"
            )
    return tuple(axes)


def _dropout_channels(x, p, training: bool, data_format: str, layouts: tuple[str, str]):
    ndim = len(layouts[0])
    if x.ndim != ndim:
        raise InvalidArgumentError(
            f"dimensions of x should be {ndim}, but received {x.ndim} != {ndim}"
        )
    check_layout(data_format, layouts)
    axis = [0, 1] if data_format == layouts[0] else [0, ndim - 1]
    return dropout(x, p=p, axis=axis, training=training, mode=MODES[0])


@composite(public="functional", method=False)
def dropout2d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Zero random channels of images.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        p: the probability that a channel is zeroed.
        training: whether to apply dropout.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: for a p outside [0, 1], or unless there are 4 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.dropout2d(paddle.ones([1, 2, 2, 2]), training=False)
        >>> out.sum().item()
        8.0
    """
    return _dropout_channels(x, p, training, data_format, ("NCHW", "NHWC"))


@composite(public="functional", method=False)
def dropout3d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Zero random channels of volumes.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        p: the probability that a channel is zeroed.
        training: whether to apply dropout.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: for a p outside [0, 1], or unless there are 5 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.dropout3d(paddle.ones([1, 2, 2, 2, 2]), training=False)
        >>> out.sum().item()
        16.0
    """
    return _dropout_channels(x, p, training, data_format, ("NCDHW", "NDHWC"))


@composite(public="functional", method=False)
def unfold(
    x: Tensor,
    kernel_sizes: int | Sequence[int],
    strides: int | Sequence[int] = 1,
    paddings: int | Sequence[int] = 0,
    dilations: int | Sequence[int] = 1,
    name: str | None = None,
) -> Tensor:
    """Return the contents of each sliding window as a column.

    Args:
        x: float[N, C, H, W].
        kernel_sizes: one int or (height, width).
        strides: one int or (height, width).
        paddings: one int, (height, width) or (top, left, bottom, right).
        dilations: one int or (height, width).
        name: ignored.

    Returns:
        float[N, C * kh * kw, L], where L is the number of positions.

    Raises:
        InvalidArgumentError: for a window that does not fit.
        InvalidTypeError: for a list of other than two kernel sizes, strides or dilations.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.unfold(x, [1, 2]).tolist()
        [[[1.0, 3.0], [2.0, 4.0]]]
    """
    from jaxeager.ops.conv.unfold import unfold as row

    given = {"kernel_sizes": kernel_sizes, "strides": strides, "dilations": dilations}
    for what, sizes in given.items():
        if isinstance(sizes, (list, tuple)) and len(sizes) != 2:
            raise InvalidTypeError(
                f"{what} should either be an integer or a list/tuple of two integers, but is "
                f"{sizes}."
            )
    return row(x, kernel_sizes, strides, by_axis_paddings(paddings), dilations)
