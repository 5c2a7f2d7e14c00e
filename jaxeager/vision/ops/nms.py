"""Non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import RefusedArgumentError
from jaxeager.kernels.tracing import jit
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.dispatch import wrap

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@jit
def _kept(boxes, groups, iou_threshold):
    """Return which boxes, sorted best first, do not overlap a better kept box of their group."""
    left, top, right, bottom = boxes.T
    area = (right - left) * (bottom - top)
    width = jnp.minimum(right[:, None], right) - jnp.maximum(left[:, None], left)
    height = jnp.minimum(bottom[:, None], bottom) - jnp.maximum(top[:, None], top)
    shared = jnp.maximum(width, 0) * jnp.maximum(height, 0)
    overlaps = shared / (area[:, None] + area - shared) > iou_threshold
    overlaps &= groups[:, None] == groups
    places = jnp.arange(boxes.shape[0])

    def step(i, kept):
        return jnp.where(kept[i] & (places > i), kept & ~overlaps[i], kept)

    return lax.fori_loop(0, boxes.shape[0], step, jnp.ones(boxes.shape[0], bool))


@names_operands
def nms(
    boxes: Tensor,
    iou_threshold: float = 0.3,
    scores: Tensor | None = None,
    category_idxs: Tensor | None = None,
    categories: Sequence[int] | None = None,
    top_k: int | None = None,
) -> Tensor:
    """Return the positions of boxes that do not overlap a better one, best first.

    Their number depends on the values, so this function waits for the device.

    Args:
        boxes: float[boxes, 4], (x1, y1, x2, y2).
        iou_threshold: a box is removed if its intersection over union with a kept box exceeds
            this.
        scores: float[boxes]; without them, the first box is the best.
        category_idxs: int[boxes]; boxes of different categories do not suppress each other.
        categories: the categories to consider, needed with ``category_idxs``.
        top_k: maximum number of boxes to return.

    Returns:
        int64[kept].

    Raises:
        InvalidArgumentError: for category_idxs without scores or categories, or a top_k greater
            than the number of boxes.

    Example:
        >>> import jaxeager as paddle
        >>> near, far = [[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9]], [3.0, 3.0, 4.0, 4.0]
        >>> boxes = paddle.to_tensor([*near, far])
        >>> paddle.vision.ops.nms(boxes, 0.5, paddle.to_tensor([0.5, 0.9, 0.1])).tolist()
        [1, 2]
    """
    count = boxes.shape[0]
    if category_idxs is not None and (scores is None or categories is None):
        raise RefusedArgumentError(
            "if category_idxs is given, categories which is a list of unique id of all categories "
            "is necessary; so are scores."
        )
    if top_k is not None and category_idxs is not None and top_k > count:
        raise RefusedArgumentError(
            f"top_k should be smaller equal than the number of boxes, but {top_k} > {count}."
        )
    if count == 0:
        return wrap(jnp.zeros(0, jnp.int64))
    array = boxes._array
    order = jnp.arange(count)
    if scores is not None:
        order = jnp.argsort(-scores._array, stable=True)
    groups = jnp.zeros(count, jnp.int64)
    if category_idxs is not None:
        groups = category_idxs._array[order].astype(jnp.int64)
    limit = jnp.asarray(iou_threshold, array.dtype)
    kept = np.asarray(_kept(array[order], groups, limit))
    if categories is not None and category_idxs is not None:
        kept = kept & np.isin(np.asarray(groups), np.asarray(list(categories)))
    found = np.asarray(order)[kept]
    is_cut = top_k is not None and category_idxs is not None
    return wrap(jnp.asarray(found[:top_k] if is_cut else found, jnp.int64))
