"""ImperativeQuantAware: what it replaces, refuses and saves."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.quantization import ImperativeQuantAware
from tests.support.often import only

SPEC = [paddle.static.InputSpec([None, 4], "float32")]


class Halves(nn.Layer):
    """Rounds to halves."""

    def forward(self, x):
        return (x * 2.0).round() / 2.0


def trained(**options):
    """Return a quantized model after a step, in evaluation, and what quantized it."""
    qat = ImperativeQuantAware(**options)
    model = qat.quantize(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)))
    sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    model(paddle.randn([16, 4])).square().mean().backward()
    sgd.step()
    return model.eval(), qat


@pytest.mark.parametrize("bits", only([8], [8, 4, 12]))
@pytest.mark.parametrize(
    ("kind", "integers"),
    [
        pytest.param(kind, integers, id=f"{integers}-{kind}", marks=marks)
        for kind, integers, marks in (
            ("abs_max", False, ()),
            ("abs_max", True, pytest.mark.deep),
            ("channel_wise_abs_max", False, pytest.mark.deep),
            ("channel_wise_abs_max", True, ()),
        )
    ],
)
def test_what_is_saved_computes_as_the_model(bits, kind, integers, tmp_path):
    model, qat = trained(weight_quantize_type=kind, weight_bits=bits, onnx_format=integers)
    x = paddle.randn([5, 4])
    wanted = model(x).numpy()  # sets the scales of weights
    before = {name: each.numpy() for name, each in model.state_dict().items()}
    qat.save_quantized_model(model, str(tmp_path / "net"), SPEC)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_allclose(loaded(x), wanted, rtol=1e-6, atol=1e-7)
    weight = loaded.state_dict()["0._layer.weight"]
    stored = "int8" if bits <= 8 else "int16"
    assert weight.dtype == (stored if integers else "float32")
    if integers:
        assert int(weight.abs().max()) == 2 ** (bits - 1) - 1
    else:
        rounded = model[0]._layer._fake_quant_weight(model[0]._layer.weight)
        np.testing.assert_array_equal(weight, rounded)
    after = model.state_dict()
    assert list(after) == list(before)
    for name, each in before.items():
        np.testing.assert_array_equal(after[name], each)


def test_a_model_in_training_is_saved_for_inference(tmp_path):
    model, qat = trained()
    x = paddle.randn([5, 4])
    wanted = model(x).numpy()
    model.train()
    qat.save_quantized_model(model, str(tmp_path / "net"), SPEC)
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x), wanted, rtol=1e-6)
    assert all(each.training for each in model.sublayers())


@pytest.mark.parametrize("integers", [pytest.param(False, marks=pytest.mark.deep), True])
def test_layers_of_users_are_part_of_what_is_saved(integers, tmp_path):
    model, qat = trained(
        weight_preprocess_layer=nn.Tanh, act_preprocess_layer=nn.Tanh,
        weight_quantize_layer=Halves, act_quantize_layer=Halves, onnx_format=integers,
    )  # fmt: skip
    qat.save_quantized_model(model, str(tmp_path / "net"), SPEC)
    loaded, x = paddle.jit.load(str(tmp_path / "net")), paddle.randn([5, 4])
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-6, atol=1e-7)
    weight = loaded.state_dict()["0._layer.weight"].numpy()
    np.testing.assert_array_equal(weight * 2, (weight * 2).round())


def test_models_marked_for_compilation_are_saved(tmp_path):
    model, qat = trained()
    marked = paddle.jit.to_static(model, input_spec=SPEC)
    x = paddle.randn([5, 4])
    qat.save_quantized_model(marked, str(tmp_path / "net"))
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x), model(x), rtol=1e-6)


def test_tied_weights_stay_apart(tmp_path):
    """A weight that another layer reads as it is is rounded in the rounded layer alone."""

    class Tied(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)
            self.kept = nn.Linear(4, 4)
            self.kept.weight, self.kept.skip_quant = self.fc.weight, True

        def forward(self, x):
            return self.kept(self.fc(x))

    qat = ImperativeQuantAware(weight_bits=3)
    model = qat.quantize(Tied())
    model(paddle.randn([8, 4]))
    model.eval()
    qat.save_quantized_model(model, str(tmp_path / "net"), SPEC)
    x = paddle.randn([5, 4])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x), model(x), rtol=1e-5)


def test_fused_before_training():
    model = nn.Sequential(nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2), nn.ReLU())
    made = ImperativeQuantAware(fuse_conv_bn=True, onnx_format=True).quantize(model)
    assert made is model
    assert [type(each).__name__ for each in model] == ["MAOutputScaleLayer", "Identity", "ReLU"]
    assert model[0]._layer.weight.name in [each.name for each in model.parameters()]


def test_layers_of_several_processes():
    room = paddle.distributed.fleet.meta_parallel
    model = nn.Sequential(room.ColumnParallelLinear(4, 6), room.RowParallelLinear(6, 2))
    ImperativeQuantAware(onnx_format=True).quantize(model)
    kinds = [type(each._layer).__name__ for each in model]
    assert kinds == ["QuantizedColumnParallelLinear", "QuantizedRowParallelLinear"]
    assert model(paddle.ones([1, 4])).shape == [1, 2]


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"weight_quantize_type": "lsq_weight"}, NotImplementedError, "weight_quantize_type='lsq_"),
        ({"activation_quantize_type": "lsq_act"}, NotImplementedError, "Give a layer that has"),
        ({"weight_quantize_type": "range_abs_max"}, ValueError, "be abs_max or channel_wise_abs_"),
        (
            {"weight_bits": 0},
            ValueError,
            r"weight_bits should be 2, 3, \.\.\. or 16, but received 0",
        ),
        ({"activation_bits": 1}, ValueError, r"activation_bits should be 2, 3, \.\.\. or 16"),
        ({"quantizable_layer_type": ["GELU"]}, ValueError, "GELU is unsupported"),
        ({"act_quantize_layer": nn.ReLU()}, ValueError, "act_quantize_layer should be a class"),
    ],
)
def test_what_is_refused(options, kind, words):
    with pytest.raises(kind, match=words):
        ImperativeQuantAware(**options)


def test_only_layers_are_quantized_and_saved():
    qat = ImperativeQuantAware()
    for call in (qat.quantize, lambda model: qat.save_quantized_model(model, "net")):
        with pytest.raises(TypeError, match=r"must be the instance of paddle\.nn\.Layer"):
            call(lambda x: x)
