"""matrix_nms: suppression that lowers scores instead of removing boxes one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.dispatch import wrap

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor


def overlaps(boxes: np.ndarray, offset: float) -> np.ndarray:
    """Return the intersection over union of each pair of boxes [n, 4]; offset is 1 for pixels.

    Disjoint boxes have no intersection, even if they are less than a pixel apart.
    """
    left, top, right, bottom = boxes.T
    area = np.maximum(right - left + offset, 0) * np.maximum(bottom - top + offset, 0)
    width = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    height = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    shared = np.where((width >= 0) & (height >= 0), (width + offset) * (height + offset), 0.0)
    union = area[:, None] + area - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def _decayed(boxes, scores, offset: float, use_gaussian: bool, sigma: float) -> np.ndarray:
    """Return the scores of boxes, best first, lowered by the better boxes they overlap."""
    shared = np.tril(overlaps(boxes, offset), -1)
    most = shared.max(-1, initial=0.0)
    if use_gaussian:
        decay = np.exp((most**2 - shared**2) * sigma)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            decay = (1 - shared) / (1 - most)
    better = np.tri(len(scores), k=-1, dtype=bool)
    return scores * np.where(better, decay, 1.0).min(-1, initial=1.0)


@names_operands
def matrix_nms(
    bboxes: Tensor,
    scores: Tensor,
    score_threshold: float,
    post_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
    return_index: bool = False,
    return_rois_num: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Return the best boxes of each image; boxes that overlap better ones get lower scores.

    Their number depends on the values, so this function reads them from the device and runs on the
    host.

    Args:
        bboxes: float[N, M, 4], (x1, y1, x2, y2).
        scores: float[N, classes, M].
        score_threshold: minimum score before scores are lowered, exclusive.
        post_threshold: minimum score afterwards, exclusive.
        nms_top_k: number of boxes per class to consider, -1 for all.
        keep_top_k: number of boxes per image to return, -1 for all.
        use_gaussian: whether scores decrease with the overlap as a Gaussian, else linearly.
        gaussian_sigma: rate of the Gaussian.
        background_label: a class to ignore, -1 for none.
        normalized: whether x2 and y2 are edges; else they are the last pixels.
        return_index: whether to return the positions in ``bboxes``.
        return_rois_num: whether to return the numbers of boxes.
        name: ignored.

    Returns:
        float[boxes, 6] of (class, score, x1, y1, x2, y2), int32[N] numbers of boxes or None, and
        int32[boxes, 1] positions or None.

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> boxes = paddle.to_tensor([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]])
        >>> scores = paddle.to_tensor([[[0.5, 0.75]]])
        >>> nms = paddle.vision.ops.matrix_nms
        >>> nms(boxes, scores, 0.1, 0.1, -1, -1, background_label=-1)[0].tolist()
        [[0.0, 0.75, 0.0, 0.0, 1.0, 1.0]]
    """
    places, values = host_values(bboxes._array), host_values(scores._array)
    shape = places.shape
    if len(shape) != 3 or shape[2] != 4 or values.shape != (shape[0], values.shape[1], shape[1]):
        raise InvalidArgumentError(
            "bboxes must be [N, M, 4] and scores [N, classes, M], but they are "
            f"{list(shape)} and {list(values.shape)}."
        )
    rows, index, counts = [], [], []
    for number, (boxes, points) in enumerate(zip(places, values, strict=True)):
        found = []
        for label, point in enumerate(points):
            if label != background_label:
                found += _of_class(
                    boxes, point, label, score_threshold, post_threshold, nms_top_k,
                    float(not normalized), use_gaussian, gaussian_sigma,
                )  # fmt: skip
        found.sort(key=lambda each: -each[1])
        found = found if keep_top_k < 0 else found[:keep_top_k]
        rows += [[label, score, *boxes[at]] for label, score, at in found]
        index += [[number * shape[1] + at] for _, _, at in found]
        counts.append(len(found))
    out = wrap(jnp.asarray(np.array(rows, places.dtype).reshape(-1, 6)))
    positions = wrap(jnp.asarray(np.array(index, np.int32).reshape(-1, 1)))
    numbers = wrap(jnp.asarray(np.array(counts, np.int32)))
    return out, numbers if return_rois_num else None, positions if return_index else None


def _of_class(
    boxes, point, label, score_threshold, post_threshold, top, offset, use_gaussian, sigma
) -> list:
    """Return (class, score, position) of the remaining boxes of one class."""
    order = np.argsort(-point, kind="stable")
    order = order[point[order] > score_threshold]
    order = order if top < 0 else order[:top]
    exact = boxes[order].astype(np.float64), point[order].astype(np.float64)
    lowered = _decayed(*exact, offset, use_gaussian, sigma)
    pairs = zip(lowered, order, strict=True)
    return [(label, score, at) for score, at in pairs if score > post_threshold]
