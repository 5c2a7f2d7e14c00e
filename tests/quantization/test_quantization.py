"""paddle.quantization and nn.quant, where Paddle has no result to compare with on a CPU."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn.quant import format as steps
from jaxeager.nn.quant.simulate import simulated
from jaxeager.quantization import PTQ, QAT, BaseQuanter, QuantConfig, quanter
from jaxeager.quantization.observers import AbsmaxObserver, GroupWiseWeightObserver
from jaxeager.quantization.quanters import FakeQuanterWithAbsMaxObserver

__all__ = ["HalvesLayer"]


@quanter("Halves")
class HalvesLayer(BaseQuanter):
    """Rounds to halves."""

    def __init__(self, layer, step=0.5):
        super().__init__()
        self.step = step

    def forward(self, input):
        return (input / self.step).round() * self.step

    def scales(self):
        return paddle.to_tensor(127 * self.step)

    def zero_points(self):
        return None

    def quant_axis(self):
        return -1

    def bit_length(self):
        return 8


def test_a_quanter_of_ones_own():
    factory = globals()["Halves"](step=0.25)
    assert repr(factory) == "Halves(step=0.25)"
    assert "Halves" in __all__
    model = nn.Sequential(nn.Linear(2, 2), nn.quant.Stub(factory), nn.quant.Stub())
    config = QuantConfig(None, None)
    config.add_type_config([nn.Linear, nn.quant.Stub], activation=None, weight=factory)
    rounded = QAT(config).quantize(model)
    x = paddle.to_tensor([[0.3, 0.9]])
    weight = (model[0].weight * 4).round() / 4
    wanted = ((x @ weight + model[0].bias) * 4).round() / 4
    assert rounded(x).tolist() == wanted.tolist()
    fixed = QAT(config).convert(rounded)
    assert fixed[0].weight.tolist() == (model[0].weight * 4).round().tolist()
    np.testing.assert_allclose(fixed(x), wanted)
    assert fixed[0].converted
    again = QAT(config).convert(fixed, inplace=True)
    assert again is fixed
    with pytest.raises(AssertionError, match="converted only once"):
        fixed[0]._convert()


def test_a_layer_that_takes_the_place_of_ones_own():
    class Twice(nn.Layer):
        def forward(self, x):
            return 2 * x

    class Rounded(nn.Layer):
        def __init__(self, layer, config):
            super().__init__()
            self.quanter = config.activation._instance(layer)

        def forward(self, x):
            return 2 * self.quanter(x)

    config = QuantConfig(FakeQuanterWithAbsMaxObserver(moving_rate=0.0, bit_length=2), None)
    config.add_qat_layer_mapping(Twice, Rounded)
    model = QAT(config).quantize(nn.Sequential(Twice()))
    assert model(paddle.to_tensor([3.0, 1.0, -2.0])).tolist() == [6.0, 0.0, -6.0]
    assert config.qat_layer_mappings[Twice] is Rounded
    assert Twice not in config.default_qat_layer_mapping
    assert config.global_config is not None


def test_the_details_of_a_config_are_printed():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    config = QuantConfig(None, None)
    config.add_type_config(nn.Linear, weight=AbsmaxObserver())
    config.add_name_config("absent", weight=AbsmaxObserver())
    assert config.details() == str(config)
    assert "Layer type config" in str(config)
    assert "'absent'" in str(config)
    config._specify(model)
    first = "  (0): Linear(), activation: None"
    wanted = ["Sequential(", first, "weight: AbsmaxObserver(quant_bits=8)", ")"]
    assert config.details().splitlines() == wanted
    assert repr(QAT(config)) == config.details()


def test_gradients_pass_what_is_rounded_or_cut_off():
    x = paddle.to_tensor([0.4, 5.0, -5.0], stop_gradient=False)
    out = simulated(x, paddle.ones([1]), 2)
    assert out.tolist() == [0.0, 1.0, -1.0]
    (out * paddle.to_tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 3.0]


def test_steps_along_an_axis():
    scales = paddle.to_tensor([1.0, 127.0])
    x = paddle.to_tensor([[0.5, 3.0], [2.0, -300.0]])
    found = steps.LinearQuanter(scales, None, 1)(x)
    assert found.tolist() == [[64.0, 3.0], [127.0, -128.0]]
    back = steps.LinearDequanter(scales, None, 1)(found)
    np.testing.assert_allclose(back, [[64 / 127, 3.0], [1.0, -128.0]], rtol=1e-6)
    with pytest.raises(NotImplementedError, match=r"8-bit floats, bit_length=\(4, 3\)"):
        steps.LinearQuanter(scales, bit_length=(4, 3))  # type: ignore[arg-type]


def test_observers_that_saw_nothing():
    for factory in (AbsmaxObserver(), GroupWiseWeightObserver()):
        observer = factory._instance(nn.Linear(2, 2))
        assert observer.scales() is None
        assert (observer.bit_length(), observer.quant_axis()) == (8, -1)
    with pytest.raises(AssertionError, match=r"whole groups of 128 rows, but received"):
        observer(paddle.ones([100, 2]))
    model = nn.Sequential(nn.Linear(2, 2)).eval()
    ptq = PTQ(QuantConfig(None, AbsmaxObserver()))
    assert not ptq.convert(ptq.quantize(model))[0].converted


@pytest.mark.parametrize("algo", ["weight_only_int8", "llm.int8", "weight_only_int4"])
@pytest.mark.parametrize("group_size", [-1, 64])
def test_weights_as_integers(algo, group_size):
    x = paddle.randn([128, 6])
    steps, scale = nn.quant.weight_quantize(x, algo, group_size=group_size)
    assert steps.dtype == paddle.int8
    assert steps.shape == ([3, 128] if algo.endswith("4") else [6, 128])
    assert scale.shape == ([6] if group_size == -1 else [2, 6])
    back = nn.quant.weight_dequantize(steps, scale, algo, group_size=group_size)
    whole = scale if group_size == -1 else scale.repeat_interleave(64, 0)
    assert bool(((back - x).abs() <= whole * 0.5001).all())
    again, same = nn.quant.weight_quantize(back, algo, group_size=group_size)
    assert again.tolist() == steps.tolist()
    np.testing.assert_allclose(same, scale, rtol=1e-5)
    if algo != "llm.int8":
        row, bias = paddle.randn([2, 3, 128]), paddle.randn([6])
        found = nn.quant.weight_only_linear(
            row, steps, bias, scale, algo[12:], group_size=group_size
        )
        np.testing.assert_allclose(found, row @ back + bias, rtol=1e-4, atol=1e-4)


def test_products_of_rounded_rows():
    x, weight = paddle.randn([4, 64]), paddle.randn([64, 8])
    x[1, 3] = 40.0
    steps, scale = nn.quant.weight_quantize(weight, "llm.int8")
    whole = nn.quant.weight_dequantize(steps, scale, "llm.int8")
    found = nn.quant.llm_int8_linear(x, steps, paddle.ones([8]), scale)
    np.testing.assert_allclose(found, x @ whole + 1.0, atol=0.25)
    assert float((found - (x @ whole + 1.0)).abs().max()) > 1e-4
    large = nn.quant.llm_int8_linear(x, steps, None, scale, threshold=0.0)
    np.testing.assert_allclose(large, x @ whole, rtol=1e-4, atol=1e-4)


def test_integer_layers_refuse_what_they_cannot_compute():
    x = paddle.ones([4, 3])
    for call, text in (
        (lambda: nn.quant.weight_quantize(x, "int3"), "algo is one of weight_only_int8"),
        (lambda: nn.quant.weight_quantize(x, group_size=3), "group_size only support -1/64/128"),
        (lambda: nn.quant.weight_quantize(x, group_size=64), "does not divide 4 rows"),
        (lambda: nn.quant.weight_quantize(x, "weight_only_int4"), "an even number of columns"),
        (lambda: nn.quant.weight_only_linear(x, x), "needs weight_scale"),
        (lambda: nn.quant.llm_int8_linear(x, x), "needs weight_scale"),
        (lambda: nn.quant.weight_only_linear(x, x, None, x, "int2"), "'int8' or 'int4'"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_operations_as_layers():
    x, y = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[4.0, 8.0]])
    quant = nn.quant
    assert quant.add()(x, y).tolist() == [[5.0, 10.0]]
    assert quant.subtract()(x, y).tolist() == [[-3.0, -6.0]]
    assert quant.multiply()(x, y).tolist() == [[4.0, 16.0]]
    assert quant.divide()(x, y).tolist() == [[0.25, 0.25]]
    assert quant.matmul()(x, y, transpose_y=True).item() == 20.0
    assert quant.concat()([x, y], axis=0).shape == [2, 2]
    assert quant.reshape()(x, [2]).shape == [2]
    assert quant.transpose()(x, [1, 0]).shape == [2, 1]
    assert quant.flatten()(x).shape == [2]


def test_kernels_of_attention_are_chosen():
    from jaxeager.nn.attention import SDPBackend, _cur_sdpa_kernel_backends, sdpa_kernel

    both = [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(both, set_priority=True):
        assert _cur_sdpa_kernel_backends(True) == both
        assert _cur_sdpa_kernel_backends() == both[::-1]
    assert _cur_sdpa_kernel_backends() == [SDPBackend.MATH]
    with sdpa_kernel(both[::-1], set_priority=True):
        assert _cur_sdpa_kernel_backends(True) == both[::-1]
    with sdpa_kernel(both[::-1]):
        assert _cur_sdpa_kernel_backends(True) == both
    with sdpa_kernel(SDPBackend.ERROR):
        assert _cur_sdpa_kernel_backends() == []
    for given, kind, text in (
        ((1,), AssertionError, "instance of SDPBackend or a list"),
        ([1], TypeError, "All backends must be SDPBackend instances"),
        ([], ValueError, "At least one backend"),
    ):
        with pytest.raises(kind, match=text), sdpa_kernel(given):
            pass


def test_kinds_of_rounding_that_are_not_there():
    layers = nn.quant.quant_layers
    with pytest.raises(NotImplementedError, match="'lsq_act' is not supported"):
        layers.QuantizedLinear(nn.Linear(2, 2), activation_quantize_type="lsq_act")
    parallel = paddle.distributed.fleet.meta_parallel.RowParallelLinear(2, 2)
    with pytest.raises(AssertionError, match="act_quant_layer should be None"):
        layers.QuantizedRowParallelLinear(parallel, act_quant_layer=nn.ReLU)
