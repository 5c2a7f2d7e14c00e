"""Pooling over boxes: roi_align, roi_pool, psroi_pool and their layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.functional.window_arguments import numbers
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.rules.value_checks import can_be_looked_at
from jaxeager.ops.vision import roi as rows

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _check_counts(boxes, boxes_num) -> None:
    """Raise unless the images' numbers of boxes add up to the number of boxes.

    Raises:
        InvalidArgumentError: if they do not, or one is negative.
    """
    count, array = boxes.shape[0], raw(boxes_num)
    is_seen = can_be_looked_at(array)
    if not hasattr(array, "dtype") or not (is_seen or ports.look_at_indices is not None):
        return

    def error(bad: int) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"boxes_num must hold counts that add up to the {count} boxes, but received {bad}."
        )

    check_within(array, 0, count + 1, error)
    total = np.asarray(array).sum() if is_seen else array.sum()
    check_within(total, count, count + 1, error)


@names_operands
def roi_align(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: int | Sequence[int],
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return the averages of samples in the bins of boxes.

    Args:
        x: float[N, C, H, W].
        boxes: float[boxes, 4], (x1, y1, x2, y2), ordered by image.
        boxes_num: int32[N], number of boxes of each image.
        output_size: one int or (height, width), the bins of a box.
        spatial_scale: factor of the boxes' coordinates.
        sampling_ratio: number of samples per bin and axis; its number of pixels if -1.
        aligned: whether pixel centers are at half-integers; else they are at integers, and a box is
            at least one pixel large.
        name: ignored.

    Returns:
        float[boxes, C, height, width].

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]]), paddle.to_tensor([1])
        >>> paddle.vision.ops.roi_align(x, boxes, count, 2).tolist()
        [[[[2.5, 4.5], [10.5, 12.5]]]]
    """
    size = numbers(output_size, 2, "output_size")
    _check_counts(boxes, boxes_num)
    return rows.roi_align(x, boxes, boxes_num, size, spatial_scale, sampling_ratio, aligned)


@names_operands
def roi_pool(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: int | Sequence[int],
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Return the largest elements in the bins of boxes.

    Args:
        x: float[N, C, H, W].
        boxes: float[boxes, 4], (x1, y1, x2, y2), ordered by image.
        boxes_num: int32[N], number of boxes of each image.
        output_size: one int or (height, width), the bins of a box.
        spatial_scale: factor of the boxes' coordinates, which are then rounded.
        name: ignored.

    Returns:
        float[boxes, C, height, width]; 0 for a bin outside the image.

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]]), paddle.to_tensor([1])
        >>> paddle.vision.ops.roi_pool(x, boxes, count, 2).tolist()
        [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    size = numbers(output_size, 2, "output_size")
    _check_counts(boxes, boxes_num)
    return rows.roi_pool(x, boxes, boxes_num, size, spatial_scale)


@names_operands
def psroi_pool(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: int | Sequence[int],
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Return the averages in the bins of boxes, where each bin has its own channels.

    Args:
        x: float[N, C * height * width, H, W].
        boxes: float[boxes, 4], (x1, y1, x2, y2), ordered by image.
        boxes_num: int32[N], number of boxes of each image.
        output_size: one int or (height, width), the bins of a box.
        spatial_scale: factor of the boxes' coordinates, which are rounded first.
        name: ignored.

    Returns:
        float[boxes, C, height, width].

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 4, 2, 2])
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]]), paddle.to_tensor([1])
        >>> paddle.vision.ops.psroi_pool(x, boxes, count, 2).tolist()
        [[[[0.0, 5.0], [10.0, 15.0]]]]
    """
    size = numbers(output_size, 2, "output_size")
    if x.ndim != 4 or x.shape[1] == 0:
        raise RefusedArgumentError(
            f"Input features with shape should be (N, C, H, W), but received {list(x.shape)}"
        )
    _check_counts(boxes, boxes_num)
    return rows.psroi_pool(x, boxes, boxes_num, size, spatial_scale)


class _RoI(paddle.nn.Layer):
    """Base of the layers: their settings."""

    def __init__(self, output_size: int | Sequence[int], spatial_scale: float):
        super().__init__()
        self._output_size, self._spatial_scale = output_size, spatial_scale

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, spatial_scale={self._spatial_scale}"


class RoIAlign(_RoI):
    """Layer that averages samples in the bins of boxes; see ``roi_align``.

    Args:
        output_size: one int or (height, width), the bins of a box.
        spatial_scale: factor of the boxes' coordinates.

    Example:
        >>> import jaxeager as paddle
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]]), paddle.to_tensor([1])
        >>> paddle.vision.ops.RoIAlign(2)(paddle.ones([1, 3, 4, 4]), boxes, count).shape
        paddle.Size([1, 3, 2, 2])
    """

    def __init__(self, output_size: int | Sequence[int], spatial_scale: float = 1.0):
        super().__init__(output_size, spatial_scale)

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor, aligned: bool = True) -> Tensor:
        return roi_align(
            x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned
        )


class RoIPool(_RoI):
    """Layer that takes the maxima in the bins of boxes; see ``roi_pool``.

    Args:
        output_size: one int or (height, width), the bins of a box.
        spatial_scale: factor of the boxes' coordinates.

    Example:
        >>> import jaxeager as paddle
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]]), paddle.to_tensor([1])
        >>> paddle.vision.ops.RoIPool(2)(paddle.ones([1, 3, 4, 4]), boxes, count).shape
        paddle.Size([1, 3, 2, 2])
    """

    def __init__(self, output_size: int | Sequence[int], spatial_scale: float = 1.0):
        super().__init__(output_size, spatial_scale)

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor) -> Tensor:
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


class PSRoIPool(_RoI):
    """Layer that averages in the bins of boxes, with separate channels per bin; see ``psroi_pool``.

    Args:
        output_size: one int or (height, width), the bins of a box.
        spatial_scale: factor of the boxes' coordinates.

    Example:
        >>> import jaxeager as paddle
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]]), paddle.to_tensor([1])
        >>> paddle.vision.ops.PSRoIPool(2)(paddle.ones([1, 8, 4, 4]), boxes, count).shape
        paddle.Size([1, 2, 2, 2])
    """

    def __init__(self, output_size: int | Sequence[int], spatial_scale: float = 1.0):
        super().__init__(output_size, spatial_scale)

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor) -> Tensor:
        return psroi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)
