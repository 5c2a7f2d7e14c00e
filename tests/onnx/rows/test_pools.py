"""Pooling and resizing in ONNX, where a runtime or an open size needs other operators."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.static import InputSpec
from tests.onnx.running import both, check_same, model_of_function, operators_of

F = paddle.nn.functional
OPEN = [InputSpec([None, 2, None, None])]


def image(*shape):
    return paddle.to_tensor(np.random.RandomState(0).rand(*shape).astype("float32"))


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
@pytest.mark.parametrize("specs", [None, OPEN])
def test_an_image_whose_sizes_a_factor_keeps_is_a_copy(mode, specs):
    x = image(1, 2, 5, 6)
    assert (F.interpolate(x, scale_factor=1.1, mode=mode) == x).all()
    check_same(lambda x: F.interpolate(x, scale_factor=1.1, mode=mode), [x], specs)


def test_other_factors_are_one_operator():
    for factor in (2, 0.5, 1.5):
        model = model_of_function(
            lambda x, factor=factor: F.interpolate(x, scale_factor=factor), [image(1, 2, 4, 4)]
        )
        assert operators_of(model) == {"Resize"}


@pytest.mark.parametrize("pool", [F.max_pool2d, F.avg_pool2d])
def test_padding_same_of_open_sizes(pool):
    for shape in ([1, 2, 5, 6], [2, 2, 8, 7]):
        check_same(lambda x: pool(x, 3, 2, padding="SAME"), [image(*shape)], OPEN)


def test_an_open_size_stays_in_adaptive_pooling():
    check_same(lambda x: F.adaptive_avg_pool2d(x, (None, 2)), [image(1, 2, 5, 6)], OPEN)


@pytest.mark.parametrize(
    ("layer", "operator"),
    [
        (paddle.nn.MaxPool2D(2), "MaxPool"),
        (paddle.nn.AdaptiveAvgPool2D(2), "AveragePool"),
        (paddle.nn.LayerNorm([4, 4]), "LayerNormalization"),
        (paddle.nn.Conv2DTranspose(2, 2, 2, bias_attr=False), "ConvTranspose"),
    ],
)
def test_half_precision_is_one_operator(layer, operator):
    half = layer.astype("float16")
    x = image(1, 2, 4, 4).astype("float16")
    (here,), (there,) = both(half, [x])
    np.testing.assert_allclose(there, here, rtol=3e-3, atol=3e-3)
    assert operators_of(model_of_function(half, [x])) - {"Reshape"} == {operator}
