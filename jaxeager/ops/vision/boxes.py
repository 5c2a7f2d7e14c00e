"""Rows box_coder and yolo_box: conversions of detection boxes. Neither has a gradient."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.attrs import Shape, Static
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

CODE_TYPES = ("encode_center_size", "decode_center_size")


def _centers(boxes, box_normalized: bool):
    """Return centers and sizes of boxes [..., 4]."""
    size = boxes[..., 2:] - boxes[..., :2] + (0 if box_normalized else 1)
    return boxes[..., :2] + size / 2, size


def box_coder_forward(
    prior_box,
    target_box,
    prior_box_var=None,
    *,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    variance: Static = (),
):
    """Return boxes [N, M, 4] relative to prior boxes [M, 4], or make relative ones absolute."""
    if prior_box.ndim != 2 or prior_box.shape[1] != 4 or target_box.shape[-1] != 4:
        raise ValueError(
            f"prior_box must be [M, 4] and target_box [..., 4], but they are "
            f"{list(prior_box.shape)} and {list(target_box.shape)}."
        )
    if len(variance) not in (0, 4) or axis not in (0, 1):
        raise ValueError(
            f"the variance must be 4 numbers and axis 0 or 1, but received {variance} and {axis}."
        )
    if code_type not in CODE_TYPES:
        raise ValueError(
            f"code_type must be one of {', '.join(CODE_TYPES)}, but received {code_type!r}."
        )
    spread = prior_box_var
    if spread is None:
        spread = jnp.asarray(variance or (1.0,) * 4, prior_box.dtype)
    if code_type == CODE_TYPES[0]:
        if target_box.ndim != 2:
            raise ValueError(f"target_box must have 2 dimensions, but has {target_box.ndim}.")
        center, size = _centers(prior_box, box_normalized)
        middle = (target_box[:, :2] + target_box[:, 2:]) / 2
        wanted = _centers(target_box, box_normalized)[1]
        moved = (middle[:, None] - center) / size
        grown = jnp.log(jnp.abs(wanted[:, None] / size))
        return jnp.concatenate([moved, grown], -1) / spread
    if target_box.ndim != 3 or target_box.shape[1 - axis] != prior_box.shape[0]:
        raise ValueError(
            f"target_box must be [N, M, 4] with {prior_box.shape[0]} boxes along axis {1 - axis}, "
            f"but is {list(target_box.shape)}."
        )
    along = (None, slice(None)) if axis == 0 else (slice(None), None)
    center, size = (each[along] for each in _centers(prior_box, box_normalized))
    scaled = target_box * (spread[along] if spread.ndim == 2 else spread)
    middle = scaled[..., :2] * size + center
    half = jnp.exp(scaled[..., 2:]) * size / 2
    return jnp.concatenate([middle - half, middle + half - (0 if box_normalized else 1)], -1)


def box_coder_reference(
    prior_box,
    target_box,
    prior_box_var=None,
    code_type="encode_center_size",
    box_normalized=True,
    axis=0,
    variance=(),
):
    """Loop over the pairs."""
    one = 0 if box_normalized else 1
    encodes = code_type == "encode_center_size"
    shape = (len(target_box), len(prior_box), 4) if encodes else target_box.shape
    out = np.zeros(shape, target_box.dtype)
    for n, m in np.ndindex(*shape[:2]):
        number = m if encodes or axis == 0 else n
        x1, y1, x2, y2 = prior_box[number]
        spread = variance or (1,) * 4 if prior_box_var is None else prior_box_var[number]
        w, h = x2 - x1 + one, y2 - y1 + one
        cx, cy = x1 + w / 2, y1 + h / 2
        if encodes:
            a, b, c, d = target_box[n]
            moved = ((a + c) / 2 - cx) / w, ((b + d) / 2 - cy) / h
            grown = np.log(abs((c - a + one) / w)), np.log(abs((d - b + one) / h))
            out[n, m] = np.array([*moved, *grown]) / spread
        else:
            t = target_box[n, m] * spread
            x, y = t[0] * w + cx, t[1] * h + cy
            p, q = np.exp(t[2]) * w / 2, np.exp(t[3]) * h / 2
            out[n, m] = x - p, y - q, x + p - one, y + q - one
    return out


def box_coder_samples():
    """Yield both directions, both kinds of variance, both axes."""
    low = values((3, 2), 0, 1)
    prior = np.concatenate([low, low + values((3, 2), 0.5, 2, seed=1)], -1)
    spread, target = values((3, 4), 0.5, 2, seed=2), values((2, 3, 4), -1, 1, seed=3)
    boxes = np.concatenate([low[:2], low[:2] + 1.5], -1)
    yield Sample(prior, boxes, spread)
    yield Sample(prior, boxes, None, box_normalized=False, variance=(0.1, 0.1, 0.2, 0.2))
    yield Sample(prior, target, spread, code_type="decode_center_size")
    decode = {"code_type": "decode_center_size", "axis": 1, "box_normalized": False}
    yield Sample(prior, target.transpose(1, 0, 2), None, **decode)


def box_coder_errors():
    """Yield shapes that do not fit."""
    prior, bad = values((3, 4)), InvalidArgumentError
    yield BadInput((prior[:, :3], prior), {}, bad, "prior_box must be [M, 4]")
    yield BadInput((prior, prior), {"code_type": "encode"}, bad, "but received 'encode'")
    decode = {"code_type": "decode_center_size"}
    yield BadInput((prior, values((2, 2, 4))), decode, bad, "with 3 boxes along axis 1")


box_coder = op(
    "box_coder",
    real_only(box_coder_forward),
    vjp=NONDIFF,
    public=None,
    reference=box_coder_reference,
    samples=box_coder_samples,
    errors=box_coder_errors,
    dtypes="float32 float64",
    doc="Encode boxes relative to prior boxes, or decode them; vision.ops.box_coder.",
    example="paddle.vision.ops.box_coder(paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]]), "
    "[1.0, 1.0, 1.0, 1.0], paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]]))",
)


# ---- yolo_box


def yolo_box_forward(
    x,
    img_size,
    *,
    anchors: Shape,
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
):
    """Return boxes [N, A * H * W, 4] and scores [N, A * H * W, classes] for [N, channels, H, W]."""
    count = len(anchors) // 2
    wanted = count * (5 + class_num + iou_aware)
    if x.ndim != 4 or x.shape[1] != wanted or len(anchors) % 2 or not anchors:
        raise ValueError(
            f"x must be [N, {wanted}, H, W] for {count} anchors and {class_num} classes, but is "
            f"{list(x.shape)}."
        )
    if img_size.shape != (x.shape[0], 2):
        raise ValueError(f"img_size must be [{x.shape[0]}, 2], but is {list(img_size.shape)}.")
    batch, _, height, width = x.shape
    overlap, rest = (x[:, :count], x[:, count:]) if iou_aware else (None, x)
    each = rest.reshape(batch, count, 5 + class_num, height, width)
    confidence = jax.nn.sigmoid(each[:, :, 4])
    if overlap is not None:
        confidence = confidence ** (1 - iou_aware_factor)
        confidence = confidence * jax.nn.sigmoid(overlap) ** iou_aware_factor
    size = img_size[:, None, None, None, ::-1].astype(x.dtype)  # width, height
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1)
    place = jnp.moveaxis(jax.nn.sigmoid(each[:, :, :2]), 2, -1) * scale_x_y
    center = (place - 0.5 * (scale_x_y - 1) + jnp.asarray(grid, x.dtype)) * size
    center = center / jnp.asarray((width, height), x.dtype)
    shape = jnp.asarray(np.array(anchors).reshape(count, 1, 1, 2), x.dtype)
    input_size = jnp.asarray((downsample_ratio * width, downsample_ratio * height), x.dtype)
    half = jnp.exp(jnp.moveaxis(each[:, :, 2:4], 2, -1)) * shape * size / input_size / 2
    low, high = center - half, center + half
    if clip_bbox:
        low, high = jnp.maximum(low, 0), jnp.minimum(high, size - 1)
    is_sure = confidence >= conf_thresh
    boxes = jnp.where(is_sure[..., None], jnp.concatenate([low, high], -1), 0)
    scores = jnp.moveaxis(jax.nn.sigmoid(each[:, :, 5:]), 2, -1) * confidence[..., None]
    scores = jnp.where(is_sure[..., None], scores, 0)
    places = count * height * width
    return boxes.reshape(batch, places, 4), scores.reshape(batch, places, class_num)


def yolo_box_reference(
    x,
    img_size,
    anchors,
    class_num,
    conf_thresh,
    downsample_ratio,
    clip_bbox=True,
    scale_x_y=1.0,
    iou_aware=False,
    iou_aware_factor=0.5,
):
    """Loop over the boxes."""
    count, (batch, _, height, width) = len(anchors) // 2, x.shape
    boxes = np.zeros((batch, count, height, width, 4), x.dtype)
    scores = np.zeros((batch, count, height, width, class_num), x.dtype)
    sure = 1 / (1 + np.exp(-x))
    for n, a, i, j in np.ndindex(batch, count, height, width):
        first = (count if iou_aware else 0) + a * (5 + class_num)
        h, w = img_size[n]
        confidence = sure[n, first + 4, i, j]
        if iou_aware:
            part = iou_aware_factor
            confidence = confidence ** (1 - part) * sure[n, a, i, j] ** part
        if confidence < conf_thresh:
            continue
        spread = scale_x_y, 0.5 * (scale_x_y - 1)
        cx = (j + sure[n, first, i, j] * spread[0] - spread[1]) * w / width
        cy = (i + sure[n, first + 1, i, j] * spread[0] - spread[1]) * h / height
        bw = np.exp(x[n, first + 2, i, j]) * anchors[2 * a] * w / (downsample_ratio * width)
        bh = np.exp(x[n, first + 3, i, j]) * anchors[2 * a + 1] * h / (downsample_ratio * height)
        box = [cx - bw / 2, cy - bh / 2, cx + bw / 2, cy + bh / 2]
        if clip_bbox:
            box = [max(box[0], 0), max(box[1], 0), min(box[2], w - 1), min(box[3], h - 1)]
        boxes[n, a, i, j] = box
        scores[n, a, i, j] = sure[n, first + 5 : first + 5 + class_num, i, j] * confidence
    return boxes.reshape(batch, -1, 4), scores.reshape(batch, -1, class_num)


def yolo_box_samples():
    """Yield clipped and unclipped boxes, scaled centers, predicted overlaps."""
    size = np.array([[20, 30], [16, 16]], np.int32)
    attrs = {"anchors": (4, 6, 10, 8), "class_num": 2, "conf_thresh": 0.4, "downsample_ratio": 8}
    yield Sample(values((2, 14, 2, 3)), size, **attrs)
    yield Sample(values((2, 14, 2, 3)), size, **attrs, clip_bbox=False, scale_x_y=1.2)
    yield Sample(values((2, 16, 2, 1)), size, **attrs, iou_aware=True, iou_aware_factor=0.4)


def yolo_box_errors():
    """Yield channels that do not fit."""
    attrs = {"anchors": (4, 6), "class_num": 2, "conf_thresh": 0.4, "downsample_ratio": 8}
    call = (values((1, 6, 1, 1)), np.array([[8, 8]], np.int32))
    yield BadInput(call, attrs, InvalidArgumentError, "x must be [N, 7, H, W] for 1 anchors")


yolo_box = op(
    "yolo_box",
    real_only(yolo_box_forward),
    vjp=NONDIFF,
    outputs="boxes scores",
    public=None,
    reference=yolo_box_reference,
    samples=yolo_box_samples,
    errors=yolo_box_errors,
    dtypes="float32 float64",
    doc="Compute the boxes and scores that an output of YOLOv3 encodes; vision.ops.yolo_box.",
    example="paddle.vision.ops.yolo_box(paddle.zeros([1, 7, 1, 1]), "
    "paddle.to_tensor([[8, 8]], dtype='int32'), [4, 4], 2, 0.1, 8)",
)
