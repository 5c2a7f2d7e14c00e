"""Box operations of detectors: box_coder, prior_box, yolo_box, yolo_loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidIndexError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.vision import boxes as rows
from jaxeager.ops.vision.yolo_loss import yolo_loss as yolo_loss_row

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@names_operands
def box_coder(
    prior_box: Tensor,
    prior_box_var: Tensor | Sequence[float],
    target_box: Tensor,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    name: str | None = None,
) -> Tensor:
    """Encode boxes relative to prior boxes, or decode them.

    Args:
        prior_box: float[M, 4], (x1, y1, x2, y2).
        prior_box_var: float[M, 4] or four numbers, the divisors of the differences.
        target_box: float[N, 4] to encode, float[N, M, 4] to decode.
        code_type: "encode_center_size" or "decode_center_size".
        box_normalized: whether x2 and y2 are edges; else they are the last pixels.
        axis: the axis of ``target_box`` that the prior boxes are not along, when decoding.
        name: ignored.

    Returns:
        float[N, M, 4].

    Raises:
        InvalidArgumentError: for any other code_type, or shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> prior = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]])
        >>> target = paddle.to_tensor([[1.0, 0.0, 3.0, 2.0]])
        >>> paddle.vision.ops.box_coder(prior, [1.0, 1.0, 1.0, 1.0], target).tolist()
        [[[0.5, 0.0, 0.0, 0.0]]]
    """
    variance, numbers = prior_box_var, ()
    if isinstance(prior_box_var, (list, tuple)):
        variance, numbers = None, tuple(float(v) for v in prior_box_var)
    return rows.box_coder(prior_box, target_box, variance, code_type, box_normalized, axis, numbers)


@names_operands
def yolo_box(
    x: Tensor,
    img_size: Tensor,
    anchors: Sequence[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> Tensor:
    """Return the boxes and scores encoded in an output of YOLOv3.

    Args:
        x: float[N, A * (5 + class_num), H, W], where A is the number of anchors; with
            ``iou_aware``, A more channels come first.
        img_size: int32[N, 2], height and width of the images.
        anchors: width and height of each anchor, in turn.
        class_num: number of classes.
        conf_thresh: boxes below this confidence are zeros.
        downsample_ratio: number of image pixels per element of x.
        clip_bbox: whether to clip boxes to the image.
        name: ignored.
        scale_x_y: factor by which centers are spread.
        iou_aware: whether x contains a predicted overlap.
        iou_aware_factor: the overlap's share of the confidence.

    Returns:
        boxes, float[N, A * H * W, 4], and scores, float[N, A * H * W, class_num].

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, size = paddle.zeros([1, 7, 1, 1]), paddle.to_tensor([[8, 8]], dtype="int32")
        >>> boxes, scores = paddle.vision.ops.yolo_box(x, size, [4, 4], 2, 0.1, 8)
        >>> boxes.tolist(), scores.tolist()
        ([[[2.0, 2.0, 6.0, 6.0]]], [[[0.25, 0.25]]])
    """
    return rows.yolo_box(
        x,
        img_size,
        tuple(int(n) for n in anchors),
        class_num,
        conf_thresh,
        downsample_ratio,
        clip_bbox,
        scale_x_y,
        iou_aware,
        iou_aware_factor,
    )


@names_operands
def yolo_loss(
    x: Tensor,
    gt_box: Tensor,
    gt_label: Tensor,
    anchors: Sequence[int],
    anchor_mask: Sequence[int],
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: Tensor | None = None,
    use_label_smooth: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Tensor:
    """Return the loss of an output of YOLOv3 against the true boxes.

    Args:
        x: float[N, A * (5 + class_num), S, S], where A is the number of masked anchors.
        gt_box: float[N, boxes, 4], (center x, center y, width, height) as fractions of the image;
            boxes without a size are padding.
        gt_label: int32[N, boxes], their classes.
        anchors: width and height of each anchor, in turn, in pixels.
        anchor_mask: the anchors of x.
        class_num: number of classes.
        ignore_thresh: predicted boxes that overlap a true box by more are not penalized for it.
        downsample_ratio: number of image pixels per element of x.
        gt_score: float[N, boxes], weights of the true boxes; ones if None.
        use_label_smooth: whether to smooth classes, by min(1 / class_num, 1 / 40).
        name: ignored.
        scale_x_y: factor by which centers are spread.

    Returns:
        float[N].

    Raises:
        InvalidArgumentError: for shapes that do not match.
        InvalidIndexError: for a label on a CPU that is not a class, of a box that has a size.

    Example:
        >>> import jaxeager as paddle
        >>> x, box = paddle.zeros([1, 7, 1, 1]), paddle.full([1, 1, 4], 0.5)
        >>> label = paddle.zeros([1, 1], "int32")
        >>> loss = paddle.vision.ops.yolo_loss(x, box, label, [4, 4], [0], 2, 0.5, 8)
        >>> round(loss.item(), 3)
        4.505
    """
    _check_classes(gt_box, gt_label, class_num)
    return yolo_loss_row(
        x,
        gt_box,
        gt_label,
        gt_score,
        tuple(int(n) for n in anchors),
        tuple(int(n) for n in anchor_mask),
        class_num,
        ignore_thresh,
        downsample_ratio,
        use_label_smooth,
        scale_x_y,
    )


def _check_classes(gt_box, gt_label, class_num: int) -> None:
    """Raise if the label of a box that has a size is not a class."""

    def error(bad: int) -> InvalidIndexError:
        return InvalidIndexError(f"gt_label must be in [0, {class_num}), but holds {bad}.")

    boxes, labels = gt_box._array, gt_label._array
    if boxes.shape[:-1] == labels.shape:
        has_size = (boxes[..., 2:4] > 0).all(-1)
        check_within(jnp.where(has_size, labels, 0), 0, class_num, error)


def _floats(value) -> list[float]:
    return [float(v) for v in value] if isinstance(value, (list, tuple)) else [float(value)]


def _ratios(aspect_ratios, flip: bool) -> list[float]:
    """Return 1 and each other distinct ratio, followed by its inverse if flipped."""
    found = [1.0]
    for ratio in _floats(aspect_ratios):
        if all(abs(ratio - other) >= 1e-6 for other in found):
            found += [ratio, 1.0 / ratio] if flip else [ratio]
    return found


def _half_sizes(min_sizes, max_sizes, ratios, max_first: bool) -> np.ndarray:
    """Return half widths and heights of the boxes at each position."""
    found = []
    for number, least in enumerate(min_sizes):
        shaped = [(least * r**0.5, least / r**0.5) for r in ratios]
        largest = [((least * max_sizes[number]) ** 0.5,) * 2] if max_sizes else []
        if max_first:
            found += [(least, least), *largest]
            found += [s for s, r in zip(shaped, ratios, strict=True) if abs(r - 1) >= 1e-6]
        else:
            found += [*shaped, *largest]
    return np.array(found) / 2


@names_operands
def prior_box(
    input: Tensor,
    image: Tensor,
    min_sizes: Sequence[float] | float,
    max_sizes: Sequence[float] | float | None = None,
    aspect_ratios: Sequence[float] | float = (1.0,),
    variance: Sequence[float] | float = (0.1, 0.1, 0.2, 0.2),
    flip: bool = False,
    clip: bool = False,
    steps: Sequence[float] | float = (0.0, 0.0),
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the prior boxes of a detector, several at each element of a feature map.

    Args:
        input: float[N, C, H, W], the feature map; only its shape is used.
        image: float[N, C, height, width]; only its shape is used.
        min_sizes: sizes of the boxes in pixels.
        max_sizes: as many larger sizes; for each, a box of the geometric mean is added.
        aspect_ratios: ratios of width to height; 1 is always included.
        variance: four numbers to return for each box.
        flip: whether to add the inverse of each ratio.
        clip: whether to clip boxes to the image.
        steps: pixels from element to element (width, height); computed from the shapes if 0.
        offset: position of the center within an element.
        min_max_aspect_ratios_order: whether the box of ``max_sizes`` comes second, not last.
        name: ignored.

    Returns:
        boxes, float[H, W, boxes, 4], as fractions of the image, and variances of the same shape.

    Raises:
        InvalidArgumentError: for sizes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, image = paddle.zeros([1, 1, 1, 1]), paddle.zeros([1, 3, 8, 8])
        >>> boxes, _ = paddle.vision.ops.prior_box(x, image, [4.0])
        >>> boxes.flatten().tolist()
        [0.25, 0.25, 0.75, 0.75]
    """
    small, large = _floats(min_sizes), [] if max_sizes is None else _floats(max_sizes)
    if large and (
        len(large) != len(small) or any(b <= a for a, b in zip(small, large, strict=True))
    ):
        raise InvalidArgumentError(
            f"max_sizes must be as many as min_sizes and larger, but are {large} and {small}."
        )
    (height, width), (rows_of, cols) = image.shape[2:], input.shape[2:]
    step_w, step_h = _floats(steps) if isinstance(steps, (list, tuple)) else _floats(steps) * 2
    step_w, step_h = step_w or width / cols, step_h or height / rows_of
    half = _half_sizes(small, large, _ratios(aspect_ratios, flip), min_max_aspect_ratios_order)
    x = ((np.arange(cols) + offset) * step_w)[None, :, None]
    y = ((np.arange(rows_of) + offset) * step_h)[:, None, None]
    corners = np.broadcast_arrays(
        (x - half[:, 0]) / width,
        (y - half[:, 1]) / height,
        (x + half[:, 0]) / width,
        (y + half[:, 1]) / height,
    )
    boxes = np.stack(corners, -1)
    if clip:
        boxes = np.clip(boxes, 0.0, 1.0)
    dtype = input._array.dtype
    spread = np.broadcast_to(np.array(_floats(variance)), boxes.shape)
    return wrap(jnp.asarray(boxes, dtype)), wrap(jnp.asarray(spread, dtype))
