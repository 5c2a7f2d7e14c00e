"""vision.ops that choose boxes by their values: proposals, levels, matrix_nms; files."""

import os
import tempfile

from ..probe import array, attempt, leaf, pull
from ..registry import differs, program


def _boxes(np, r, *shape, size=6.0):
    low = r.uniform(0, 20, size=(*shape, 2))
    return np.concatenate([low, low + r.uniform(1, size, size=(*shape, 2))], -1).astype("float32")


@program
def boxes_by_level(paddle, np):
    """distribute_fpn_proposals: levels, order, numbers; pixels."""
    r = np.random.default_rng(81)
    boxes = paddle.to_tensor(_boxes(np, r, 12, size=500.0))
    counts = paddle.to_tensor(np.array([5, 0, 7], "int32"))
    out = {}
    for offset in (False, True):
        parts, restore, numbers = paddle.vision.ops.distribute_fpn_proposals(
            boxes, 2, 5, 4, 224, offset, counts
        )
        out[offset] = [
            [part.numpy() for part in parts], restore.numpy(), [n.numpy() for n in numbers],
        ]  # fmt: skip
    call = paddle.vision.ops.distribute_fpn_proposals
    return out | {"levels": attempt(lambda: call(boxes, 3, 3, 3, 9, rois_num=counts))}


@program
def proposals_of_a_network(paddle, np):
    """generate_proposals: limits, thresholds, small boxes, pixels."""
    r = np.random.default_rng(82)
    scores = paddle.to_tensor(r.normal(size=(2, 3, 4, 5)).astype("float32"))
    deltas = paddle.to_tensor(r.normal(size=(2, 12, 4, 5)).astype("float32") * 0.5)
    anchors = paddle.to_tensor(_boxes(np, r, 4, 5, 3, size=12.0))
    spread = paddle.to_tensor(r.uniform(0.5, 1.0, size=(4, 5, 3, 4)).astype("float32"))
    size = paddle.to_tensor([[24.0, 30.0], [20.0, 16.0]])
    out = {}
    for kwargs in (
        {}, {"pre_nms_top_n": 20, "post_nms_top_n": 5}, {"nms_thresh": 0.7, "eta": 0.9},
        {"min_size": 4.0, "pixel_offset": True},
    ):  # fmt: skip
        found = paddle.vision.ops.generate_proposals(
            scores, deltas, size, anchors, spread, return_rois_num=True, **kwargs
        )
        out[f"{kwargs}"] = [each.numpy() for each in found]
    return out


@program
def matrix_suppression(paddle, np):
    """matrix_nms: both decays, limits, the background, pixels, positions."""
    r = np.random.default_rng(83)
    boxes = paddle.to_tensor(_boxes(np, r, 2, 15, size=15.0))
    scores = paddle.to_tensor(r.uniform(size=(2, 3, 15)).astype("float32"))
    out = {}
    for args, kwargs in (
        ((0.2, 0.1, -1, -1), {}),
        ((0.3, 0.2, 8, 6), {"use_gaussian": True, "background_label": -1}),
        ((0.1, 0.0, 10, 12), {"normalized": False, "gaussian_sigma": 0.5, "use_gaussian": True}),
        ((0.99, 0.99, 5, 5), {}),
    ):
        found = paddle.vision.ops.matrix_nms(boxes, scores, *args, return_index=True, **kwargs)
        out[f"{args} {kwargs}"] = [each.numpy() for each in found]
    short = paddle.vision.ops.matrix_nms(boxes, scores, 0.2, 0.1, -1, -1, return_rois_num=False)
    return out | {"short": [None if each is None else list(each.shape) for each in short]}


@program
def loss_of_yolo(paddle, np):
    """yolo_loss: scores, smoothing, spread centers, fillings."""
    r, out = np.random.default_rng(84), {}
    x = r.normal(size=(2, 14, 4, 4)).astype("float32")
    box = r.uniform(0.2, 0.7, size=(2, 5, 4)).astype("float32")
    box[1, 2] = 0
    label = paddle.to_tensor(r.integers(0, 2, size=(2, 5)).astype("int32"))
    score = paddle.to_tensor(r.uniform(0.2, 1.0, size=(2, 5)).astype("float32"))
    anchors = [[10, 13, 16, 30, 33, 23, 60, 90], [0, 2], 2]
    for text, kwargs in {
        "plain": {}, "sharp": {"use_label_smooth": False}, "scores": {"gt_score": score},
        "spread": {"scale_x_y": 1.3},
    }.items():  # fmt: skip
        given = leaf(paddle, x)
        y = paddle.vision.ops.yolo_loss(
            given, paddle.to_tensor(box), label, *anchors, 0.4, 32, **kwargs
        )
        pull(paddle, np, y)
        out[text] = [y.numpy(), array(given.grad), y.grad_fn.name()]
    return out


@differs(
    "the gradient of a sum is the sum of the gradients; Paddle keeps the last one",
    right=True,
    paddle_gives=False,
)
def loss_of_yolo_of_two_boxes_at_one_place(paddle, np):
    """Whether twice the same true box doubles the gradient of the place."""
    x = np.random.default_rng(85).normal(size=(1, 7, 2, 2)).astype("float32")
    found = []
    for count in (1, 2):
        given = leaf(paddle, x)
        box = paddle.full([1, count, 4], 0.3)
        label = paddle.zeros([1, count], "int32")
        loss = paddle.vision.ops.yolo_loss(given, box, label, [8, 8], [0], 2, 0.9, 16)
        loss.sum().backward()
        found.append(given.grad.numpy()[:, :4])
    return bool(np.allclose(2 * found[0], found[1], rtol=1e-4))


@program
def bytes_of_a_file(paddle, np):
    """read_file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bytes")
        with open(path, "wb") as file:
            file.write(bytes(range(7)))
        return paddle.vision.ops.read_file(path).numpy()
