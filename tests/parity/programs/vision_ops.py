"""vision.ops: deformable convolution, pooling over boxes, boxes of detectors, suppression."""

from ..probe import array, attempt, graph, leaf, pull
from ..registry import differs, program

BOXES = [[0.3, 0.6, 3.2, 4.1], [1.2, -0.7, 6.4, 2.6], [0.4, 1.3, 1.1, 1.9], [-3.0, 2.0, 20.0, 9.0]]

LARGE = [BOXES[0], BOXES[1], BOXES[3]]  # more than a pixel, also when halved


def _draws(np, *shapes, seed=71):
    r = np.random.default_rng(seed)
    return [r.normal(size=shape).astype("float32") for shape in shapes]


@program
def deform_conv2d(paddle, np):
    """Offsets, masks, groups of both kinds, strides, padding, dilation, bias."""
    ops, out = paddle.vision.ops, {}
    cases = {
        "plain": [(2, 4, 5, 4), (2, 8, 4, 3), (3, 4, 2, 2), None, {}],
        "mask": [(1, 4, 4, 4), (1, 8, 4, 4), (2, 4, 2, 2), (1, 4, 4, 4),
                 {"dilation": 2, "padding": 1}],
        "groups": [(1, 4, 4, 4), (1, 16, 2, 5), (4, 2, 2, 2), (1, 8, 2, 5),
                   {"groups": 2, "deformable_groups": 2, "stride": [2, 1], "padding": [0, 1]}],
    }  # fmt: skip
    for text, (*shapes, kwargs) in cases.items():
        given = [None if a is None else leaf(paddle, a) for a in _some(np, shapes)]
        x, offset, weight, mask = given
        y = ops.deform_conv2d(x, offset, weight, mask=mask, **kwargs)
        pull(paddle, np, y)
        out[text] = [y.numpy(), [array(t.grad) for t in given if t is not None], graph(y)]
    x, offset, weight = map(paddle.to_tensor, _draws(np, (1, 2, 3, 3), (1, 8, 2, 2), (3, 2, 2, 2)))
    return out | {"bias": ops.deform_conv2d(x, offset, weight, paddle.ones([3])).numpy()}


def _some(np, shapes):
    drawn = iter(_draws(np, *[shape for shape in shapes if shape is not None]))
    return [None if shape is None else next(drawn) for shape in shapes]


def _pooled(paddle, np, channels, function, boxes=BOXES):
    x = leaf(paddle, _draws(np, (2, channels, 6, 5))[0])
    counts = np.array([1, len(boxes) - 1], "int32")
    y = function(x, paddle.to_tensor(np.array(boxes, "float32")), paddle.to_tensor(counts))
    pull(paddle, np, y)
    return [y.numpy(), array(x.grad), graph(y)]


@program(rtol=3e-5, reason="positions of samples are computed in float32 on both sides")
def roi_align(paddle, np):
    """Both alignments, free and fixed numbers of samples, scales, boxes beyond the image."""
    ops = paddle.vision.ops
    return {
        f"{size} {kwargs}": _pooled(
            paddle, np, 3, lambda x, b, n, s=size, k=kwargs: ops.roi_align(x, b, n, s, **k), LARGE
        )
        for size, kwargs in (
            (2, {}),
            ([3, 1], {"aligned": False}),
            (2, {"sampling_ratio": 2, "spatial_scale": 0.5}),
            ([1, 2], {"spatial_scale": 2.0, "aligned": False}),
        )
    }


@differs(
    "the gradient goes where the value came from; Paddle's is that of a box of one pixel",
    right=True,
    paddle_gives=False,
)
def roi_align_of_a_small_box(paddle, np):
    """Whether the gradient of an average weighs the image as the average did."""
    x = leaf(paddle, _draws(np, (1, 1, 4, 4))[0])
    box, count = paddle.to_tensor([[1.1, 1.2, 1.5, 1.9]]), paddle.to_tensor([1], dtype="int32")
    y = paddle.vision.ops.roi_align(x, box, count, 1)
    y.backward()
    return bool(np.allclose((x.grad * x).sum().item(), y.item(), atol=1e-5))


@differs(
    "Paddle reads the list of float32 variances as if it were of float64",
    right=True,
    paddle_gives=False,
)
def float64_boxes_with_a_list_of_variances(paddle, np):
    """Whether decoded boxes of float64 are those of float32."""
    priors, moves = [[1.0, 1.0, 5.0, 4.0]], [[[0.5, 1.0, -0.5, 0.3]]]

    def decoded(dtype):
        boxes = [paddle.to_tensor(each, dtype=dtype) for each in (priors, moves)]
        spread = [0.1, 0.1, 0.2, 0.2]
        return paddle.vision.ops.box_coder(boxes[0], spread, boxes[1], "decode_center_size")

    return bool(np.allclose(decoded("float32").numpy(), decoded("float64").numpy(), rtol=1e-5))


@program
def roi_pool_and_psroi_pool(paddle, np):
    """Maxima in bins, averages of each bin's own channels."""
    ops = paddle.vision.ops
    return {
        "max": _pooled(paddle, np, 3, lambda x, b, n: ops.roi_pool(x, b, n, 2)),
        "max scaled": _pooled(paddle, np, 3, lambda x, b, n: ops.roi_pool(x, b, n, [3, 2], 0.5)),
        "own": _pooled(paddle, np, 8, lambda x, b, n: ops.psroi_pool(x, b, n, 2)),
        "own scaled": _pooled(paddle, np, 6, lambda x, b, n: ops.psroi_pool(x, b, n, [3, 1], 0.5)),
    }


@program
def suppression(paddle, np):
    """nms without and with scores, categories and a limit; ties; one box."""
    r, ops = np.random.default_rng(72), paddle.vision.ops
    low = r.uniform(0, 10, size=(40, 2))
    boxes = np.concatenate([low, low + r.uniform(1, 6, size=(40, 2))], -1).astype("float32")
    boxes, scores = paddle.to_tensor(boxes), paddle.to_tensor(r.uniform(size=40).astype("float32"))
    kinds = paddle.to_tensor(r.integers(0, 3, size=40))
    results = {
        "plain": ops.nms(boxes, 0.3),
        "scores": ops.nms(boxes, 0.2, scores),
        "kinds": ops.nms(boxes, 0.1, scores, kinds, [0, 1, 2]),
        "some kinds": ops.nms(boxes, 0.1, scores, kinds, [0, 2]),
        "best": ops.nms(boxes, 0.1, scores, kinds, [0, 1, 2], 5),
        "one": ops.nms(boxes[:1], 0.5, scores[:1]),
    }
    refused = attempt(lambda: ops.nms(boxes, 0.1, scores, kinds))
    return {text: found.numpy() for text, found in results.items()} | {"refused": refused}


@program
def boxes_of_detectors(paddle, np):
    """box_coder in both directions, yolo_box, prior_box."""
    ops, r = paddle.vision.ops, np.random.default_rng(73)
    low = r.uniform(0, 4, size=(3, 2))
    prior = paddle.to_tensor(np.concatenate([low, low + 2.5], -1).astype("float32"))
    spread = paddle.to_tensor(r.uniform(0.1, 0.5, size=(3, 4)).astype("float32"))
    target = paddle.to_tensor(np.concatenate([low[:2] + 1, low[:2] + 2], -1).astype("float32"))
    moved = paddle.to_tensor(r.normal(size=(2, 3, 4)).astype("float32"))
    turned, four = moved.transpose([1, 0, 2]), [0.1, 0.1, 0.2, 0.2]
    decode = {"code_type": "decode_center_size"}
    x = paddle.to_tensor(r.normal(size=(2, 14, 2, 3)).astype("float32"))
    aware = paddle.to_tensor(r.normal(size=(2, 16, 2, 3)).astype("float32"))
    size = paddle.to_tensor(np.array([[40, 60], [32, 32]], "int32"))
    yolo = [size, [4, 6, 10, 8], 2, 0.4, 16]
    image = paddle.ones([1, 3, 30, 40])
    priors = {
        "plain": {}, "max": {"max_sizes": [12.0, 20.0]}, "flip": {"flip": True, "clip": True},
        "order": {"max_sizes": [12.0, 20.0], "min_max_aspect_ratios_order": True, "flip": True},
        "steps": {"steps": [9.0, 11.0], "offset": 0.25, "variance": four},
    }  # fmt: skip
    calls = {
        "encode": ops.box_coder(prior, spread, target),
        "encode pixels": ops.box_coder(prior, four, target, box_normalized=False),
        "decode": ops.box_coder(prior, spread, moved, **decode),
        "decode axis": ops.box_coder(prior, four, turned, axis=1, box_normalized=False, **decode),
    }
    pairs = {
        "yolo": ops.yolo_box(x, *yolo),
        "yolo free": ops.yolo_box(x, *yolo, clip_bbox=False, scale_x_y=1.2),
        "yolo aware": ops.yolo_box(aware, *yolo, iou_aware=True, iou_aware_factor=0.4),
        **{
            f"prior {text}": ops.prior_box(
                paddle.ones([1, 1, 3, 4]),
                image,
                [8.0, 16.0],
                aspect_ratios=[1.0, 2.0, 3.0],
                **kwargs,
            )
            for text, kwargs in priors.items()
        },
    }
    return {
        **{text: [found.numpy(), found.stop_gradient] for text, found in calls.items()},
        **{text: [one.numpy(), other.numpy()] for text, (one, other) in pairs.items()},
    }


@program
def detection_layers(paddle, np):
    """DeformConv2D, RoIAlign, RoIPool and PSRoIPool."""
    ops = paddle.vision.ops
    conv = ops.DeformConv2D(2, 3, [2, 2], padding=1)
    for parameter in conv.parameters():
        parameter.set_value(paddle.full(parameter.shape, 0.5))
    x = paddle.to_tensor(_draws(np, (1, 8, 5, 4))[0])
    boxes, count = paddle.to_tensor([[0.0, 1.0, 3.0, 4.0]]), paddle.to_tensor([1], dtype="int32")
    shapes = {name: list(value.shape) for name, value in conv.state_dict().items()}
    found = [conv(x[:, :2], paddle.full([1, 8, 6, 5], 0.25)), ops.RoIAlign(2, 0.5)(x, boxes, count)]
    found += [layer(2)(x, boxes, count) for layer in (ops.RoIPool, ops.PSRoIPool)]
    return [shapes, *(each.numpy() for each in found)]


@program
def deform_conv2d_at_the_edge(paddle, np):
    """A place exactly on -1 is outside: its offset has no gradient."""
    image = _draws(np, (1, 1, 3, 3), seed=3)[0]
    out = {}
    for places in ([-1.0, 0.0], [0.0, -1.0], [-1.0, -1.0], [-0.5, -1.0], [2.0, 2.0], [3.0, 1.0]):
        x, weight = leaf(paddle, image), leaf(paddle, np.full((1, 1, 1, 1), 0.75, "float32"))
        moved = np.zeros((1, 2, 3, 3), "float32")
        moved[0, 0], moved[0, 1] = places
        offset = leaf(paddle, moved)
        y = paddle.vision.ops.deform_conv2d(x, offset, weight)
        pull(paddle, np, y)
        out[str(places)] = [y.numpy(), array(x.grad), array(offset.grad), array(weight.grad)]
    return out
