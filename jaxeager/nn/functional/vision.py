"""Functions that rearrange pixels and channels: grids, folding, shuffles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.nn.functional.window_arguments import by_axis_paddings
from jaxeager.ops.conv.unfold import fold as fold_row
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_shape
from jaxeager.ops.vision import shuffles
from jaxeager.ops.vision.grid_sample import affine_grid as affine_grid_row

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike
    from jaxeager.tensor.tensor import Tensor


def check_count(value, what: str) -> None:
    """Raise if a value is not a positive int."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidTypeError(f"{what} must be int type, but received {value!r}")
    if value <= 0:
        raise InvalidArgumentError(f"{what} must be positive, but received {value}")


def check_image_layout(data_format) -> None:
    """Raise if a layout is not an image layout."""
    if data_format not in ("NCHW", "NHWC"):
        raise InvalidArgumentError(
            "Attr(data_format) should be 'NCHW' or 'NHWC'.But receive Attr(data_format): "
            f"{data_format} "
        )


@composite(public="functional", method=False)
def affine_grid(
    theta: Tensor, out_shape: ShapeLike, align_corners: bool = True, name: str | None = None
) -> Tensor:
    """Return the coordinates at which an affine map samples an image, for ``grid_sample``.

    Args:
        theta: float[N, 2, 3] or float[N, 3, 4], one matrix per image.
        out_shape: [N, C, H, W] or [N, C, D, H, W], a list or an integer Tensor.
        align_corners: whether -1 and 1 are the centers of the outermost elements, or the edges.
        name: ignored.

    Returns:
        float[N, H, W, 2] or float[N, D, H, W, 3] of (x, y) or (x, y, z).

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Paddle: with ``align_corners``, an axis of one element is nan; here it is the middle, 0.

    Example:
        >>> import jaxeager as paddle
        >>> theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> paddle.nn.functional.affine_grid(theta, [1, 1, 1, 2], align_corners=False).tolist()
        [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    return affine_grid_row(theta, as_shape(out_shape), align_corners)


@composite(public="functional", method=False)
def fold(
    x: Tensor,
    output_sizes: int | Sequence[int],
    kernel_sizes: int | Sequence[int],
    strides: int | Sequence[int] = 1,
    paddings: int | Sequence[int] = 0,
    dilations: int | Sequence[int] = 1,
    name: str | None = None,
) -> Tensor:
    """Return images from columns, summing windows where they overlap: the transpose of ``unfold``.

    Args:
        x: [N, C * kh * kw, L], where L is the number of windows.
        output_sizes: one int or (height, width) of the images.
        kernel_sizes: one int or (height, width) of the windows.
        strides: one int or (height, width).
        paddings: one int, (height, width) or (top, left, bottom, right).
        dilations: one int or (height, width).
        name: ignored.

    Returns:
        Tensor [N, C, H, W].

    Raises:
        InvalidArgumentError: if the columns do not match the windows.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 2, 4])
        >>> paddle.nn.functional.fold(x, [2, 3], [1, 2]).tolist()
        [[[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]]
    """
    pairs = {"output_sizes": output_sizes, "kernel_sizes": kernel_sizes}
    for argument, sizes in (pairs | {"strides": strides, "dilations": dilations}).items():
        if isinstance(sizes, (list, tuple)) and len(sizes) != 2:
            raise RefusedArgumentError(
                f"fold: {argument} should be an integer or two integers, but is {list(sizes)}."
            )
    return fold_row(x, output_sizes, kernel_sizes, strides, by_axis_paddings(paddings), dilations)


@composite(public="functional", method=False)
def pixel_shuffle(
    x: Tensor, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Rearrange images to r times the size with r^2 times fewer channels.

    Args:
        x: [N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        upscale_factor: r.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        Tensor [N, C / r^2, H * r, W * r].

    Raises:
        InvalidTypeError: for a factor that is not an int.
        InvalidArgumentError: if r^2 does not divide the channels.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])
        >>> paddle.nn.functional.pixel_shuffle(x, 2).tolist()
        [[[[1.0, 2.0], [3.0, 4.0]]]]
    """
    check_count(upscale_factor, "upscale factor")
    check_image_layout(data_format)
    return shuffles.pixel_shuffle(x, upscale_factor, data_format)


@composite(public="functional", method=False)
def pixel_unshuffle(
    x: Tensor, downscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Rearrange images to 1/r of the size with r^2 times as many channels.

    Args:
        x: [N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        downscale_factor: r.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        Tensor [N, C * r^2, H / r, W / r].

    Raises:
        InvalidTypeError: for a factor that is not an int.
        InvalidArgumentError: if r does not divide height and width.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.pixel_unshuffle(x, 2).flatten().tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    check_count(downscale_factor, "Downscale factor")
    check_image_layout(data_format)
    return shuffles.pixel_unshuffle(x, downscale_factor, data_format)


@composite(public="functional", method=False)
def channel_shuffle(
    x: Tensor, groups: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Interleave the channels of the groups of each image.

    Args:
        x: [N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        groups: number of channel groups.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        Tensor, shaped as x.

    Raises:
        InvalidTypeError: for groups that are not an int.
        InvalidArgumentError: if the groups do not divide the channels.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1])
        >>> paddle.nn.functional.channel_shuffle(x, 2).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """
    check_image_layout(data_format)
    check_count(groups, "groups")
    return shuffles.channel_shuffle(x, groups, data_format)


@composite(public="functional", method=False)
def temporal_shift(
    x: Tensor,
    seg_num: int,
    shift_ratio: float = 0.25,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Tensor:
    """Replace some channels of each frame by those of the frame before or after.

    Args:
        x: [N * T, C, H, W], or [N * T, H, W, C] for data_format "NHWC".
        seg_num: T, the number of frames of a clip.
        shift_ratio: share of the channels moved one step later, and also one step earlier;
            in (0, 0.5).
        name: ignored.
        data_format: "NCHW" or "NHWC".

    Returns:
        Tensor, shaped as x; 0 where there is no such frame.

    Raises:
        InvalidArgumentError: for invalid arguments.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
        >>> x = x.reshape([2, 4, 1, 1])
        >>> paddle.nn.functional.temporal_shift(x, 2).reshape([2, 4]).tolist()
        [[0.0, 6.0, 3.0, 4.0], [1.0, 0.0, 7.0, 8.0]]
    """
    if data_format not in ("NCHW", "NHWC"):
        raise InvalidArgumentError(
            "Attr(data_format) should be 'NCHW' or 'NHWC'. Received Attr(data_format): "
            f"{data_format}."
        )
    return shuffles.temporal_shift(x, seg_num, shift_ratio, data_format)
