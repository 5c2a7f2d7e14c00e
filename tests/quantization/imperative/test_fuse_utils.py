"""Conv2D or Linear with the batch normalization after it, as one layer."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.quantization.imperative.fuse_utils import fuse_conv_bn, fuse_layers


def varied(model):
    """Give the statistics of each norm values other than 0 and 1, and return the model."""
    for layer in model.sublayers(include_self=True):
        if hasattr(layer, "_variance"):
            layer._mean.set_value(paddle.randn(layer._mean.shape))
            layer._variance.set_value(paddle.rand(layer._variance.shape) + 0.5)
            if layer.weight is not None:
                layer.weight.set_value(paddle.randn(layer.weight.shape))
                layer.bias.set_value(paddle.randn(layer.bias.shape))
    return model.eval()


@pytest.mark.parametrize("bias", [None, False])
@pytest.mark.parametrize("affine", [None, False])
@pytest.mark.parametrize("groups", [1, 2])
def test_conv_and_norm(bias, affine, groups):
    conv = nn.Conv2D(4, 6, 3, padding=1, groups=groups, bias_attr=bias)
    norm = nn.BatchNorm2D(6, weight_attr=affine, bias_attr=affine)
    model = varied(nn.Sequential(conv, norm))
    x = paddle.randn([2, 4, 5, 5])
    fused = fuse_layers(model, [["0", "1"]])
    np.testing.assert_allclose(fused(x), model(x), rtol=1e-4, atol=1e-5)
    assert fused is not model
    assert isinstance(model[1], nn.BatchNorm2D)
    assert [type(each).__name__ for each in fused] == ["Conv2D", "Identity"]
    assert not fused[1].training


@pytest.mark.parametrize("bias", [None, False])
def test_linear_and_norm(bias):
    model = varied(nn.Sequential(nn.Linear(4, 3, bias_attr=bias), nn.BatchNorm1D(3)))
    x = paddle.randn([5, 4])
    wanted = model(x)
    assert fuse_layers(model, [("0", "1")], inplace=True) is model
    np.testing.assert_allclose(model(x), wanted, rtol=1e-4, atol=1e-5)


class Block(nn.Layer):
    """Two convolutions, each with a norm, and others that do not belong together."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2D(2, 2, 1), nn.BatchNorm2D(2)
        self.early = nn.BatchNorm2D(2)
        self.body = nn.Sequential(nn.Conv2D(2, 3, 1), nn.BatchNorm2D(3))
        self.alone, self.relu, self.late = nn.Conv2D(3, 2, 1), nn.ReLU(), nn.BatchNorm2D(2)

    def forward(self, x):
        x = self.early(self.bn1(self.conv1(x)))
        return self.late(self.relu(self.alone(self.body(x))))


def test_norms_that_follow_a_convolution_are_found():
    model, x = varied(Block()), paddle.randn([2, 2, 3, 3])
    wanted = model(x)
    fuse_conv_bn(model)
    kinds = {name: type(each).__name__ for name, each in model.named_sublayers()}
    assert [name for name, kind in kinds.items() if kind == "Identity"] == ["bn1", "body.1"]
    np.testing.assert_allclose(model(x), wanted, rtol=1e-4, atol=1e-5)


def test_hooks_around_both_layers_stay():
    model = varied(nn.Sequential(nn.Conv2D(1, 2, 1), nn.BatchNorm2D(2)))
    model[0].register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2.0,))
    model[1].register_forward_post_hook(lambda layer, inputs, output: output + 1.0)
    x = paddle.randn([1, 1, 2, 2])
    wanted = model(x)
    fused = fuse_layers(model, [["0", "1"]])
    np.testing.assert_allclose(fused(x), wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model(x), wanted)


def test_what_cannot_be_fused():
    def model():
        return nn.Sequential(nn.Conv2D(1, 2, 1), nn.BatchNorm2D(2), nn.BatchNorm2D(3)).eval()

    pair = [["0", "1"]]
    with pytest.raises(AssertionError, match="the layer '0' is in training"):
        fuse_layers(model().train(), pair)
    with pytest.raises(AssertionError, match="2 output channels of Conv2D must match num_features"):
        fuse_layers(model(), [["0", "2"]])
    with pytest.raises(NotImplementedError, match="BatchNorm2D and Conv2D cannot be fused, but"):
        fuse_layers(model(), [["1", "0"]])
    with pytest.raises(TypeError, match=r"should be a list of pairs of names.*received None"):
        fuse_layers(model(), None)
    between = model()
    between[0].register_forward_post_hook(lambda layer, inputs, output: None)
    with pytest.raises(NotImplementedError, match="a hook reads the value between them"):
        fuse_layers(between, pair)
    normed = model()
    nn.utils.weight_norm(normed[0])
    with pytest.raises(NotImplementedError, match="weight is computed in each call"):
        fuse_layers(normed, pair)
