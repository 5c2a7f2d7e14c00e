"""The normalisation layers: statistics, parameters, modes and errors."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import functional as F
from jaxeager.utils import unique_name

X = (2, 4, 6, 6)


def random(*shape):
    rng = np.random.default_rng(sum(shape) + len(shape))
    return paddle.to_tensor(rng.standard_normal(shape).astype("float32"))


def assert_same(got, expected):
    np.testing.assert_array_equal(got.numpy(), expected.numpy())


def test_batch_norm_trains_and_evaluates():
    norm, x = nn.BatchNorm2D(4, momentum=0.8, epsilon=1e-3), random(*X)
    values = x.numpy().astype("float64")
    mean, variance = values.mean((0, 2, 3)), values.var((0, 2, 3))

    def normalised(mean, variance):
        centred = values - mean.reshape(1, 4, 1, 1)
        return centred / np.sqrt(variance.reshape(1, 4, 1, 1) + 1e-3)

    np.testing.assert_allclose(norm(x).numpy(), normalised(mean, variance), atol=1e-5)
    kept_mean, kept_variance = 0.2 * mean, 0.8 + 0.2 * variance
    np.testing.assert_allclose(norm._mean.numpy(), kept_mean, atol=1e-6)
    np.testing.assert_allclose(norm._variance.numpy(), kept_variance, rtol=1e-5)
    norm.eval()
    np.testing.assert_allclose(norm(x).numpy(), normalised(kept_mean, kept_variance), atol=1e-5)
    np.testing.assert_allclose(norm._mean.numpy(), kept_mean, atol=1e-6)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("setting", "moves"), [(True, False), (False, True)])
def test_use_global_stats(setting, moves, training):
    norm = nn.BatchNorm2D(4, use_global_stats=setting).train(training)
    norm(random(*X) + 1)
    assert bool((norm._mean != 0).any()) is moves


def test_statistics_are_parameters_that_are_not_trained():
    norm = nn.BatchNorm1D(2)
    assert [name for name, _ in norm.named_parameters()] == ["weight", "bias", "_mean", "_variance"]
    norm(random(3, 2)).sum().backward()
    assert norm._mean.stop_gradient
    assert norm._mean.grad is None
    assert norm.bias.grad.tolist() == [3.0, 3.0]


def test_batch_norm_names():
    with unique_name.guard():
        names = [t.name for t in nn.BatchNorm2D(3, name="mine").state_dict().values()]
        assert names == ["batch_norm2d_0.w_0", "batch_norm2d_0.b_0", "mine_mean", "mine_variance"]
        bare = nn.BatchNorm2D(3, weight_attr=False, bias_attr=False)
        assert [t.name for t in bare.state_dict().values()] == [
            "batch_norm2d_1.w_0",
            "batch_norm2d_1.w_1",
        ]


def test_old_batch_norm():
    norm, x = nn.BatchNorm(4, act="relu", moving_mean_name="m"), random(*X)
    assert_same(norm(x), F.relu(nn.BatchNorm2D(4)(x)))
    assert norm._mean.name == "m"
    for settings, moves in (
        ({"is_test": True}, False),
        ({"use_global_stats": True}, False),
        ({}, True),
    ):
        norm = nn.BatchNorm(4, **settings)
        norm(x)
        assert bool((norm._mean != 0).any()) is moves
    norm = nn.BatchNorm(4, is_test=True)
    assert not norm.training
    assert norm.train()(x).shape == list(X)
    assert bool((norm._mean != 0).any())
    norm = nn.BatchNorm(4, trainable_statistics=True).eval()
    assert_same(norm(x), nn.BatchNorm2D(4)(x))
    with pytest.raises(ValueError, match="no activation 'bogus'"):
        nn.BatchNorm(4, act="bogus")


def test_statistics_of_the_batch_in_evaluation_have_their_gradient_where_paddle_drops_it():
    gradients = []
    for layer in (nn.BatchNorm2D(4), nn.BatchNorm2D(4, use_global_stats=False).eval()):
        x = random(*X)
        x.stop_gradient = False
        (layer(x) * random(*X).cos()).sum().backward()
        gradients.append(x.grad)
    assert_same(*gradients)


def test_layer_norm():
    norm, x = nn.LayerNorm([6, 6], epsilon=1e-2), random(*X)
    assert norm.weight.shape == [36]
    assert_same(norm(x), F.layer_norm(x, [6, 6], norm.weight, norm.bias, 1e-2))
    assert repr(norm) == "LayerNorm(normalized_shape=[6, 6], epsilon=0.01)"
    assert nn.LayerNorm(3, bias=False).bias is None
    bare = nn.LayerNorm(6, elementwise_affine=False)
    assert (bare.weight, bare.bias) == (None, None)
    assert_same(bare(x), F.layer_norm(x, 6))
    assert nn.LayerNorm(3, dtype="float64").weight.dtype == "float64"


def test_group_norm():
    norm, x = nn.GroupNorm(2, 4, epsilon=1e-2), random(*X)
    assert_same(norm(x), F.group_norm(x, 2, 1e-2, norm.weight, norm.bias))
    bare = nn.GroupNorm(2, 4, affine=False)
    assert not bare.state_dict()
    assert_same(bare(x), F.group_norm(x, 2))
    with pytest.raises(ValueError, match="unsupported data layout:a"):
        nn.GroupNorm(2, 4, data_format="a")


def test_instance_norm():
    norm, x = nn.InstanceNorm2D(4, epsilon=1e-2), random(*X)
    assert list(norm.state_dict()) == ["scale", "bias"]
    assert_same(norm(x), F.instance_norm(x, weight=norm.scale, bias=norm.bias, eps=1e-2))
    assert not nn.InstanceNorm1D(4, weight_attr=False, bias_attr=False).state_dict()
    with pytest.raises(ValueError, match="must be set to False at the same time"):
        nn.InstanceNorm2D(3, weight_attr=False)


@pytest.mark.parametrize(
    ("norm", "shape", "text"),
    [
        (nn.BatchNorm1D, (2, 3, 4, 4), r"expected 2D or 3D input \(got 4D input"),
        (nn.BatchNorm2D, (2, 3), r"expected 4D input \(got 2D input"),
        (nn.BatchNorm3D, (2, 3), r"expected 5D input \(got 2D input"),
        (nn.InstanceNorm1D, (2, 3, 4, 4), r"expected 2D or 3D input \(got 4D input"),
        (nn.InstanceNorm2D, (2, 3, 4), r"expected 4D input \(got 3D input"),
        (nn.InstanceNorm3D, (2, 3, 4), r"expected 5D input \(got 3D input"),
    ],
)
def test_norms_check_dimensions(norm, shape, text):
    with pytest.raises(ValueError, match=text):
        norm(3)(random(*shape))
