"""The layers: their results, their parameters, their text and their errors.

The functions underneath are tested with the op table; these tests check that a layer passes its
settings, parameters and mode to them.
"""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import functional as F


def random(*shape):
    rng = np.random.default_rng(sum(shape) + len(shape))
    return paddle.to_tensor(rng.standard_normal(shape).astype("float32"))


def assert_same(got, expected):
    np.testing.assert_array_equal(got.numpy(), expected.numpy())


X = (2, 4, 6, 6)
CALLS = [
    (lambda: nn.LeakyReLU(0.3), (3, 4), lambda x: F.leaky_relu(x, negative_slope=0.3)),
    (lambda: nn.ELU(0.7), (3, 4), lambda x: F.elu(x, alpha=0.7)),
    (lambda: nn.CELU(0.7), (3, 4), lambda x: F.celu(x, alpha=0.7)),
    (lambda: nn.SELU(1.5, 1.2), (3, 4), lambda x: F.selu(x, scale=1.5, alpha=1.2)),
    (lambda: nn.GELU(True), (3, 4), lambda x: F.gelu(x, approximate=True)),
    (lambda: nn.Hardtanh(-0.5, 0.25), (3, 4), lambda x: x.clip(-0.5, 0.25)),
    (lambda: nn.Hardshrink(0.2), (3, 4), lambda x: F.hardshrink(x, threshold=0.2)),
    (lambda: nn.Softshrink(0.2), (3, 4), lambda x: F.softshrink(x, threshold=0.2)),
    (lambda: nn.Softplus(2, 3), (3, 4), lambda x: F.softplus(x, beta=2, threshold=3)),
    (lambda: nn.ThresholdedReLU(0.3, 0.1), (3, 4), lambda x: F.thresholded_relu(x, 0.3, 0.1)),
    (lambda: nn.Softmax(0), (3, 4), lambda x: F.softmax(x, axis=0)),
    (lambda: nn.LogSoftmax(0), (3, 4), lambda x: F.log_softmax(x, axis=0)),
    (lambda: nn.Softmax2D(), X, lambda x: F.softmax(x, axis=1)),
    (lambda: nn.Maxout(2), X, lambda x: x.reshape([2, 2, 2, 6, 6]).max(2)),
    (lambda: nn.Flatten(0, 1), X, lambda x: x.reshape([8, 6, 6])),
    (lambda: nn.Unflatten(1, [2, 2]), X, lambda x: x.reshape([2, 2, 2, 6, 6])),
    (
        lambda: nn.MaxPool2D(3, 2, 1, ceil_mode=True),
        X,
        lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
    ),
    (
        lambda: nn.AvgPool2D([2, 3], 1, [0, 1], exclusive=False, divisor_override=5),
        X,
        lambda x: F.avg_pool2d(x, [2, 3], 1, [0, 1], exclusive=False, divisor_override=5),
    ),
    (
        lambda: nn.MaxPool2D(2, data_format="NHWC"),
        X,
        lambda x: F.max_pool2d(x, 2, data_format="NHWC"),
    ),
    (lambda: nn.MaxPool1D(2, 1, 1), (2, 3, 6), lambda x: F.max_pool1d(x, 2, 1, 1)),
    (
        lambda: nn.AvgPool1D(2, 1, 1, exclusive=False),
        (2, 3, 6),
        lambda x: F.avg_pool1d(x, 2, 1, 1, exclusive=False),
    ),
    (lambda: nn.AdaptiveAvgPool1D(4), (2, 3, 6), lambda x: F.adaptive_avg_pool1d(x, 4)),
    (lambda: nn.AdaptiveAvgPool2D((3, None)), X, lambda x: F.adaptive_avg_pool2d(x, (3, None))),
    (lambda: nn.AdaptiveMaxPool2D(4), X, lambda x: F.adaptive_max_pool2d(x, 4)),
    (
        lambda: nn.Pad1D([1, 2], "reflect"),
        (2, 3, 6),
        lambda x: F.pad(x, [1, 2], "reflect", 0, "NCL"),
    ),
    (lambda: nn.Pad2D([1, 2, 3, 4], value=2.0), X, lambda x: F.pad(x, [1, 2, 3, 4], value=2.0)),
    (lambda: nn.ZeroPad2D([1, 2, 3, 4]), X, lambda x: F.pad(x, [1, 2, 3, 4])),
    (lambda: nn.ConstantPad2D(1, 3.0), X, lambda x: F.pad(x, [1] * 4, value=3.0)),
    (lambda: nn.ReflectionPad2D(2), X, lambda x: F.pad(x, [2] * 4, "reflect")),
    (lambda: nn.ReplicationPad2D(2), X, lambda x: F.pad(x, [2] * 4, "replicate")),
    (lambda: nn.CircularPad2D(2), X, lambda x: F.pad(x, [2] * 4, "circular")),
]


@pytest.mark.parametrize(("build", "shape", "expected"), CALLS)
def test_settings_reach_the_function(build, shape, expected):
    x = random(*shape)
    assert_same(build()(x), expected(x))


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda: nn.MSELoss("sum"), lambda x, y: F.mse_loss(x, y, reduction="sum")),
        (lambda: nn.L1Loss("none"), lambda x, y: F.l1_loss(x, y, reduction="none")),
        (
            lambda: nn.SmoothL1Loss("sum", 0.5, False),
            lambda x, y: F.smooth_l1_loss(x, y, reduction="sum", delta=0.5, is_huber=False),
        ),
        (
            lambda: nn.BCEWithLogitsLoss(random(3, 4).abs(), "sum", random(4).abs()),
            lambda x, y: F.binary_cross_entropy_with_logits(
                x, y, random(3, 4).abs(), "sum", random(4).abs()
            ),
        ),
        (
            lambda: nn.KLDivLoss("batchmean", True),
            lambda x, y: F.kl_div(x, y, reduction="batchmean", log_target=True),
        ),
        (
            lambda: nn.CosineSimilarity(axis=0, eps=0.1),
            lambda x, y: F.cosine_similarity(x, y, axis=0, eps=0.1),
        ),
    ],
)
def test_pairs(build, expected):
    x, y = random(3, 4), random(3, 5)[:, 1:]
    assert_same(build()(x, y), expected(x, y))


def test_bce_loss():
    p, y, weight = F.sigmoid(random(3, 4)), random(3, 4).abs().clip(0, 1), random(4).abs()
    assert_same(nn.BCELoss(weight, "sum")(p, y), F.binary_cross_entropy(p, y, weight, "sum"))


def test_class_losses():
    scores, labels = random(5, 4), paddle.to_tensor([0, 3, 1, 2, 1])
    weight = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    loss = nn.CrossEntropyLoss(weight, ignore_index=1, reduction="sum", label_smoothing=0.1)
    assert_same(
        loss(scores, labels),
        F.cross_entropy(
            scores, labels, weight, ignore_index=1, reduction="sum", label_smoothing=0.1
        ),
    )
    soft = F.softmax(random(5, 4))
    assert_same(
        nn.CrossEntropyLoss(soft_label=True, use_softmax=False)(soft, soft),
        F.cross_entropy(soft, soft, soft_label=True, use_softmax=False),
    )
    logs = F.log_softmax(scores)
    assert_same(
        nn.NLLLoss(weight, ignore_index=3, reduction="none")(logs, labels),
        F.nll_loss(logs, labels, weight, ignore_index=3, reduction="none"),
    )
    assert not nn.CrossEntropyLoss(weight).state_dict()


@pytest.mark.parametrize(
    "build",
    [nn.MSELoss, nn.L1Loss, nn.SmoothL1Loss, nn.KLDivLoss, nn.CrossEntropyLoss, nn.NLLLoss,
     nn.BCELoss, nn.BCEWithLogitsLoss],
)  # fmt: skip
def test_a_reduction_that_does_not_exist(build):
    with pytest.raises(ValueError, match=f"'reduction' in {build.__name__} should be one of"):
        build(reduction="average")


# ---- layers with parameters


def test_linear():
    layer, x = nn.Linear(4, 3), random(2, 4)
    expected = x.numpy() @ layer.weight.numpy() + layer.bias.numpy()
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-5)
    assert repr(layer) == "Linear(in_features=4, out_features=3, dtype=float32)"
    assert repr(nn.Linear(1, 2, name="x")).endswith("dtype=float32, name=x)")


def test_embedding():
    layer = nn.Embedding(5, 3, padding_idx=-1)
    assert layer.weight[4].tolist() == [0.0] * 3
    assert_same(layer(paddle.to_tensor([0, 4])), layer.weight[paddle.to_tensor([0, 4])])
    layer(paddle.to_tensor([0, 4])).sum().backward()
    assert layer.weight.grad[4].tolist() == [0.0] * 3
    assert layer.weight.grad[0].tolist() == [1.0] * 3
    text = "Embedding(5, 3, padding_idx=-1, sparse=False, scale_grad_by_freq=False)"
    assert repr(layer) == text


def test_embedding_of_a_given_table():
    table = random(5, 3)
    layer = nn.Embedding(5, 3, _weight=table, _freeze=True)
    assert_same(layer.weight, table)
    assert layer.weight.stop_gradient
    assert not nn.Embedding(5, 3, _weight=table).weight.stop_gradient
    mine, theirs = layer.weight._array, table._array
    assert mine.unsafe_buffer_pointer() != theirs.unsafe_buffer_pointer()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: nn.Embedding(0, 3), "num_embeddings must be greater than 0"),
        (lambda: nn.Embedding(5, 0), "embedding_dim must be greater than 0"),
        (lambda: nn.Embedding(5, 3, 7), r"padding_idx must be within \[-5, 5\)"),
        (lambda: nn.Embedding(5, 3, _weight=random(4, 3)), "The shape of _weight must be"),
    ],
)
def test_embedding_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_prelu():
    layer, x = nn.PReLU(4, 0.5), random(*X)
    assert_same(layer(x), F.prelu(x, layer._weight))
    assert list(layer.state_dict()) == ["_weight"]
    layer(x).sum().backward()
    assert layer._weight.grad.shape == [4]


@pytest.mark.parametrize(
    ("build", "shape", "weight", "out"),
    [
        (lambda: nn.Conv1D(4, 6, 3, groups=2), (2, 4, 6), [6, 2, 3], [2, 6, 4]),
        (lambda: nn.Conv2D(4, 6, (3, 2), stride=2, padding=1), X, [6, 4, 3, 2], [2, 6, 3, 4]),
        (lambda: nn.Conv2D(6, 3, 3, data_format="NHWC"), X, [3, 6, 3, 3], [2, 2, 4, 3]),
        (lambda: nn.Conv2D(4, 4, 3, dilation=2), X, [4, 4, 3, 3], [2, 4, 2, 2]),
        (lambda: nn.Conv2D(4, 4, 3, padding="same"), X, [4, 4, 3, 3], list(X)),
        (lambda: nn.Conv1DTranspose(4, 6, 3, stride=2), (2, 4, 6), [4, 6, 3], [2, 6, 13]),
        (
            lambda: nn.Conv2DTranspose(4, 6, 3, stride=2, output_padding=1, groups=2),
            X,
            [4, 3, 3, 3],
            [2, 6, 14, 14],
        ),
    ],
)
def test_convolution_shapes(build, shape, weight, out):
    layer = build()
    assert layer.weight.shape == weight
    output = layer(random(*shape))
    assert output.shape == out
    output.sum().backward()
    assert layer.bias.grad.shape == layer.bias.shape


def test_convolution_passes_its_settings_on():
    layer, x = nn.Conv2D(4, 6, 3, stride=2, padding=[1, 2], dilation=2, groups=2), random(*X)
    expected = F.conv2d(x, layer.weight, layer.bias, stride=2, padding=[1, 2], dilation=2, groups=2)
    assert_same(layer(x), expected)


def test_transposed_convolution_with_an_output_size():
    layer = nn.Conv2DTranspose(4, 4, 3, stride=2)
    assert layer(random(*X), [14, 14]).shape == [2, 4, 14, 14]
    assert layer(random(*X)).shape == [2, 4, 13, 13]


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_convolution_padding_modes(mode):
    layer, x = nn.Conv2D(4, 3, 3, padding=2, padding_mode=mode), random(*X)
    padded = F.pad(x, [2] * 4, mode)
    assert_same(layer(x), F.conv2d(padded, layer.weight, layer.bias))


def test_convolution_without_bias():
    assert nn.Conv2D(3, 4, 3, bias=False).bias is None
    assert nn.Conv2D(3, 4, 3, bias_attr=False)(random(1, 3, 4, 4)).shape == [1, 4, 2, 2]


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: nn.Conv2D(3, 4, 3), "3, 4, kernel_size=[3, 3], data_format=NCHW"),
        (
            lambda: nn.Conv2D(4, 4, 3, 2, 1, dilation=2, groups=2, padding_mode="reflect"),
            "4, 4, kernel_size=[3, 3], stride=[2, 2], padding=1, padding_mode=reflect, "
            "dilation=[2, 2], groups=2, data_format=NCHW",
        ),
        (
            lambda: nn.Conv2DTranspose(4, 4, 3, 2, 1, 1),
            "4, 4, kernel_size=[3, 3], stride=[2, 2], padding=1, output_padding=1, "
            "data_format=NCHW",
        ),
    ],
)
def test_convolution_text(build, text):
    assert build().extra_repr() == text


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nn.Conv2D(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by"),
        (lambda: nn.Conv2D(3, 4, 3, groups=0), ValueError, "groups of Conv2D must be positive"),
        (lambda: nn.Conv2D(3, 4, [3, 3, 3]), ValueError, "kernel_size's length must be 2"),
        (lambda: nn.Conv2D(3, 4, 3, padding="big"), ValueError, "Unknown padding: 'big'"),
        (lambda: nn.Conv2D(3, 4, 3, padding_mode="x"), ValueError, "padding_mode must be one of"),
        (lambda: nn.Conv2D(3, 4, 3, data_format="x"), ValueError, "data_format must be one of"),
        (lambda: nn.Conv2D(3, 4, 3, weight_attr=False), ValueError, "weight_attr should not be"),
        (
            lambda: nn.Conv2D(3, 4, 3, padding=[1, 1], padding_mode="circular"),
            TypeError,
            "padding must be an int",
        ),
    ],
)
def test_convolution_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_unfold_and_distance():
    x = random(*X)
    assert_same(nn.Unfold([2, 3], 1, 1, 2)(x), F.unfold(x, [2, 3], 2, 1, 1))
    a, b = random(3, 4), random(3, 5)[:, 1:]
    distance = nn.PairwiseDistance(1.0, keepdim=True)
    assert_same(distance(a, b), F.pairwise_distance(a, b, 1.0, keepdim=True))


# ---- dropout and other modes


@pytest.mark.parametrize("build", [nn.Dropout, nn.Dropout2D, nn.Dropout3D])
def test_dropout_follows_the_mode(build):
    layer, x = build(0.5), paddle.ones([4, 8, 2, 2, 2] if build is nn.Dropout3D else [4, 8, 2, 2])
    assert set(np.unique(layer(x).numpy())) == {0.0, 2.0}
    assert_same(layer.eval()(x), x)


def test_dropout_settings():
    x = paddle.ones([8, 8])
    rows = nn.Dropout(0.5, axis=0)(x).numpy()
    assert (rows == rows[:, :1]).all()
    assert set(np.unique(rows)) == {0.0, 2.0}
    infer = nn.Dropout(0.25, mode="downscale_in_infer")
    assert set(np.unique(infer(x).numpy())) == {0.0, 1.0}
    assert set(np.unique(infer.eval()(x).numpy())) == {0.75}
    channels = nn.Dropout2D(0.5)(paddle.ones([4, 8, 2, 2])).numpy()
    assert (channels == channels[:, :, :1, :1]).all()


def test_identity():
    x = paddle.ones([1])
    assert nn.Identity(1, any=2)(x) is x


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: nn.ReLU(), "ReLU()"),
        (lambda: nn.ReLU(name="n"), "ReLU(name=n)"),
        (lambda: nn.ELU(name="n"), "ELU(alpha=1.0, name=n)"),
        (lambda: nn.Silu(), "Silu(inplace=False)"),
        (lambda: nn.Softplus(), "Softplus(beta=1, threshold=20)"),
        (lambda: nn.PReLU(), "PReLU(num_parameters=1, data_format=NCHW, init=0.25, dtype=float32)"),
        (lambda: nn.Flatten(), "Flatten()"),
        (lambda: nn.Unflatten(1, [2]), "Unflatten(axis=1, shape=[2])"),
        (lambda: nn.CosineSimilarity(), "CosineSimilarity(axis=1, eps=1e-08)"),
        (
            lambda: nn.Unfold(2, name="n"),
            "Unfold(kernel_size=2, dilation=1, padding=0, stride=1, name=n)",
        ),
        (
            lambda: nn.PairwiseDistance(1.0, 1e-3, True, "n"),
            "PairwiseDistance(p=1.0, epsilon=0.001, keepdim=True, name=n)",
        ),
        (
            lambda: nn.Dropout(name="n"),
            "Dropout(p=0.5, axis=None, mode=upscale_in_train, name=n, inplace=False)",
        ),
        (lambda: nn.Dropout2D(), "Dropout2D(p=0.5, data_format=NCHW)"),
        (lambda: nn.MaxPool2D(2, 1), "MaxPool2D(kernel_size=2, stride=1, padding=0)"),
        (lambda: nn.AdaptiveAvgPool2D((2, 3)), "AdaptiveAvgPool2D(output_size=(2, 3))"),
        (lambda: nn.AdaptiveMaxPool2D(2), "AdaptiveMaxPool2D(output_size=2, return_mask=False)"),
        (
            lambda: nn.ZeroPad2D(1),
            "ZeroPad2D(padding=[1, 1, 1, 1], mode=constant, value=0.0, data_format=NCHW)",
        ),
        (
            lambda: nn.BatchNorm2D(3, name="a"),
            "BatchNorm2D(num_features=3, momentum=0.9, epsilon=1e-05, name=a)",
        ),
        (
            lambda: nn.BatchNorm1D(3),
            "BatchNorm1D(num_features=3, momentum=0.9, epsilon=1e-05, data_format=NCL)",
        ),
        (lambda: nn.InstanceNorm2D(3), "InstanceNorm2D(num_features=3, epsilon=1e-05)"),
        (lambda: nn.GroupNorm(2, 4), "GroupNorm(num_groups=2, num_channels=4, epsilon=1e-05)"),
        (lambda: nn.CrossEntropyLoss(), "CrossEntropyLoss()"),
    ],
)
def test_text(build, text):
    assert repr(build()) == text


def test_a_lenet_trains():
    net = nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    x, labels = random(16, 1, 8, 8), paddle.to_tensor(np.arange(16) % 10)
    loss_of, losses = nn.CrossEntropyLoss(), []
    for _ in range(5):
        loss = loss_of(net(x), labels)
        loss.backward()
        with paddle.no_grad():
            for parameter in net.parameters():
                parameter.set_value(parameter - parameter.grad * 0.1)
        net.clear_gradients()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1


@pytest.mark.parametrize("layer", [nn.Silu(True), nn.Dropout(1.0, inplace=True)])
def test_in_place_layers_overwrite_their_input(layer):
    x = paddle.to_tensor([0.0, -2.0])
    expected = type(layer)(*([] if isinstance(layer, nn.Silu) else [1.0]))(x).tolist()
    assert layer(x) is x
    assert x.tolist() == expected
    assert x.inplace_version == 1
