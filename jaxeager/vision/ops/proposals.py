"""Box proposals: generate_proposals and distribute_fpn_proposals.

The number of boxes depends on the values, so both functions read them from the device and run on
the host.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.dispatch import wrap
from jaxeager.vision.ops.matrix_nms import overlaps

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor

LARGEST_GROWTH = math.log(1000.0 / 16.0)


@names_operands
def distribute_fpn_proposals(
    fpn_rois: Tensor,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: float,
    pixel_offset: bool = False,
    rois_num: Tensor | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], Tensor, list[Tensor]]:
    """Distribute boxes over the levels of a feature pyramid by their size.

    Args:
        fpn_rois: float[boxes, 4], (x1, y1, x2, y2), ordered by image.
        min_level: the lowest level.
        max_level: the highest level.
        refer_level: the level of boxes of size ``refer_scale``; twice the size is one level up.
        refer_scale: that size, the square root of an area.
        pixel_offset: whether x2 and y2 are the last pixels; else they are edges.
        rois_num: int32[N], number of boxes of each image.
        name: ignored.

    Returns:
        a list of float[boxes, 4] for each level; int32[boxes, 1], the position of each given box in
        their concatenation; and a list of int32[N] for each level, the number of boxes per image.

    Raises:
        InvalidArgumentError: for invalid levels, or without rois_num.

    Example:
        >>> import jaxeager as paddle
        >>> boxes = paddle.to_tensor([[0.0, 0.0, 200.0, 200.0], [0.0, 0.0, 50.0, 50.0]])
        >>> levels, restore, counts = paddle.vision.ops.distribute_fpn_proposals(
        ...     boxes, 2, 3, 3, 100, rois_num=paddle.to_tensor([2], dtype="int32"))
        >>> [level.shape for level in levels], restore.flatten().tolist()
        ([paddle.Size([1, 4]), paddle.Size([1, 4])], [1, 0])
    """
    if min(min_level, max_level) <= 0:
        raise RefusedArgumentError(
            "min_level and max_level should be greater than 0, but received "
            f"{min_level} and {max_level}."
        )
    if max_level <= min_level:
        raise RefusedArgumentError(
            f"max_level should be greater than min_level, but received {max_level} and {min_level}."
        )
    if rois_num is None:
        raise RefusedArgumentError("rois_num should not be None in dygraph mode.")
    boxes, counts = host_values(fpn_rois._array), host_values(rois_num._array)
    if counts.sum() != len(boxes) or (counts < 0).any():
        raise InvalidArgumentError(
            f"rois_num must hold counts that add up to the {len(boxes)} boxes, but received "
            f"{counts.tolist()}."
        )
    sides = boxes[:, 2:] - boxes[:, :2]
    areas = np.where((sides < 0).any(1), 0, np.prod(sides + float(pixel_offset), 1))
    levels = np.floor(np.log2(np.sqrt(areas) / refer_scale + 1e-6) + refer_level)
    levels = np.clip(levels, min_level, max_level).astype(np.int64)
    order = np.argsort(levels, kind="stable")
    restore = np.empty(len(order), np.int32)
    restore[order] = np.arange(len(order))
    owner = np.repeat(np.arange(len(counts)), counts)
    each = range(min_level, max_level + 1)
    parts = [wrap(jnp.asarray(boxes[levels == level])) for level in each]
    numbers = [
        wrap(jnp.asarray(np.bincount(owner[levels == level], minlength=len(counts)), jnp.int32))
        for level in each
    ]
    return parts, wrap(jnp.asarray(restore[:, None])), numbers


def _decoded(anchors, deltas, variances, offset: float) -> np.ndarray:
    """Return the boxes given by differences from anchors."""
    size = anchors[:, 2:] - anchors[:, :2] + offset
    center = anchors[:, :2] + size / 2
    moved = deltas * variances
    center = center + moved[:, :2] * size
    half = np.exp(np.minimum(moved[:, 2:], LARGEST_GROWTH)) * size / 2
    return np.concatenate([center - half, center + half - offset], -1)


def _suppressed(boxes, threshold: float, eta: float, offset: float) -> list[int]:
    """Return the positions of boxes, sorted best first, that do not overlap a better kept box."""
    shared, kept = overlaps(boxes, offset), []
    for number in range(len(boxes)):
        if all(shared[number, other] <= threshold for other in kept):
            kept.append(number)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept


def _of_image(points, deltas, size, anchors, variances, limits: dict) -> tuple:
    """Return boxes and scores of one image, best first; one box of zeros if all are too small."""
    offset = float(limits["pixel_offset"])
    order = np.argsort(-points, kind="stable")
    top = limits["pre_nms_top_n"]
    order = order[:top] if 0 < top < len(order) else order
    boxes = _decoded(anchors[order], deltas[order], variances[order], offset)
    edge = np.array([size[1], size[0]] * 2, boxes.dtype) - offset
    boxes = np.clip(boxes, 0, np.maximum(edge, 0))
    sides = boxes[:, 2:] - boxes[:, :2] + offset
    large = (sides >= max(limits["min_size"], 1.0)).all(1)
    if limits["pixel_offset"]:
        large &= (boxes[:, :2] + sides / 2 <= np.array([size[1], size[0]])).all(1)
    boxes, points = boxes[large], points[order][large]
    if not len(boxes):  # one box of zeros
        return np.zeros((1, 4), boxes.dtype), np.zeros(1, points.dtype)
    if limits["nms_thresh"] > 0:
        kept = _suppressed(boxes, limits["nms_thresh"], limits["eta"], offset)
        last = limits["post_nms_top_n"]
        kept = kept[:last] if last > 0 else kept
        boxes, points = boxes[kept], points[kept]
    return boxes, points


@names_operands
def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    pixel_offset: bool = False,
    return_rois_num: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the best boxes encoded in the output of a region proposal network.

    Args:
        scores: float[N, A, H, W], with A anchors at each element.
        bbox_deltas: float[N, 4 * A, H, W], differences from the anchors.
        img_size: float[N, 2], height and width of the images.
        anchors: float[H, W, A, 4].
        variances: float[H, W, A, 4], factors of the differences.
        pre_nms_top_n: number of boxes to consider.
        post_nms_top_n: maximum number of boxes to return.
        nms_thresh: a box is removed if its overlap with a better box exceeds this.
        min_size: boxes with a shorter side are removed; at least 1.
        eta: factor of the threshold after each box, down to 0.5.
        pixel_offset: whether x2 and y2 are the last pixels; else they are edges.
        return_rois_num: ignored, as in Paddle: the numbers are always returned.
        name: ignored.

    Returns:
        float[boxes, 4], float[boxes, 1] scores, and int32[N] numbers of boxes.

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> anchors = paddle.to_tensor([[[[0.0, 0.0, 4.0, 4.0]]]])
        >>> boxes, scores, counts = paddle.vision.ops.generate_proposals(
        ...     paddle.ones([1, 1, 1, 1]), paddle.zeros([1, 4, 1, 1]),
        ...     paddle.to_tensor([[8.0, 8.0]]), anchors, paddle.ones([1, 1, 1, 4]))
        >>> boxes.tolist(), counts.tolist()
        ([[0.0, 0.0, 4.0, 4.0]], [1])
    """
    points, deltas, sizes, places, spread = (
        host_values(each._array) for each in (scores, bbox_deltas, img_size, anchors, variances)
    )
    batch, count, height, width = points.shape
    if deltas.shape != (batch, 4 * count, height, width) or places.size != 4 * points[:1].size:
        raise InvalidArgumentError(
            f"bbox_deltas must be {[batch, 4 * count, height, width]} and anchors "
            f"{[height, width, count, 4]}, but they are {list(deltas.shape)} and "
            f"{list(places.shape)}."
        )
    limits = {
        "pre_nms_top_n": pre_nms_top_n,
        "post_nms_top_n": post_nms_top_n,
        "nms_thresh": nms_thresh,
        "min_size": min_size,
        "eta": eta,
        "pixel_offset": pixel_offset,
    }
    flat = points.transpose(0, 2, 3, 1).reshape(batch, -1)
    moved = deltas.reshape(batch, count, 4, height, width).transpose(0, 3, 4, 1, 2)
    found = [
        _of_image(
            flat[n],
            moved[n].reshape(-1, 4),
            sizes[n],
            places.reshape(-1, 4),
            spread.reshape(-1, 4),
            limits,
        )
        for n in range(batch)
    ]
    boxes = np.concatenate([each for each, _ in found]).astype(deltas.dtype)
    best = np.concatenate([each for _, each in found])[:, None]
    counts = np.array([len(each) for each, _ in found], np.int32)
    return wrap(jnp.asarray(boxes)), wrap(jnp.asarray(best)), wrap(jnp.asarray(counts))
