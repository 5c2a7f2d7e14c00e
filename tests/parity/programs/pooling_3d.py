"""Pooling of volumes, power averages, fractional windows, unpooling."""

from ..probe import array, attempt, graph, leaf, pull, refuses
from ..registry import differs, program


def _run(paddle, np, functions, shape):
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.random.default_rng(43).normal(size=shape).astype("float32"))
        y = function(x)
        first = y[0] if isinstance(y, (list, tuple)) else y
        pull(paddle, np, first)
        mask = y[1].numpy() if first is not y else None
        out[text] = [first.numpy(), mask, array(x.grad), graph(first)]
    return out


@program
def max_pool3d(paddle, np):
    """Kernel, stride, padding, ceil_mode, positions, layouts, ties."""
    F = paddle.nn.functional
    functions = {
        "plain": lambda x: F.max_pool3d(x, 2),
        "stride": lambda x: F.max_pool3d(x, [2, 3, 2], stride=[1, 2, 1]),
        "padding": lambda x: F.max_pool3d(x, 3, stride=2, padding=1),
        "ceil": lambda x: F.max_pool3d(x, 2, ceil_mode=True),
        "same": lambda x: F.max_pool3d(x, 2, padding="SAME"),
        "mask": lambda x: F.max_pool3d(x, 2, return_mask=True),
        "mask ceil": lambda x: F.max_pool3d(x, 3, 2, 1, return_mask=True, ceil_mode=True),
        "last": lambda x: F.max_pool3d(x, 2, data_format="NDHWC"),
    }
    out = _run(paddle, np, functions, (2, 3, 4, 5, 3))
    tie = leaf(paddle, np.ones([1, 1, 2, 2, 2], "float32"))
    F.max_pool3d(tie, 2).backward()
    return out | {"tie": tie.grad.numpy()}


@program(rtol=1e-6, reason="Paddle divides by the size of the window in float32")
def avg_pool3d(paddle, np):
    """Kernel, stride, padding counted or not, ceil_mode, another divisor, layouts."""
    F = paddle.nn.functional
    functions = {
        "plain": lambda x: F.avg_pool3d(x, 2),
        "padding": lambda x: F.avg_pool3d(x, 3, stride=2, padding=1),
        "six": lambda x: F.avg_pool3d(x, 2, padding=[1, 0, 0, 1, 1, 1]),
        "inclusive": lambda x: F.avg_pool3d(x, 3, stride=2, padding=1, exclusive=False),
        "ceil": lambda x: F.avg_pool3d(x, 2, ceil_mode=True),
        "divisor": lambda x: F.avg_pool3d(x, [1, 2, 2], divisor_override=3),
        "last": lambda x: F.avg_pool3d(x, [2, 2, 1], data_format="NDHWC"),
    }
    return _run(paddle, np, functions, (2, 3, 4, 5, 3))


@program(rtol=1e-6, reason="Paddle divides by the size of the window in float32")
def adaptive_pooling_3d(paddle, np):
    """Adaptive average and maximum of volumes, to sizes that do and do not divide."""
    F = paddle.nn.functional
    functions = {
        "avg": lambda x: F.adaptive_avg_pool3d(x, 2),
        "avg None": lambda x: F.adaptive_avg_pool3d(x, [3, None, 1]),
        "avg last": lambda x: F.adaptive_avg_pool3d(x, [2, 3, 2], data_format="NDHWC"),
        "max": lambda x: F.adaptive_max_pool3d(x, [3, 2, 2]),
        "max mask": lambda x: F.adaptive_max_pool3d(x, [2, None, 1], return_mask=True),
    }
    return _run(paddle, np, functions, (2, 3, 4, 5, 3))


@program(rtol=1e-5, reason="powers and roots of both libraries")
def lp_pooling(paddle, np):
    """Exponents, strides, paddings, ceil_mode, layouts, sequences, negative sums."""
    F = paddle.nn.functional
    images = {
        "two": lambda x: F.lp_pool2d(x, 2, 2),
        "four": lambda x: F.lp_pool2d(x, 4.0, 3, stride=2, padding=1, ceil_mode=True),
        "one": lambda x: F.lp_pool2d(x, 1, [2, 1]),
        "broken": lambda x: F.lp_pool2d(x.abs() + 0.5, 2.5, 2),
        "largest": lambda x: F.lp_pool2d(x, float("inf"), 2),
        "same": lambda x: F.lp_pool2d(x, 2, 3, 2, padding="SAME"),
        "last": lambda x: F.lp_pool2d(x, 2, 2, data_format="NHWC"),
    }
    sequences = {
        "sequence": lambda x: F.lp_pool1d(x, 2, 3, 2, padding=1),
        "sequence last": lambda x: F.lp_pool1d(x, 2, 2, data_format="NLC"),
    }
    odd = F.lp_pool2d(paddle.to_tensor([[[[-2.0, 1.0]]]]), 3, [1, 2])
    return {
        **_run(paddle, np, images, (2, 3, 5, 4)),
        **_run(paddle, np, sequences, (2, 4, 7)),
        "negative sum": odd.numpy(),
        "no norm": attempt(lambda: F.lp_pool2d(paddle.ones([1, 1, 2, 2]), 0, 2))["error"],
    }


@differs(
    "the gradient of a norm at zero is the middle of its slopes, 0, as F.normalize has it",
    right=[[0.0, 0.0], [0.0, 0.0]],
    paddle_gives=[[float("nan")] * 2] * 2,
)
def lp_pooling_of_zeros(paddle, np):
    """The gradient of the root of a sum of squares where the sum is 0."""
    x = leaf(paddle, np.zeros([1, 1, 2, 2], "float32"))
    paddle.nn.functional.lp_pool2d(x, 2, 2).backward()
    return x.grad.numpy()[0, 0].tolist()


@differs(
    "(sum of x^p)^(1/p) tends to the smallest element for p to -inf",
    right=[[[[2.0]]]],
    paddle_gives=[[[[1.0]]]],
)
def lp_pooling_to_the_smallest(paddle, np):
    """An exponent of -inf."""
    x = paddle.to_tensor([[[[3.0, 2.0]]]])
    return paddle.nn.functional.lp_pool2d(x, float("-inf"), [1, 2]).numpy().tolist()


@program
def fractional_max_pooling(paddle, np):
    """Windows that a number places, touching and overlapping, with and without positions."""
    F = paddle.nn.functional
    images = {
        f"{size} {kernel} {u}": lambda x, s=size, k=kernel, u=u: F.fractional_max_pool2d(
            x, s, k, random_u=u, return_mask=True
        )
        for size, kernel in ((3, None), ([5, 4], 2), ([1, None], None), (2, [3, 1]))
        for u in (0.1, 0.5, 0.93)
    }
    volumes = {
        "volume": lambda x: F.fractional_max_pool3d(x, [2, 3, 2], random_u=0.3),
        "windows": lambda x: F.fractional_max_pool3d(x, 2, 2, random_u=0.7, return_mask=True),
    }
    x = paddle.ones([1, 1, 6, 6])
    return {
        **_run(paddle, np, images, (2, 2, 9, 7)),
        **_run(paddle, np, volumes, (1, 2, 4, 5, 4)),
        "drawn": list(F.fractional_max_pool2d(x, 3).shape),
        "outside": attempt(lambda: F.fractional_max_pool2d(x, 3, random_u=1.0)),
        "rank": attempt(lambda: F.fractional_max_pool2d(x[0], 3))["error"],
    }


@differs(
    "six windows do not fit into five elements",
    right={"error": "ValueError", "category": "InvalidArgument"},
    paddle_gives="no error",
)
def fractional_max_pooling_to_more(paddle, np):
    """An output larger than the input, which Paddle fills with the lowest float."""
    x = paddle.ones([1, 1, 5, 5])
    return refuses(lambda: paddle.nn.functional.fractional_max_pool2d(x, 6, random_u=0.5))


@program
def max_unpooling(paddle, np):
    """What pooling chose put back, of sequences, images and volumes; other sizes; gradients."""
    F = paddle.nn.functional
    sequence = {
        "sequence": lambda x: F.max_unpool1d(*F.max_pool1d(x, 2, return_mask=True), 2),
        "longer": lambda x: F.max_unpool1d(
            *F.max_pool1d(x, 2, return_mask=True), 2, output_size=[2, 3, 9]
        ),
    }
    image = {
        "image": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2),
        "size": lambda x: F.max_unpool2d(
            *F.max_pool2d(x, [2, 1], return_mask=True), [2, 1], output_size=[7, 4]
        ),
        "stride": lambda x: F.max_unpool2d(
            *F.max_pool2d(x, 2, 2, 1, return_mask=True), 2, 2, 1, output_size=[2, 2, 6, 4]
        ),
    }
    volume = {"volume": lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, return_mask=True), 2)}
    return {
        **_run(paddle, np, sequence, (2, 3, 8)),
        **_run(paddle, np, image, (2, 2, 6, 4)),
        **_run(paddle, np, volume, (1, 2, 4, 2, 4)),
    }


@program
def max_unpooling_refused(paddle, np):
    """Sizes no pooling gives, layouts, ranks, indices outside or of another shape."""
    F = paddle.nn.functional
    x, at = paddle.ones([1, 1, 2, 2]), paddle.zeros([1, 1, 2, 2], "int32")
    one = F.max_unpool2d(leaf(paddle, [[[[1.0, 2.0], [3.0, 4.0]]]]), at, 2)
    return {
        "same place": one.numpy(),
        "large": attempt(lambda: F.max_unpool2d(x, at, 2, output_size=[9, 9])),
        "short": attempt(lambda: F.max_unpool2d(x, at, 2, output_size=[4])),
        "layout": attempt(lambda: F.max_unpool2d(x, at, 2, data_format="NHWC")),
        "rank": attempt(lambda: F.max_unpool3d(x, at, 2))["error"],
        "outside": attempt(lambda: F.max_unpool2d(x, at + 99, 2))["error"],
        "shape": attempt(lambda: F.max_unpool2d(x, at[:, :, :1], 2))["error"],
    }


@program
def pooling_layers(paddle, np):
    """What the further pooling layers show and give."""
    nn = paddle.nn
    x = paddle.to_tensor(np.random.default_rng(5).normal(size=(1, 2, 4, 4, 6)).astype("float32"))
    out = {}
    for layer in (
        nn.MaxPool3D(2), nn.AvgPool3D([2, 2, 1], 1, 1), nn.AdaptiveAvgPool3D([2, None, 3]),
        nn.AdaptiveMaxPool3D(2), nn.FractionalMaxPool3D([1, 2, 3], random_u=0.3),
    ):  # fmt: skip
        out[repr(layer)] = layer(x).numpy()
    for layer in (
        nn.LPPool2D(2, 2, 1, 1),
        nn.LPPool2d(4, [1, 2]),
        nn.FractionalMaxPool2D(2, 2, 0.4),
    ):
        out[repr(layer)] = layer(x[0]).numpy()
    out["one"] = nn.LPPool1D(2, 2)(x[0, 0]).numpy()
    pooled, at = nn.MaxPool2D(2, return_mask=True)(x[0])
    out[repr(nn.MaxUnPool2D(2))] = nn.MaxUnPool2D(2)(pooled, at).numpy()
    pooled, at = nn.MaxPool3D(2, return_mask=True)(x)
    out["volume"] = nn.MaxUnPool3D(2)(pooled, at).numpy()
    pooled, at = nn.MaxPool1D(2, return_mask=True)(x[0, 0])
    out["sequence"] = nn.MaxUnPool1D(2)(pooled, at).numpy()
    return out


@program
def pooling_3d_refused(paddle, np):
    """Layouts, ranks, windows and padding that cannot be."""
    F, x = paddle.nn.functional, paddle.ones([1, 1, 4, 4, 4])
    return {
        "mask last": attempt(lambda: F.max_pool3d(x, 2, data_format="NDHWC", return_mask=True)),
        "rank": attempt(lambda: F.avg_pool3d(x[0], 2))["error"],
        "layout": attempt(lambda: F.avg_pool3d(x, 2, data_format="NCHW"))["error"],
        "valid ceil": attempt(lambda: F.max_pool3d(x, 2, padding="VALID", ceil_mode=True)),
        "kernel": attempt(lambda: F.avg_pool3d(x, 0))["error"],
    }
