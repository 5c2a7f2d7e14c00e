"""ImperativePTQ: what it observes, converts and saves."""

import copy
import json

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.quantization import AbsmaxQuantizer, ImperativePTQ, KLQuantizer, PTQConfig

SPEC = [paddle.static.InputSpec([None, 1, 8, 8], "float32")]


def small():
    return nn.Sequential(
        nn.Conv2D(1, 3, 3), nn.BatchNorm2D(3), nn.ReLU(), nn.Flatten(), nn.Linear(108, 4)
    ).eval()


@pytest.fixture
def absmax():
    return ImperativePTQ(PTQConfig(AbsmaxQuantizer(), AbsmaxQuantizer()))


def test_what_is_saved_computes_with_rounded_values(absmax, tmp_path):
    model, x = absmax.quantize(small()), paddle.randn([4, 1, 8, 8])
    model(x)
    absmax.save_quantized_model(model, str(tmp_path / "net"), SPEC)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-5, atol=1e-6)
    weight = loaded.state_dict()["4.weight"]
    steps = weight.numpy() / np.abs(weight.numpy()).max() * 127
    np.testing.assert_allclose(steps, steps.round(), atol=1e-4)
    assert loaded.state_dict()["2.out_threshold"].item() == model[2]._out_threshold
    signature = json.loads((tmp_path / "net.signature.json").read_text())
    assert "4._fake_quant_input._scale" in json.dumps(signature)


def test_the_converted_model_is_in_the_mode_of_the_first(absmax, tmp_path):
    model, x = absmax.quantize(small()), paddle.randn([4, 1, 8, 8])
    model(x)
    absmax.save_quantized_model(model, str(tmp_path / "net"), SPEC)
    assert not any(each.training for each in model.sublayers())
    assert type(model[4]).__name__ == "QuantizedLinear"
    assert model[0]._fake_quant_input._scale.item() == float(x.abs().max())
    assert "2.out_threshold" not in model.state_dict()
    again = copy.deepcopy(model)
    absmax.save_quantized_model(again, str(tmp_path / "again"), SPEC)
    np.testing.assert_array_equal(again(x), model(x))


def test_hooks_end_on_copies_too(absmax, tmp_path):
    model = absmax.quantize(small())
    x = paddle.randn([4, 1, 8, 8])
    model(x)
    copied = copy.deepcopy(model)
    absmax._convert(copied)
    before = list(copied[2]._quant_config.out_act_quantizer.abs_max_vals)
    copied(x * 10.0)
    assert copied[2]._quant_config.out_act_quantizer.abs_max_vals == before
    model(x * 10.0)
    assert model[2]._quant_config.out_act_quantizer.abs_max_vals > before


def test_the_hook_runs_before_those_of_users(absmax):
    model = small()
    model[2].register_forward_post_hook(lambda layer, inputs, output: output * 0.0)
    observed = absmax.quantize(model)
    observed(paddle.randn([4, 1, 8, 8]))
    assert observed[2]._quant_config.out_act_quantizer.abs_max_vals[0] > 0.0
    assert not hasattr(model[2], "_quant_config")
    assert absmax.quantize(model, inplace=True) is model
    assert hasattr(model[2], "_quant_config")


def test_layers_that_no_example_reached_are_not_rounded(absmax):
    class Two(nn.Layer):
        def __init__(self):
            super().__init__()
            self.used, self.unused = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x):
            return self.used(x)

    model = absmax.quantize(Two().eval())
    with pytest.raises(RuntimeError, match="No layer has observed anything: run the model"):
        absmax._convert(model)
    model = absmax.quantize(Two().eval())
    model(paddle.ones([1, 2]))
    with pytest.warns(UserWarning, match=r"not rounded: \['unused'\]"):
        absmax._convert(model)
    assert type(model.unused) is nn.Linear
    assert type(model.used).__name__ == "QuantizedLinear"


def test_a_shared_layer_is_replaced_in_all_places(absmax):
    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.ReLU()))
    model[1].again = model[0]
    model = absmax.quantize(model.eval())
    model(paddle.ones([1, 3]))
    absmax._convert(model)
    assert model[1].again is model[0]
    assert type(model[0]).__name__ == "QuantizedLinear"


def test_layers_that_are_skipped_or_not_supported(absmax):
    model = nn.Sequential(nn.Linear(3, 3), nn.GELU(), nn.Conv2DTranspose(1, 1, 1))
    model[0].skip_quant = True
    observed = absmax.quantize(model.eval())
    assert not any(hasattr(each, "_quant_config") for each in observed)
    absmax._convert(observed)


def test_rounding_to_few_bits_and_to_many():
    x, found = paddle.randn([64, 1, 8, 8]), []
    plain = small()
    for bits in (3, 6, 12):
        ptq = ImperativePTQ(PTQConfig(KLQuantizer(bits), AbsmaxQuantizer(bits)))
        model = ptq.quantize(plain)
        model(x)
        ptq._convert(model)
        found.append(float((model(x) - plain(x)).abs().mean()))
    assert found[0] > 2 * found[1] > 4 * found[2]


def test_a_setting_that_save_lacks_is_refused(absmax, tmp_path):
    model = absmax.quantize(small())
    model(paddle.randn([1, 1, 8, 8]))
    with pytest.raises(ValueError, match=r"additional config \(quantizer\)"):
        absmax.save_quantized_model(model, str(tmp_path / "net"), SPEC, quantizer=1)
