"""ParamAttr, create_parameter, and the effect of weight_attr on layers."""

import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.regularizer import L2Decay

pytestmark = pytest.mark.usefixtures("fresh_names")


def test_settings_reach_the_parameter():
    decay = L2Decay(0.1)
    attr = paddle.ParamAttr(
        name="w", learning_rate=0.3, regularizer=decay, trainable=False, need_clip=False
    )
    weight = nn.Linear(1, 1, weight_attr=attr).weight
    assert weight.name == "w"
    assert weight.optimize_attr == {"learning_rate": 0.3}
    assert weight.regularizer is decay
    assert weight.stop_gradient
    assert not weight.trainable
    assert not weight.need_clip
    assert weight.do_model_average


def test_defaults():
    weight = nn.Linear(1, 1).weight
    assert weight.optimize_attr == {"learning_rate": 1.0}
    assert weight.regularizer is None
    assert weight.trainable
    assert weight.need_clip
    assert weight.persistable


@pytest.mark.parametrize(
    ("attr", "check"),
    [
        ("mine", lambda w: w.name == "mine"),
        (None, lambda w: w.name == "linear_0.w_0"),
        (True, lambda w: w.name == "linear_0.w_0"),
        (nn.initializer.Constant(3.0), lambda w: w.item() == 3.0),
        (L2Decay(0.5), lambda w: w.regularizer.rule() == ("l2", 0.5)),
    ],
)
def test_short_forms(attr, check):
    assert check(nn.Linear(1, 1, weight_attr=attr).weight)


def test_false_leaves_a_parameter_out():
    assert nn.Linear(1, 1, bias_attr=False).bias is None
    assert paddle.create_parameter([1], "float32", attr=False) is None
    with pytest.raises(ValueError, match="weight_attr should not be False in Linear"):
        nn.Linear(1, 1, weight_attr=False)


def test_wrong_attributes():
    with pytest.raises(TypeError, match="but received 3 of type int"):
        nn.Linear(1, 1, weight_attr=3)
    with pytest.raises(TypeError, match="but received a list of 2"):
        nn.Linear(1, 1, weight_attr=[None, None])


def test_repr():
    assert repr(paddle.ParamAttr("w")).startswith("ParamAttr(name='w', initializer=None")


def test_names_count_per_kind():
    layer = nn.Layer()
    names = [layer.create_parameter([1], is_bias=bias).name for bias in (False, True, False)]
    assert names == ["layer_0.w_0", "layer_0.b_0", "layer_0.w_1"]


def test_create_parameter_names():
    make = paddle.create_parameter
    assert make([1], "float32").name == "create_parameter_0.w_0"
    assert make([1], "float32", name="x").name == "x"
    assert make([1], "float32", name="n", attr=paddle.ParamAttr(name="m")).name == "m"


def test_dtypes():
    make = paddle.create_parameter
    assert make([1], "float64").dtype == "float64"
    assert nn.Layer(dtype="float64").create_parameter([1]).dtype == "float32"
    with pytest.raises(TypeError, match="dtype int32 has no default initializer"):
        make([1], "int32")
    assert make([1], "int32", default_initializer=nn.initializer.Constant(2)).item() == 2


def test_default_dtype():
    paddle.set_default_dtype("float64")
    try:
        layers = nn.Linear(1, 1), nn.Conv2D(1, 1, 1), nn.LayerNorm(1), nn.BatchNorm1D(1)
        repr_of_linear = repr(layers[0])
        paddle.set_default_dtype("float16")
        half = nn.BatchNorm1D(1)
    finally:
        paddle.set_default_dtype("float32")
    assert {str(layer.weight.dtype) for layer in layers} == {"paddle.float64"}
    assert "dtype=float64" in repr_of_linear
    assert half._mean.dtype == "float32"


def test_device():
    place = paddle.CPUPlace()
    parameter = nn.Layer().create_parameter([1], device="cpu")
    assert parameter.place == place
