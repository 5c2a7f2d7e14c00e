"""interpolate: modes, sizes, factors, corners, layouts, antialias; the upsampling layers."""

from ..probe import array, attempt, graph, leaf, pull
from ..registry import differs, program

SHAPES = {1: (2, 3, 7), 2: (2, 3, 5, 7), 3: (1, 2, 3, 4, 5)}
LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
MODES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


def _resized(paddle, np, dims, *args, last=False, **kwargs):
    x = np.random.default_rng(47).normal(size=SHAPES[dims]).astype("float32")
    x = leaf(paddle, np.moveaxis(x, 1, -1).copy() if last else x)
    if last:
        kwargs["data_format"] = LAST[dims]
    y = paddle.nn.functional.interpolate(x, *args, **kwargs)
    pull(paddle, np, y)
    return [y.numpy(), array(x.grad), graph(y)]


# Positions are computed in float32 there, in float64 here: 1e-7 of a width of ten, times a
# slope, and in cubic mode times weights that cancel.
CLOSE = {"rtol": 5e-4, "reason": "Paddle computes positions and weights in float32"}


@program(**CLOSE)
def interpolate_to_sizes(paddle, np):
    """Each linear mode and bicubic, growing and shrinking, with and without corners."""
    out = {}
    for mode, dims in MODES.items():
        for size in ([3, 4, 6][:dims], [11, 13, 9][:dims]):
            for corners in (False, True):
                out[f"{mode} {size} {corners}"] = _resized(
                    paddle, np, dims, size, mode=mode, align_corners=corners
                )
        out[f"{mode} last"] = _resized(paddle, np, dims, [4] * dims, mode=mode, last=True)
        if mode != "bicubic":
            out[f"{mode} edges"] = _resized(paddle, np, dims, [9] * dims, mode=mode, align_mode=1)
    return out


@program(**CLOSE)
def interpolate_by_factors(paddle, np):
    """Whole and broken factors, one a dimension, recomputed, as Tensors."""
    out = {}
    for mode, dims in MODES.items():
        for factor in (2, 1.7, 0.6, [2, 0.5, 3][:dims]):
            kwargs = {"scale_factor": factor, "mode": mode}
            out[f"{mode} {factor}"] = _resized(paddle, np, dims, **kwargs)
        out[f"{mode} again"] = _resized(
            paddle, np, dims, scale_factor=1.7, mode=mode, recompute_scale_factor=True
        )
    size = paddle.to_tensor([4, 6], dtype="int32")
    out["tensor"] = _resized(paddle, np, 2, size, mode="bilinear")
    out["tensors"] = _resized(paddle, np, 2, [paddle.to_tensor(4), 6], mode="bilinear")
    out["factor"] = _resized(paddle, np, 2, None, paddle.to_tensor(2.0), mode="bilinear")
    return out


@program
def interpolate_to_nearest(paddle, np):
    """The nearest element: sizes and factors of images and volumes, and both layouts."""
    out = {}
    for dims in (2, 3):
        for args in ([[3, 4, 6][:dims]], [[11, 13, 9][:dims]], [[1] * dims]):
            out[f"{args}"] = _resized(paddle, np, dims, *args)
        for factor in (2, 3, 1.7, 0.6, 0.35):
            out[f"{dims} {factor}"] = _resized(paddle, np, dims, scale_factor=factor)
        out[f"{dims} last"] = _resized(paddle, np, dims, scale_factor=2, last=True)
    many = paddle.arange(97, dtype="float32").reshape([1, 1, 1, 97])
    rows = [paddle.nn.functional.interpolate(many, [1, n]).numpy() for n in range(1, 200, 7)]
    return {**out, "many": rows}


@program(rtol=1e-6, reason="Paddle divides by the size of the window in float32")
def interpolate_by_area(paddle, np):
    """Mode "area" is adaptive average pooling."""
    return {
        dims: _resized(paddle, np, dims, size, mode="area")
        for dims, size in {1: [3], 2: [2, 4], 3: [2, 2, 3]}.items()
    }


@program(**CLOSE)
def interpolate_antialiased(paddle, np):
    """Averages of what lies between the positions."""
    out = {}
    for mode in ("bilinear", "bicubic"):
        for kwargs in ({"size": [3, 2]}, {"size": [11, 13]}, {"scale_factor": 0.6}):
            for corners in (False, True):
                out[f"{mode} {kwargs} {corners}"] = _resized(
                    paddle, np, 2, mode=mode, antialias=True, align_corners=corners, **kwargs
                )
    return out


@program(**CLOSE)
def upsampling_layers(paddle, np):
    """What Upsample and its two older forms show and give; F.upsample."""
    nn = paddle.nn
    x = paddle.to_tensor(np.random.default_rng(3).normal(size=(1, 2, 3, 4)).astype("float32"))
    out = {}
    for layer in (
        nn.Upsample(size=[2, 5]), nn.Upsample(None, 2, "bilinear", True, name="up"),
        nn.Upsample(scale_factor=[2, 3], mode="BICUBIC"), nn.UpsamplingNearest2D([6, 2]),
        nn.UpsamplingBilinear2D(scale_factor=2, name="b"), nn.UpsamplingBilinear2d([2, 2]),
    ):  # fmt: skip
        shown = repr(layer)  # Paddle's Upsample shows another layout once it was called
        out[shown] = layer(x).numpy()
    out["function"] = paddle.nn.functional.upsample(x, scale_factor=2, mode="bilinear").numpy()
    return out


@program
def interpolate_refused(paddle, np):
    """Modes, sizes, factors and layouts that do not fit."""
    F, x = paddle.nn.functional, paddle.ones([1, 1, 4, 4])
    calls = {
        "mode": lambda: F.interpolate(x, [2, 2], mode="cubic"),
        "nothing": lambda: F.interpolate(x),
        "both": lambda: F.interpolate(x, [2, 2], 2),
        "rank": lambda: F.interpolate(x[0], [2, 2], mode="bilinear"),
        "length": lambda: F.interpolate(x, [2], mode="bilinear"),
        "factor": lambda: F.interpolate(x, scale_factor=-1, mode="bilinear"),
        "factors": lambda: F.interpolate(x, scale_factor=[1, 2, 3], mode="bilinear"),
        "corners": lambda: F.interpolate(x, [2, 2], align_corners=True),
        "bool": lambda: F.interpolate(x, [2, 2], mode="bilinear", align_corners=1),
        "edges": lambda: F.interpolate(x, [2, 2], mode="bilinear", align_mode=2),
        "layout": lambda: F.interpolate(x, [2, 2], data_format="NCW"),
        "area": lambda: F.interpolate(x, scale_factor=2, mode="area"),
        "antialias": lambda: F.interpolate(x, [2, 2], antialias=True),
        "again": lambda: F.interpolate(x, [2, 2], recompute_scale_factor=True),
    }
    zero = attempt(lambda: F.interpolate(x, [0, 2], mode="bilinear"))
    return {text: attempt(call)["error"] for text, call in calls.items()} | {"zero": zero}


@differs(
    "the middle of an image is its middle, as in trilinear mode and for every other size",
    right=[1.5, 1.5],
    paddle_gives=[0.0, 1.5],
)
def interpolate_to_one(paddle, np):
    """One element of four: bilinear and trilinear."""
    F, x = paddle.nn.functional, paddle.arange(4, dtype="float32")
    image = F.interpolate(x.reshape([1, 1, 1, 4]), [1, 1], mode="bilinear")
    volume = F.interpolate(x.reshape([1, 1, 1, 1, 4]), [1, 1, 1], mode="trilinear")
    return [image.item(), volume.item()]


@differs(
    "with the channels last the sizes are those of dimensions 1 and 2",
    right=[1, 6, 8, 2],
    paddle_gives=[1, 8, 4, 2],
)
def interpolate_recomputed_factor_with_channels_last(paddle, np):
    """The sizes of the result."""
    out = paddle.nn.functional.interpolate(
        paddle.ones([1, 3, 4, 2]), scale_factor=2.0, data_format="NHWC", recompute_scale_factor=True
    )
    return list(out.shape)


@program
def area_takes_no_notice_of_corners(paddle, np):
    """Averages are those of adaptive_avg_pool, whatever align_corners is."""
    x = leaf(paddle, np.arange(24, dtype="float32").reshape(1, 2, 3, 4))
    F = paddle.nn.functional
    y = F.interpolate(x, [2, 3], None, "area", True)
    pull(paddle, np, y)
    return [y.numpy(), array(x.grad)]
