"""Batch norm, layer norm and their statistics."""

from ..probe import array, leaf, pull
from ..registry import differs, program


def _float32(np, *shape):
    return np.random.default_rng(41).normal(size=shape).astype("float32")


@program(
    rtol=1e-4, reason="the two divide by the square root of a variance summed in another order"
)
def layer_norm(paddle, np):
    """layer_norm over one and two axes, with and without weights."""
    F = paddle.nn.functional
    out = {}
    for text, shape, weights in [("last", [4], True), ("two", [3, 4], True), ("plain", [4], False)]:
        x = leaf(paddle, _float32(np, 2, 3, 4))
        size = int(np.prod(shape))
        w, b = leaf(paddle, _float32(np, size)), leaf(paddle, _float32(np, size) * 2)
        y = F.layer_norm(x, shape, w, b) if weights else F.layer_norm(x, shape)
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy(), array(w.grad), array(b.grad)]
    return out


@program(
    rtol=1e-4, reason="the two divide by the square root of a variance summed in another order"
)
def batch_norm_in_training(paddle, np):
    """Output, gradients and moved statistics of images, rows and sequences."""
    nn = paddle.nn
    out = {}
    for layer, shape in [
        (nn.BatchNorm2D(3), (4, 3, 2, 2)),
        (nn.BatchNorm1D(3), (5, 3)),
        (nn.BatchNorm1D(3), (5, 3, 4)),
        (nn.BatchNorm2D(3, momentum=0.5, epsilon=1e-3), (4, 3, 2, 2)),
    ]:
        layer.weight.set_value(np.float32([1.0, 2.0, 0.5]))
        x = leaf(paddle, _float32(np, *shape))
        y = layer(x)
        pull(paddle, np, y)
        out[f"{shape} {len(out)}"] = [
            y.numpy(),
            x.grad.numpy(),
            layer.weight.grad.numpy(),
            layer.bias.grad.numpy(),
            layer._mean.numpy(),
            layer._variance.numpy(),
        ]
    return out


@program(
    rtol=1e-4, reason="the two divide by the square root of a variance summed in another order"
)
def batch_norm_in_evaluation(paddle, np):
    """After some steps of training the stored statistics are used, and do not move."""
    layer = paddle.nn.BatchNorm2D(3)
    for k in range(3):
        layer(paddle.to_tensor(_float32(np, 4, 3, 2, 2) * (k + 1) + k))
    layer.eval()
    x = leaf(paddle, _float32(np, 2, 3, 2, 2))
    y = layer(x)
    pull(paddle, np, y)
    return [
        y.numpy(), x.grad.numpy(), layer.weight.grad.numpy(), layer.bias.grad.numpy(),
        layer._mean.numpy(), layer._variance.numpy(),
    ]  # fmt: skip


@program(
    rtol=1e-4, reason="the two divide by the square root of a variance summed in another order"
)
def batch_norm_function(paddle, np):
    """F.batch_norm moves the statistics it is given, unless use_global_stats."""
    F = paddle.nn.functional
    out = {}
    for text, attributes in {
        "training": {"training": True},
        "evaluation": {"training": False},
        "global": {"training": True, "use_global_stats": True},
    }.items():
        mean, variance = (
            paddle.to_tensor(np.float32([0.1, 0.2])),
            paddle.to_tensor(np.float32([1.0, 2.0])),
        )
        x = leaf(paddle, _float32(np, 3, 2, 2, 2))
        y = F.batch_norm(x, mean, variance, paddle.ones([2]), paddle.zeros([2]), **attributes)
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy(), mean.numpy(), variance.numpy()]
    return out


@program(rtol=1e-4, reason="a norm in float32 divides by a square root")
def normalize(paddle, np):
    """F.normalize along an axis and of another order."""
    F = paddle.nn.functional
    out = {}
    for text, attributes in {"2": {}, "1": {"p": 1}, "axis 0": {"axis": 0}}.items():
        x = leaf(paddle, _float32(np, 3, 4))
        y = F.normalize(x, **attributes)
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy()]
    return out


@program
def batch_norm_of_one_element(paddle, np):
    """In training one element a channel comes back as it is; the statistics stay. Otherwise not."""
    out = {}
    layers = {"1D": (2,), "2D": (2, 1, 1), "3D": (2, 1, 1, 1)}
    for name, shape in layers.items():
        for samples in (0, 1):
            for use in (None, True, False):
                layer = getattr(paddle.nn, f"BatchNorm{name}")(2, use_global_stats=use)
                layer.weight.set_value(np.float32([2.0, 3.0]))
                x = leaf(paddle, np.float32([3.0, -4.0] * samples).reshape(samples, *shape))
                y = layer(x)
                y.sum().backward()
                out[name, samples, use] = [
                    y.numpy(), x.grad.numpy(), array(layer.weight.grad), array(layer.bias.grad),
                    layer._mean.numpy(), layer._variance.numpy(),
                ]  # fmt: skip
    last = paddle.nn.BatchNorm2D(2, data_format="NHWC")
    out["last"] = last(paddle.to_tensor(np.float32([[[[3.0, -4.0]]]]))).numpy()
    out["evaluation"] = paddle.nn.BatchNorm1D(2).eval()(paddle.full([1, 2], 3.0)).numpy()
    return out


@differs(
    "the gradient in evaluation mode is that of running statistics which were not used",
    right=[[3.0, -4.0], [1.0, 1.0]],
    paddle_gives=[[3.0, -4.0], [2.0, 3.0]],
)
def gradient_of_batch_norm_of_one_element(paddle, np):
    """With use_global_stats=False one element comes back as it is in evaluation mode too."""
    layer = paddle.nn.BatchNorm1D(2, epsilon=0.0, use_global_stats=False)
    layer.weight.set_value(np.float32([2.0, 3.0]))
    layer.eval()
    x = leaf(paddle, np.float32([[3.0, -4.0]]))
    y = layer(x)
    y.sum().backward()
    return [y.numpy().ravel().tolist(), x.grad.numpy().ravel().tolist()]


@differs(
    "The gradient of the input counts the weight, also when the weight wants no gradient itself.",
    right=[0.4582, -0.6872, 0.2291],
    paddle_gives=[0.1145, -0.1718, 0.0573],
)
def layer_norm_with_a_frozen_weight(paddle, np):
    """The last number of a row normalised with weights 1, 2 and 4, which are not trained."""
    x = leaf(paddle, np.array([[0.0, 1.0, 3.0]], "float32"))
    weight = paddle.to_tensor([1.0, 2.0, 4.0])
    paddle.nn.functional.layer_norm(x, [3], weight, None, 1e-5)[0, 2].backward()
    return [round(each, 4) for each in x.grad.flatten().tolist()]
