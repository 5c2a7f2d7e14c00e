"""Convolution and pooling: strides, padding, dilation, groups, layouts of arguments, gradients."""

import warnings

from ..probe import array, attempt, grads, leaf, pull
from ..registry import differs, program


def _run(paddle, np, functions, *shapes):
    out = {}
    for text, function in functions.items():
        r = np.random.default_rng(31)
        tensors = [leaf(paddle, r.normal(size=shape)) for shape in shapes]
        y = function(*tensors)
        pull(paddle, np, y)
        out[text] = [y.numpy(), [array(t.grad) for t in tensors]]
    return out


@program
def conv2d_attributes(paddle, np):
    """Stride, padding in each of its spellings, dilation."""
    F = paddle.nn.functional
    functions = {
        "plain": lambda x, w: F.conv2d(x, w),
        "stride": lambda x, w: F.conv2d(x, w, stride=2),
        "strides": lambda x, w: F.conv2d(x, w, stride=[1, 2]),
        "padding": lambda x, w: F.conv2d(x, w, padding=1),
        "paddings": lambda x, w: F.conv2d(x, w, padding=[1, 2]),
        "four": lambda x, w: F.conv2d(x, w, padding=[0, 1, 2, 0]),
        "same": lambda x, w: F.conv2d(x, w, padding="SAME", stride=2),
        "valid": lambda x, w: F.conv2d(x, w, padding="VALID"),
        "dilation": lambda x, w: F.conv2d(x, w, dilation=2, padding=2),
    }
    return _run(paddle, np, functions, (2, 2, 6, 5), (3, 2, 3, 2))


@program
def conv2d_with_bias_and_groups(paddle, np):
    """Bias, groups, a 1x1 kernel."""
    F = paddle.nn.functional
    return {
        **_run(
            paddle,
            np,
            {"bias": lambda x, w, b: F.conv2d(x, w, b, padding=1)},
            (1, 2, 4, 4),
            (3, 2, 3, 3),
            (3,),
        ),
        **_run(
            paddle,
            np,
            {"groups": lambda x, w: F.conv2d(x, w, groups=2)},
            (1, 4, 4, 4),
            (6, 2, 3, 3),
        ),
        **_run(paddle, np, {"one": lambda x, w: F.conv2d(x, w)}, (2, 3, 2, 2), (4, 3, 1, 1)),
    }


@program
def max_pool2d(paddle, np):
    """Kernel, stride, padding, ceil_mode, return of positions, ties."""
    F = paddle.nn.functional
    functions = {
        "plain": lambda x: F.max_pool2d(x, 2),
        "stride": lambda x: F.max_pool2d(x, 3, stride=1),
        "padding": lambda x: F.max_pool2d(x, 3, stride=2, padding=1),
        "lists": lambda x: F.max_pool2d(x, [2, 3], stride=[2, 1]),
        "ceil": lambda x: F.max_pool2d(x, 2, ceil_mode=True),
    }
    out = _run(paddle, np, functions, (2, 2, 5, 6))
    tie = leaf(paddle, np.ones([1, 1, 2, 2], "float32"))
    F.max_pool2d(tie, 2).backward()
    out["tie"] = tie.grad.numpy()
    return out


@program(rtol=1e-6, reason="Paddle divides by the size of the window in float32")
def avg_pool2d(paddle, np):
    """Kernel, stride, padding counted or not, ceil_mode."""
    F = paddle.nn.functional
    functions = {
        "plain": lambda x: F.avg_pool2d(x, 2),
        "stride": lambda x: F.avg_pool2d(x, 3, stride=1),
        "padding": lambda x: F.avg_pool2d(x, 3, stride=2, padding=1),
        "inclusive": lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, exclusive=False),
        "ceil": lambda x: F.avg_pool2d(x, 2, ceil_mode=True),
    }
    return _run(paddle, np, functions, (2, 2, 5, 6))


@program(rtol=1e-6, reason="Paddle divides by the size of the window in float32")
def adaptive_pooling(paddle, np):
    """Adaptive average and maximum to sizes that do and do not divide."""
    F = paddle.nn.functional
    functions = {
        "avg 1": lambda x: F.adaptive_avg_pool2d(x, 1),
        "avg 2x3": lambda x: F.adaptive_avg_pool2d(x, [2, 3]),
        "avg uneven": lambda x: F.adaptive_avg_pool2d(x, [3, 4]),
        "max 1": lambda x: F.adaptive_max_pool2d(x, 1),
        "max uneven": lambda x: F.adaptive_max_pool2d(x, [3, 4]),
    }
    return _run(paddle, np, functions, (2, 2, 4, 6))


@program
def convolution_refused(paddle, np):
    """Channels that do not fit, too few dimensions."""
    F = paddle.nn.functional
    x, w = paddle.ones([1, 2, 4, 4]), paddle.ones([3, 3, 3, 3])
    return {
        "channels": attempt(lambda: F.conv2d(x, w))["error"],
        "rank": attempt(lambda: F.conv2d(x[0], paddle.ones([3, 2, 3, 3])))["error"],
    }


@program
def same_padding_beside_dilation(paddle, np):
    """padding="SAME" sets the dilation to 1, in every convolution and its transpose."""
    F = paddle.nn.functional
    out = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dims, shape in {1: [2, 2, 9], 2: [2, 2, 7, 6], 3: [1, 2, 5, 4, 5]}.items():
            x = np.random.default_rng(5).normal(size=shape)
            weight = np.random.default_rng(6).normal(size=[2, 2, *[3] * dims])
            for function in (f"conv{dims}d", f"conv{dims}d_transpose"):
                for stride, dilation in ((1, 2), (2, 3), (2, [2, 1, 1][:dims])):
                    leaves = [leaf(paddle, x), leaf(paddle, weight)]
                    y = getattr(F, function)(
                        *leaves, stride=stride, padding="SAME", dilation=dilation
                    )
                    pull(paddle, np, y)
                    found = [y.numpy(), *grads(*leaves)]
                    out[function, stride, str(dilation)] = found
    return out


@differs(
    "return_mask=True makes Paddle take padding SAME for VALID",
    right=[[5, 4], [5, 4]],
    paddle_gives=[[5, 4], [4, 4]],
)
def same_padding_of_a_pool_with_a_mask(paddle, np):
    """The shapes of a pool without and with its mask."""
    x = paddle.ones([1, 1, 9, 8])
    pool = paddle.nn.functional.max_pool2d
    plain, masked = pool(x, 2, padding="SAME"), pool(x, 2, padding="SAME", return_mask=True)[0]
    return [list(plain.shape[2:]), list(masked.shape[2:])]


@differs(
    "a filter that does not fit into the image gives a tensor of a negative size",
    right=["InvalidArgumentError"] * 2,
    paddle_gives=[[-1, -2], [-5, -5]],
)
def filter_larger_than_the_image(paddle, np):
    """A convolution, and a transposed one, that have no pixel to compute."""
    x, functional = paddle.ones([1, 1, 2, 2]), paddle.nn.functional
    calls = [
        lambda: functional.conv2d(x, paddle.ones([1, 1, 4, 5])),
        lambda: functional.conv2d_transpose(x[:, :, :1, :1], paddle.ones([1, 1, 1, 1]), padding=3),
    ]
    found = []
    for call in calls:
        try:
            found.append(list(call().shape[2:]))
        except ValueError as error:
            found.append(type(error).__name__)
    return found


@differs(
    "a window of padding alone gives the lowest float32, in float64 too",
    right=-float("inf"),
    paddle_gives=-3.4028234663852886e38,
)
def maximum_of_padding_alone(paddle, np):
    """The largest of no elements."""
    x = paddle.ones([1, 1, 4], dtype="float64")
    return paddle.nn.functional.max_pool1d(x, 2, padding=[0, 2]).numpy()[0, 0, -1].item()


@differs(
    "the padding of the first side limits the windows of the last side as well",
    right=[2.0, 3.0],
    paddle_gives=[2.0, 4.5],
)
def averages_beside_uneven_padding(paddle, np):
    """(1 + 2 + 3) / 3 and, with a padded 0 that counts, (4 + 5 + 0) / 3."""
    x = paddle.arange(6, dtype="float64").reshape([1, 1, 6])
    out = paddle.nn.functional.avg_pool1d(x, 3, 1, padding=[0, 1], exclusive=False)
    return [round(out[0, 0, at].item(), 6) for at in (1, 4)]
