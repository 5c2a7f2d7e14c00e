"""multiclass_nms3: the best boxes of each class, the last step of detectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.dispatch import wrap
from jaxeager.vision.ops.matrix_nms import overlaps

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor


@names_operands
def multiclass_nms3(
    bboxes: Tensor,
    scores: Tensor,
    rois_num: Tensor | None = None,
    score_threshold: float = 0.05,
    nms_top_k: int = -1,
    keep_top_k: int = -1,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = -1,
) -> tuple:
    """Return the boxes of each image that do not overlap a better one of their class.

    Their number depends on the values, so this function waits for the device.

    Args:
        bboxes: float[N, M, 4], (x1, y1, x2, y2); with ``rois_num`` float[M, classes, 4].
        scores: float[N, classes, M]; with ``rois_num`` float[M, classes].
        rois_num: int32[N], number of boxes of each image, M in total; or None.
        score_threshold: boxes of lower scores are removed first.
        nms_top_k: number of best boxes of a class to consider; -1 for all.
        keep_top_k: number of best boxes of an image to keep, over all classes; -1 for all.
        nms_threshold: a box is removed if its overlap with a better kept box exceeds this.
        normalized: whether corners are points; False for pixels, which have a width of 1.
        nms_eta: below 1, the threshold is multiplied by it after each kept box, while it is
            above 0.5.
        background_label: the class to ignore; -1 for none.

    Returns:
        float[kept, 6], (class, score, x1, y1, x2, y2), by image, class and score (with
        ``rois_num``, by position instead of score); int32[kept, 1], the position of each among all
        boxes; int32[N], the number of kept boxes of each image.

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> boxes = paddle.to_tensor([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]])
        >>> out, index, counts = paddle._C_ops.multiclass_nms3(
        ...     boxes, paddle.to_tensor([[[0.5, 0.75]]]), None, 0.1, -1, -1, 0.3, True, 1.0, -1
        ... )
        >>> index.tolist(), counts.tolist()
        ([[1]], [1])
    """
    images = _images(host_values(bboxes._array), host_values(scores._array), rois_num)
    rows, index, counts = [], [], []
    for boxes, points, positions in images:
        found = []
        for label in range(points.shape[0]):
            if label != background_label:
                kept = _of_class(
                    boxes[label], points[label], score_threshold, nms_top_k, nms_threshold,
                    float(not normalized), nms_eta,
                )  # fmt: skip
                found += [(label, points[label, at], at) for at in kept]
        if 0 <= keep_top_k < len(found):
            best = sorted(found, key=lambda each: -each[1])[:keep_top_k]
            found = sorted(best, key=lambda each: each[0])
        if rois_num is not None:  # Paddle then returns them in input order
            found = sorted(found, key=lambda each: (each[0], each[2]))
        rows += [[label, score, *boxes[label, at]] for label, score, at in found]
        index += [[positions[label, at]] for label, _, at in found]
        counts.append(len(found))
    return (
        wrap(jnp.asarray(np.array(rows, images[0][0].dtype).reshape(-1, 6))),
        wrap(jnp.asarray(np.array(index, np.int32).reshape(-1, 1))),
        wrap(jnp.asarray(np.array(counts, np.int32))),
    )


def _images(places: np.ndarray, points: np.ndarray, rois_num) -> list[tuple]:
    """Return boxes [classes, m, 4], scores and positions [classes, m] of each image."""
    if rois_num is None:
        if places.ndim != 3 or points.ndim != 3 or points.shape[::2] != places.shape[:2]:
            raise InvalidArgumentError(
                "bboxes must be [N, M, 4] and scores [N, classes, M], but they are "
                f"{list(places.shape)} and {list(points.shape)}."
            )
        classes, count = points.shape[1:]
        return [
            (
                np.broadcast_to(boxes, (classes, *boxes.shape)),
                of_image,
                np.broadcast_to(np.arange(count) + number * count, (classes, count)),
            )
            for number, (boxes, of_image) in enumerate(zip(places, points, strict=True))
        ]
    if places.ndim != 3 or points.shape != places.shape[:2]:
        raise InvalidArgumentError(
            "With rois_num, bboxes must be [M, classes, 4] and scores [M, classes], but they are "
            f"{list(places.shape)} and {list(points.shape)}."
        )
    ends = np.cumsum(host_values(rois_num._array))
    spans = zip(ends - host_values(rois_num._array), ends, strict=True)
    positions = np.arange(points.size).reshape(points.shape)
    return [
        (
            places[start:end].transpose(1, 0, 2),
            points[start:end].T,
            positions[start:end].T,
        )
        for start, end in spans
    ]


def _of_class(boxes, points, least, top, threshold, offset, eta) -> list[int]:
    """Return the positions of the remaining boxes of one class, best first."""
    order = np.argsort(-points, kind="stable")
    order = order[points[order] > least]
    order = order if top < 0 else order[:top]
    shared = overlaps(boxes[order].astype(np.float64), offset)
    kept: list[int] = []
    for at in range(len(order)):
        if all(shared[at, other] <= threshold for other in kept):
            kept.append(at)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return [order[at] for at in kept]
