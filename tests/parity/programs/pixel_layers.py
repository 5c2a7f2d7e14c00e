"""Shuffles, folding, shifts in time, local response norm, spectral norm; and their layers."""

from ..probe import array, attempt, graph, leaf, pull, refuses
from ..registry import differs, program


def _run(paddle, np, functions, shape):
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.random.default_rng(61).normal(size=shape).astype("float32"))
        y = function(x)
        pull(paddle, np, y)
        out[text] = [y.numpy(), array(x.grad), graph(y)]
    return out


@program
def pixel_and_channel_shuffles(paddle, np):
    """pixel_shuffle, pixel_unshuffle, channel_shuffle and temporal_shift in both layouts."""
    F = paddle.nn.functional
    functions = {
        "shuffle": lambda x: F.pixel_shuffle(x, 2),
        "shuffle last": lambda x: F.pixel_shuffle(x, 2, "NHWC"),
        "unshuffle": lambda x: F.pixel_unshuffle(x, 2),
        "unshuffle last": lambda x: F.pixel_unshuffle(x, 2, "NHWC"),
        "channels": lambda x: F.channel_shuffle(x, 4),
        "channels last": lambda x: F.channel_shuffle(x, 2, "NHWC"),
        "shift": lambda x: F.temporal_shift(x, 2),
        "shift more": lambda x: F.temporal_shift(x, 4, 0.4),
        "shift last": lambda x: F.temporal_shift(x, 2, data_format="NHWC"),
    }
    return _run(paddle, np, functions, (4, 8, 2, 4))


@program
def folding(paddle, np):
    """fold with strides, each form of padding, dilations; the inverse of unfold where it is one."""
    F = paddle.nn.functional
    functions = {
        "overlap": lambda x: F.fold(x, [3, 4], 2),
        "padding": lambda x: F.fold(x, [2, 1], 2, paddings=1),
        "four": lambda x: F.fold(x, [3, 2], [2, 2], paddings=[0, 1, 0, 1]),
        "strides": lambda x: F.fold(x, [4, 6], 2, strides=2),
        "dilations": lambda x: F.fold(x, [4, 5], 2, dilations=2),
    }
    image = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    back = F.fold(F.unfold(image, 2, 2), 4, 2, 2)
    return {**_run(paddle, np, functions, (2, 8, 6)), "back": back.numpy()}


@program(rtol=1e-5, reason="Paddle divides by the size of the window in float32")
def local_response_norms(paddle, np):
    """Each number of dimensions and layout, even and odd sizes."""
    F, out = paddle.nn.functional, {}
    shapes = {"NCL": (2, 4, 5), "NCHW": (2, 4, 3, 2), "NCDHW": (1, 4, 2, 3, 2)}
    for layout, shape in shapes.items():
        last = layout.replace("C", "") + "C"
        functions = {
            layout: lambda x, f=layout: F.local_response_norm(x, 3, 0.5, 0.6, 2.0, f),
            f"{layout} even": lambda x, f=layout: F.local_response_norm(x, 2, 0.5, data_format=f),
            last: lambda x, f=last: F.local_response_norm(x, 3, 0.5, data_format=f),
        }
        out |= _run(paddle, np, functions, shape)
    return out


@program
def pixel_layers(paddle, np):
    """What the layers show and give."""
    nn = paddle.nn
    x = paddle.to_tensor(np.random.default_rng(5).normal(size=(2, 8, 4, 4)).astype("float32"))
    out = {}
    for layer in (
        nn.PixelShuffle(2), nn.PixelShuffle(2, "NHWC", name="p"), nn.PixelUnshuffle(2),
        nn.ChannelShuffle(4), nn.ChannelShuffle(2, "NHWC"), nn.LocalResponseNorm(3),
        nn.LocalResponseNorm(2, 0.5, 0.6, 2.0, "NHWC", "n"),
    ):  # fmt: skip
        out[repr(layer)] = layer(x).numpy()
    fold = nn.Fold([3, 4], [2, 2], name="f")
    return out | {repr(fold): fold(paddle.ones([1, 4, 6])).numpy()}


@program
def sync_batch_norm_converted(paddle, np):
    """convert_sync_batchnorm: what the model shows and holds."""
    nn = paddle.nn
    model = nn.Sequential(
        nn.Conv2D(1, 2, 1), nn.BatchNorm2D(2), nn.Sequential(nn.BatchNorm1D(2, 0.8, 1e-3))
    )
    weight = model[1].weight
    made = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    alone = nn.SyncBatchNorm(3, weight_attr=False, data_format="NHWC", name="s")
    return [
        repr(made),
        made is model,
        made[1].weight is weight,
        sorted(made.state_dict()),
        repr(alone),
        sorted(alone.state_dict()),
        alone.weight.stop_gradient,
        alone.bias.stop_gradient,
    ]


@differs(
    "one process is a whole: the statistics are those of its batch, on a CPU too",
    right=[[-1.0, 1.0], 0.1],
    paddle_gives={
        "error": "RuntimeError",
        "text": "(NotFound) The kernel `sync_batch_norm` is not registered.",
    },
)
def sync_batch_norm_of_one_process(paddle, np):
    """Values in training, and the running mean."""
    norm = paddle.nn.SyncBatchNorm(1)

    def values():
        out = norm(paddle.to_tensor([[0.0], [2.0]]))
        return [np.round(out.numpy().reshape(-1), 3).tolist(), round(norm._mean.item(), 4)]

    return attempt(values)


@program
def spectral_norm_values(paddle, np):
    """The weight over its norm after some steps, which do not move the vectors."""
    r, out = np.random.default_rng(7), {}
    for dim, steps in ((0, 0), (0, 1), (1, 3)):
        norm = paddle.nn.SpectralNorm([4, 3, 2], dim=dim, power_iters=steps)
        for vector in (norm.weight_u, norm.weight_v):
            vector.set_value(paddle.to_tensor(r.normal(size=vector.shape).astype("float32")))
        before = norm.weight_u.numpy()
        y = norm(leaf(paddle, r.normal(size=(4, 3, 2)).astype("float32")))
        out[f"{dim} {steps}"] = [y.numpy(), graph(y), np.array_equal(before, norm.weight_u.numpy())]
    return out | {
        "repr": repr(norm),
        "held": [[name, value.stop_gradient] for name, value in norm.named_parameters()],
        "axis": attempt(lambda: paddle.nn.SpectralNorm([2, 2], dim=2)),
        "empty": attempt(lambda: paddle.nn.SpectralNorm([2, 0])),
    }


@differs(
    "W / (u^T W v) has the gradient (d - sum(d * W / s) u v^T) / s; Paddle's is none of it",
    right=True,
    paddle_gives=False,
)
def spectral_norm_gradient(paddle, np):
    """The gradient against its definition."""
    norm = paddle.nn.SpectralNorm([2, 2], power_iters=0)
    norm.weight_u.set_value(paddle.to_tensor([1.0, 2.0]))
    norm.weight_v.set_value(paddle.to_tensor([3.0, 1.0]))
    w = leaf(paddle, [[1.0, 2.0], [3.0, 4.0]])
    norm(w).backward(paddle.to_tensor([[1.0, 0.0], [0.0, 0.0]]))
    s = np.array([1.0, 2.0]) @ w.numpy() @ np.array([3.0, 1.0])
    first = np.array([[1.0, 0.0], [0.0, 0.0]])
    right = (first - 1.0 / s * np.outer([1.0, 2.0], [3.0, 1.0])) / s
    return bool(np.allclose(w.grad.numpy(), right, atol=1e-6))


@program
def pixels_refused(paddle, np):
    """Factors, groups, layouts and columns that do not fit."""
    F, nn, x = paddle.nn.functional, paddle.nn, paddle.ones([2, 8, 2, 3])
    return {
        "shuffle": refuses(lambda: F.pixel_shuffle(x, 3)),
        "float": attempt(lambda: F.pixel_shuffle(x, 2.0)),
        "rank": refuses(lambda: F.pixel_shuffle(x[0], 2)),
        "layout": attempt(lambda: F.pixel_shuffle(x, 2, "NCL"))["error"],
        "unshuffle": refuses(lambda: F.pixel_unshuffle(x, 2)),
        "zero": attempt(lambda: F.pixel_unshuffle(x, 0)),
        "channels": refuses(lambda: F.channel_shuffle(x, 3)),
        "groups": attempt(lambda: F.channel_shuffle(x, 0)),
        "layer": attempt(lambda: nn.PixelShuffle(2, "NCL")),
        "frames": refuses(lambda: F.temporal_shift(x, 3)),
        "ratio": refuses(lambda: F.temporal_shift(x, 2, 0.6)),
        "fold": refuses(lambda: F.fold(paddle.ones([1, 4, 5]), 3, 2)),
        "fold rows": refuses(lambda: F.fold(paddle.ones([1, 3, 4]), 3, 2)),
        "norm": attempt(lambda: F.local_response_norm(x[0, 0], 2)),
        "norm layout": attempt(lambda: F.local_response_norm(x, 2, data_format="NC")),
    }
