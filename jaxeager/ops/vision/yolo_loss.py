"""The yolo_loss row: the loss of an output of YOLOv3 against the true boxes."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Shape
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

TINY = 1e-6  # true boxes with a shorter side are padding


def _check(x, gt_box, gt_label, gt_score, count: int, classes: int) -> None:
    channels = count * (5 + classes)
    if x.ndim != 4 or x.shape[1] != channels or x.shape[2] != x.shape[3]:
        raise ValueError(
            f"x must be [N, {channels}, S, S] for {count} anchors and {classes} classes, but is "
            f"{list(x.shape)}."
        )
    if gt_box.ndim != 3 or gt_box.shape[::2] != (x.shape[0], 4):
        raise ValueError(f"gt_box must be [{x.shape[0]}, boxes, 4], but is {list(gt_box.shape)}.")
    for name, each in (("gt_label", gt_label), ("gt_score", gt_score)):
        if each is not None and each.shape != gt_box.shape[:2]:
            raise ValueError(f"{name} must be {list(gt_box.shape[:2])}, but is {list(each.shape)}.")
    same_dtype(x, gt_box)


def _entropy(logit, label):
    """Return the cross entropy of sigmoid(logit)."""
    return jnp.maximum(logit, 0) - logit * label + jnp.log1p(jnp.exp(-jnp.abs(logit)))


def _overlap(low, high, other_low, other_high):
    """Return intersection over union of boxes [..., 2] given by their corners."""
    sides = jnp.minimum(high, other_high) - jnp.maximum(low, other_low)
    shared = jnp.where((sides < 0).any(-1), 0, jnp.prod(sides, -1))
    return shared / (jnp.prod(high - low, -1) + jnp.prod(other_high - other_low, -1) - shared)


def _is_near(each, gt_box, shapes, ignore_thresh: float, scale: float):
    """Return a mask of predicted boxes [N, A, S, S] that overlap a true one over the threshold."""
    side = each.shape[-1]
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), 0)
    place = jax.nn.sigmoid(each[:, :, :2]) * scale - 0.5 * (scale - 1)
    center = (place + jnp.asarray(grid, each.dtype)) / side
    half = jnp.exp(each[:, :, 2:4]) * shapes[:, :, None, None] / 2
    low, high = (
        jnp.moveaxis(corner, 2, -1)[..., None, :] for corner in (center - half, center + half)
    )
    true_half = gt_box[:, None, None, None, :, 2:] / 2
    true_center = gt_box[:, None, None, None, :, :2]
    shared = _overlap(low, high, true_center - true_half, true_center + true_half)
    is_true = (gt_box[..., 2:] > TINY).all(-1)[:, None, None, None]
    return jnp.where(is_true, shared, 0).max(-1, initial=0.0) > ignore_thresh


def _responsible(gt_box, shapes, anchor_mask: tuple[int, ...]):
    """Return the masked anchor that fits each true box best, or -1 if another anchor does."""
    half, zero = gt_box[:, :, None, 2:] / 2, jnp.zeros((), gt_box.dtype)
    shared = _overlap(zero - half, half, -shapes / 2, shapes / 2)
    order = np.full(len(shapes), -1, np.int32)
    order[list(anchor_mask)] = np.arange(len(anchor_mask))
    found = jnp.asarray(order)[jnp.argmax(shared, -1)]
    return jnp.where((gt_box[..., 2:] > TINY).all(-1), found, -1)


def _marks(near, anchor, row, col, score):
    """Return, per predicted box, the score of its true box; -1 if only near one; else 0."""
    batch = jnp.arange(near.shape[0])

    def mark(number, marks):
        at = batch, jnp.maximum(anchor[:, number], 0), row[:, number], col[:, number]
        value = jnp.where(anchor[:, number] >= 0, score[:, number], marks[at])
        return marks.at[at].set(value)

    start = jnp.where(near, -1, 0).astype(score.dtype)
    return lax.fori_loop(0, anchor.shape[1], mark, start)


def yolo_loss_forward(
    x,
    gt_box,
    gt_label,
    gt_score=None,
    *,
    anchors: Shape,
    anchor_mask: Shape,
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    use_label_smooth: bool = True,
    scale_x_y: float = 1.0,
):
    """Return the loss of each image: the sum over places, confidences and classes."""
    count = len(anchor_mask)
    _check(x, gt_box, gt_label, gt_score, count, class_num)
    batch, side = x.shape[0], x.shape[2]
    each = x.reshape(batch, count, 5 + class_num, side, side)
    score = jnp.ones(gt_box.shape[:2], x.dtype) if gt_score is None else jnp.asarray(gt_score)
    size = downsample_ratio * side
    shapes = jnp.asarray(np.array(anchors).reshape(-1, 2) / size, x.dtype)
    masked = shapes[np.array(anchor_mask)]
    fixed = lax.stop_gradient(each)
    anchor = _responsible(gt_box, shapes, anchor_mask)
    col, row = (
        jnp.clip((gt_box[..., axis] * side).astype(jnp.int32), 0, side - 1) for axis in range(2)
    )
    near = _is_near(fixed, gt_box, masked, ignore_thresh, scale_x_y)
    marks = _marks(near, anchor, row, col, score)
    chosen = jnp.maximum(anchor, 0)
    seen = each[jnp.arange(batch)[:, None], chosen, :, row, col]  # [N, boxes, 5 + classes]
    true_score = jnp.where(anchor >= 0, score, 0)[..., None]
    weight = true_score * (2 - gt_box[..., 2:3] * gt_box[..., 3:4])
    place = gt_box[..., :2] * side - jnp.stack([col, row], -1)
    grown = jnp.log(jnp.maximum(gt_box[..., 2:], TINY) / masked[chosen])
    where = _entropy(seen[..., :2], place) + jnp.abs(grown - seen[..., 2:4])
    smooth = min(1 / class_num, 1 / 40) if use_label_smooth else 0.0
    is_class = gt_label[..., None] == np.arange(class_num)
    label = jnp.where(is_class, 1 - smooth, smooth).astype(x.dtype)
    boxes = (where * weight).sum((1, 2)) + (_entropy(seen[..., 5:], label) * true_score).sum((1, 2))
    sure = each[:, :, 4]
    blank = jnp.where(marks > -0.5, _entropy(sure, 0.0), 0)
    objects = jnp.where(marks > 1e-5, _entropy(sure, 1.0) * marks, blank)
    return boxes + objects.sum((1, 2, 3))


def yolo_loss_reference(
    x,
    gt_box,
    gt_label,
    gt_score=None,
    *,
    anchors,
    anchor_mask,
    class_num,
    ignore_thresh,
    downsample_ratio,
    use_label_smooth=True,
    scale_x_y=1.0,
):
    """Loop over the predicted boxes and the true boxes."""
    batch, side, count = x.shape[0], x.shape[2], len(anchor_mask)
    each = x.reshape(batch, count, 5 + class_num, side, side)
    shapes = np.array(anchors).reshape(-1, 2) / (downsample_ratio * side)
    smooth = min(1 / class_num, 1 / 40) if use_label_smooth else 0.0
    loss, marks = np.zeros(batch), np.zeros((batch, count, side, side))
    for n, a, i, j in np.ndindex(*marks.shape):
        t = each[n, a, :, i, j]
        place = 1 / (1 + np.exp(-t[:2])) * scale_x_y - 0.5 * (scale_x_y - 1) + (j, i)
        sides = np.exp(t[2:4]) * shapes[anchor_mask[a]]
        shared = [_iou(place / side, sides, b[:2], b[2:]) for b in gt_box[n] if min(b[2:]) > TINY]
        marks[n, a, i, j] = -1 if max(shared, default=0) > ignore_thresh else 0
    for n, b in np.ndindex(*gt_label.shape):
        box, score = gt_box[n, b], 1.0 if gt_score is None else gt_score[n, b]
        best = np.argmax([_iou(np.zeros(2), box[2:], np.zeros(2), shape) for shape in shapes])
        if min(box[2:]) <= TINY or best not in anchor_mask:
            continue
        a, (j, i) = list(anchor_mask).index(best), (box[:2] * side).astype(int)
        t = each[n, a, :, i, j]
        where = _reference_entropy(t[:2], box[:2] * side - (j, i))
        where = where + abs(np.log(box[2:] / shapes[best]) - t[2:4])
        label = np.where(np.arange(class_num) == gt_label[n, b], 1 - smooth, smooth)
        loss[n] += where.sum() * (2 - box[2] * box[3]) * score
        loss[n] += _reference_entropy(t[5:], label).sum() * score
        marks[n, a, i, j] = score
    sure = each[:, :, 4]
    lost = np.where(marks > 1e-5, _reference_entropy(sure, 1.0) * marks, 0)
    lost = lost + np.where(abs(marks) <= 1e-5, _reference_entropy(sure, 0.0), 0)
    return loss + lost.sum((1, 2, 3))


def _reference_entropy(logit, label):
    return np.logaddexp(0, logit) - logit * label


def _iou(center, sides, other, other_sides) -> float:
    shared = np.minimum(center + sides / 2, other + other_sides / 2)
    shared = shared - np.maximum(center - sides / 2, other - other_sides / 2)
    area = 0 if min(shared) < 0 else np.prod(shared)
    return area / (np.prod(sides) + np.prod(other_sides) - area)


def yolo_loss_samples():
    """Yield with and without scores and smoothing, two boxes at one place, padding."""
    box = values((2, 4, 4), 0.2, 0.7, seed=1)
    box[1, 2], box[0, 3] = 0, box[0, 0] * 1.001
    label = np.array([[0, 1, 1, 0], [1, 0, 0, 1]], np.int32)
    attrs = {"anchors": (10, 13, 16, 30, 33, 23), "anchor_mask": (0, 2), "class_num": 2}
    attrs |= {"ignore_thresh": 0.4, "downsample_ratio": 16}
    yield Sample(values((2, 14, 3, 3)), box, label, **attrs)
    score = values((2, 4), 0.3, 1.0, seed=2)
    yield Sample(values((2, 14, 3, 3)), box, label, score, **attrs, use_label_smooth=False)
    yield Sample(values((2, 14, 3, 3)), box, label, **attrs, scale_x_y=1.2)


def yolo_loss_errors():
    """Yield shapes that do not fit."""
    x, box, bad = values((1, 7, 2, 2)), values((1, 3, 4), 0.1, 0.5), InvalidArgumentError
    attrs = {"anchors": (4, 6), "anchor_mask": (0,), "class_num": 2, "ignore_thresh": 0.5}
    attrs["downsample_ratio"] = 8
    label = np.zeros((1, 3), np.int32)
    yield BadInput((x[:, :6], box, label), attrs, bad, "x must be [N, 7, S, S] for 1 anchors")
    yield BadInput((x, box, label[:, :2]), attrs, bad, "gt_label must be [1, 3], but is [1, 2]")
    yield BadInput((x, box[0], label), attrs, bad, "gt_box must be [1, boxes, 4]")


yolo_loss = op(
    "yolo_loss",
    real_only(yolo_loss_forward),
    vjp=DERIVED,
    saves="x gt_box gt_label gt_score",
    nondiff="gt_box gt_label gt_score",
    public=None,
    reference=yolo_loss_reference,
    samples=yolo_loss_samples,
    errors=yolo_loss_errors,
    # With 8 bits of precision, the boxes near a true one depend on the last digit.
    dtypes="float32 float64",
    formula="dx = (sigmoid(x) - label) * weight; of sizes sign(x - log(size / anchor)) * weight",
    boundary="0 for a size that is exactly the true one.",
    doc="Add up the YOLOv3 losses of places, confidences and classes; vision.ops.yolo_loss.",
    example="paddle.vision.ops.yolo_loss(paddle.zeros([1, 7, 1, 1]), paddle.full([1, 1, 4], 0.5), "
    "paddle.zeros([1, 1], 'int32'), [4, 4], [0], 2, 0.5, 8)",
)
