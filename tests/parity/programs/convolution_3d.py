"""Convolutions of volumes and their transposes: strides, padding, groups, layouts, layers."""

from ..probe import array, attempt, facts, graph, leaf, pull, refuses
from ..registry import program


def _run(paddle, np, functions, *shapes):
    out = {}
    for text, function in functions.items():
        r = np.random.default_rng(41)
        tensors = [leaf(paddle, r.normal(size=shape).astype("float32")) for shape in shapes]
        y = function(*tensors)
        pull(paddle, np, y)
        out[text] = [y.numpy(), [array(t.grad) for t in tensors], graph(y)]
    return out


@program
def conv3d_attributes(paddle, np):
    """Stride, padding in each of its spellings, dilation."""
    F = paddle.nn.functional
    pairs = [[0, 0], [0, 0], [1, 0], [0, 1], [1, 1]]
    functions = {
        "plain": lambda x, w: F.conv3d(x, w),
        "stride": lambda x, w: F.conv3d(x, w, stride=[1, 2, 1]),
        "padding": lambda x, w: F.conv3d(x, w, padding=1),
        "paddings": lambda x, w: F.conv3d(x, w, padding=[1, 0, 2]),
        "six": lambda x, w: F.conv3d(x, w, padding=[0, 1, 2, 0, 1, 1]),
        "pairs": lambda x, w: F.conv3d(x, w, padding=pairs),
        "same": lambda x, w: F.conv3d(x, w, padding="SAME", stride=2),
        "valid": lambda x, w: F.conv3d(x, w, padding="VALID"),
        "dilation": lambda x, w: F.conv3d(x, w, dilation=[1, 2, 1], padding=1),
    }
    return _run(paddle, np, functions, (2, 2, 4, 5, 4), (3, 2, 2, 3, 2))


@program
def conv3d_with_bias_groups_and_layouts(paddle, np):
    """Bias, groups, a filter for each channel, channels last, no batch."""
    F, shape = paddle.nn.functional, (1, 4, 3, 4, 3)
    functions = {
        "bias": lambda x, w, b: F.conv3d(x, w, b, padding=1),
        "last": lambda x, w, b: F.conv3d(
            x.transpose([0, 2, 3, 4, 1]), w, b, data_format="NDHWC", padding=[1, 0, 0]
        ),
    }
    empty = F.conv3d(paddle.zeros([0, 2, 3, 3, 3]), paddle.ones([1, 2, 2, 2, 2]))
    return {
        **_run(paddle, np, functions, shape, (2, 4, 2, 2, 2), (2,)),
        **_run(
            paddle, np, {"groups": lambda x, w: F.conv3d(x, w, groups=2)}, shape, (4, 2, 2, 2, 2)
        ),
        **_run(paddle, np, {"each": lambda x, w: F.conv3d(x, w, groups=4)}, shape, (8, 1, 2, 2, 2)),
        "empty": facts(empty),
    }


@program
def conv3d_transpose_attributes(paddle, np):
    """Stride, padding, output_padding, output_size, groups, dilation, layouts, bias."""
    F = paddle.nn.functional
    functions = {
        "plain": lambda x, w: F.conv3d_transpose(x, w),
        "stride": lambda x, w: F.conv3d_transpose(x, w, stride=[2, 1, 2], padding=1),
        "more": lambda x, w: F.conv3d_transpose(x, w, stride=2, output_padding=[1, 0, 1]),
        "size": lambda x, w: F.conv3d_transpose(x, w, stride=2, output_size=[5, 6, 4]),
        "groups": lambda x, w: F.conv3d_transpose(x, w, groups=2, dilation=[1, 2, 1]),
        "last": lambda x, w: F.conv3d_transpose(
            x.transpose([0, 2, 3, 4, 1]), w, data_format="NDHWC"
        ),
    }
    shapes = (1, 4, 2, 2, 2), (4, 2, 2, 3, 2)
    bias = {
        "bias": lambda x, w, b: F.conv3d_transpose(x, w, b),
        "bias last": lambda x, w, b: F.conv3d_transpose(
            x.transpose([0, 2, 3, 4, 1]), w, b, data_format="NDHWC"
        ),
    }
    return _run(paddle, np, functions, *shapes) | _run(paddle, np, bias, *shapes, (2,))


@program
def convolutions_at_the_top(paddle, np):
    """paddle.conv1d to paddle.conv3d and paddle.adaptive_avg_pool1d are those of nn.functional."""
    return [
        paddle.conv1d(paddle.ones([1, 1, 4]), paddle.ones([1, 1, 2])).numpy(),
        paddle.conv2d(paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])).numpy(),
        paddle.conv3d(paddle.ones([1, 1, 2, 2, 2]), paddle.ones([1, 1, 2, 2, 2])).numpy(),
        paddle.adaptive_avg_pool1d(paddle.ones([1, 1, 4]), 2).numpy(),
    ]


@program
def conv3d_layers(paddle, np):
    """What Conv3D and Conv3DTranspose show, hold and give."""
    nn, out = paddle.nn, {}
    for text, layer in {
        "plain": nn.Conv3D(2, 4, 3),
        "more": nn.Conv3D(2, 4, [2, 3, 2], stride=2, padding=1, groups=2, padding_mode="circular"),
        "no bias": nn.Conv3d(2, 4, 2, bias_attr=False, data_format="NDHWC"),
        "transposed": nn.Conv3DTranspose(2, 4, 2, stride=2, output_padding=1, groups=2),
    }.items():
        x = paddle.ones([1, 3, 4, 3, 2] if "NDHWC" in repr(layer) else [1, 2, 3, 4, 3])
        shapes = {name: list(value.shape) for name, value in layer.state_dict().items()}
        for parameter in layer.parameters():
            parameter.set_value(paddle.full(parameter.shape, 0.5))
        out[text] = [repr(layer), shapes, layer(x).numpy()]
    return out


@program
def conv3d_refused(paddle, np):
    """Channels that do not fit, too few dimensions, layouts, numbers."""
    F = paddle.nn.functional
    x, w = paddle.ones([1, 2, 4, 4, 4]), paddle.ones([3, 2, 2, 2, 2])
    return {
        "channels": refuses(lambda: F.conv3d(x, paddle.ones([3, 3, 2, 2, 2]))),
        "rank": attempt(lambda: F.conv3d(x[0], w)),
        "layout": attempt(lambda: F.conv3d(x, w, data_format="NCHW")),
        "padding": attempt(lambda: F.conv3d(x, w, padding="NONE"))["error"],
        "negative": attempt(lambda: F.conv3d(x, w, padding=-1))["error"],
        "groups": attempt(lambda: F.conv3d(x, w, groups=3))["error"],
        "both": attempt(
            lambda: F.conv3d_transpose(
                x, paddle.ones([2, 1, 2, 2, 2]), None, 2, 0, 1, 1, 1, [9] * 3
            )
        ),
    }
