"""Sequential, LayerList, LayerDict, ParameterList, ParameterDict."""

from collections import OrderedDict

import pytest

import jaxeager as paddle
from jaxeager import nn


def titles(layers):
    return [type(layer).__name__ for layer in layers]


def parameter(value=1.0):
    return paddle.create_parameter(
        [1], "float32", default_initializer=nn.initializer.Constant(value)
    )


# ---- Sequential


@pytest.mark.parametrize(
    ("build", "names"),
    [
        (lambda: nn.Sequential(), []),
        (lambda: nn.Sequential(nn.ReLU(), nn.Tanh()), ["0", "1"]),
        (lambda: nn.Sequential(("a", nn.ReLU()), ("b", nn.Tanh())), ["a", "b"]),
        (lambda: nn.Sequential(["a", nn.ReLU()], ["b", nn.Tanh()]), ["a", "b"]),
        (lambda: nn.Sequential(OrderedDict(a=nn.ReLU())), ["a"]),
        (lambda: nn.Sequential({"a": nn.ReLU()}), ["a"]),
    ],
)
def test_sequential_names(build, names):
    assert list(build()._sub_layers) == names


def test_sequential_runs_in_order():
    net = nn.Sequential(nn.ReLU(), nn.Softmax())
    assert net(paddle.to_tensor([-5.0, 0.0])).tolist() == [0.5, 0.5]
    assert nn.Sequential()(3) == 3


def test_sequential_indexing():
    net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    assert titles([net[0], net[-1], net["1"]]) == ["ReLU", "Sigmoid", "Tanh"]
    assert titles(net[1:]) == ["Tanh", "Sigmoid"]
    assert len(net) == 3
    with pytest.raises(IndexError, match="index 3 is out of range"):
        _ = net[3]
    with pytest.raises(KeyError, match="nope"):
        _ = net["nope"]


def test_sequential_editing():
    net = nn.Sequential(nn.ReLU())
    assert net.append(nn.Tanh()) is net
    net.extend([nn.Sigmoid(), nn.ELU()])
    net.insert(0, nn.GELU()).insert(-1, nn.CELU())
    assert titles(net) == ["GELU", "ReLU", "Tanh", "Sigmoid", "CELU", "ELU"]
    assert list(net._sub_layers) == ["0", "1", "2", "3", "4", "5"]
    net[0] = nn.Silu()
    net["named"] = nn.Mish()
    assert titles([net[0], net[-1]]) == ["Silu", "Mish"]
    del net[0], net["named"]
    assert list(net._sub_layers) == ["1", "2", "3", "4", "5"]
    del net[1:3]
    assert titles(net) == ["ReLU", "CELU", "ELU"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nn.Sequential(3), TypeError, "Sequential holds Layers, but received 3"),
        (lambda: nn.Sequential(nn.ReLU(), 3), TypeError, "Sequential holds Layers"),
        (lambda: nn.Sequential(("a", 3)), TypeError, "Sequential holds Layers"),
        (lambda: nn.Sequential(("a", nn.ReLU()), nn.ReLU()), ValueError, "1's element in layers"),
        (lambda: nn.Sequential(nn.ReLU()).insert(5, nn.ReLU()), IndexError, "out of range: 5"),
    ],
)
def test_sequential_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


# ---- LayerList


def test_layer_list_indexing():
    layers = nn.LayerList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])
    assert titles([layers[0], layers[-1]]) == ["ReLU", "Sigmoid"]
    assert isinstance(layers[:2], nn.LayerList)
    assert titles(layers[:2]) == ["ReLU", "Tanh"]
    for index in (3, -4):
        with pytest.raises(IndexError, match=r"should be an integer in range \[-3, 3\)"):
            _ = layers[index]


def test_layer_list_editing():
    layers = nn.LayerList(iter([nn.ReLU()]))
    layers.append(nn.Tanh()).extend([nn.Sigmoid()])
    layers.insert(0, nn.Silu())
    layers.insert(-1, nn.Mish())
    layers += [nn.ELU()]
    assert titles(layers) == ["Silu", "ReLU", "Tanh", "Mish", "Sigmoid", "ELU"]
    layers[-1] = nn.CELU()
    assert titles([layers.pop(0), layers.pop(-1)]) == ["Silu", "CELU"]
    del layers[0]
    del layers[1:]
    assert titles(layers) == ["Tanh"]
    assert list(layers._sub_layers) == ["0"]
    assert titles(layers + nn.LayerList([nn.ReLU()])) == ["Tanh", "ReLU"]
    assert len(layers) == 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nn.LayerList([3]), TypeError, "LayerList holds Layers, but received 3"),
        (lambda: nn.LayerList(3), TypeError, "not iterable"),
        (lambda: nn.LayerList([nn.ReLU()]).insert(9, nn.ReLU()), IndexError, "out of range: 9"),
        (lambda: nn.LayerList()(3), NotImplementedError, "does not define forward"),
    ],
)
def test_layer_list_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


# ---- LayerDict


@pytest.mark.parametrize(
    "source",
    [
        lambda: {"a": nn.ReLU(), "b": nn.Tanh()},
        lambda: [("a", nn.ReLU()), ["b", nn.Tanh()]],
        lambda: nn.LayerDict({"a": nn.ReLU(), "b": nn.Tanh()}),
    ],
)
def test_layer_dict_sources(source):
    layers = nn.LayerDict(source())
    assert list(layers) == list(layers.keys()) == ["a", "b"]
    assert titles(layers.values()) == ["ReLU", "Tanh"]
    assert [key for key, _ in layers.items()] == ["a", "b"]
    assert "a" in layers
    assert len(layers) == 2


def test_layer_dict_editing():
    layers = nn.LayerDict({"a": nn.ReLU()})
    layers["b"] = nn.Tanh()
    layers.update([("a", nn.ELU())])
    assert titles(layers.values()) == ["ELU", "Tanh"]
    assert titles([layers.pop("a")]) == ["ELU"]
    del layers["b"]
    layers["c"] = nn.ReLU()
    layers.clear()
    assert len(layers) == 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nn.LayerDict(3), TypeError, "sublayers is not iterable of key/value pairs"),
        (lambda: nn.LayerDict([3]), ValueError, "0's element in sublayers is None"),
        (lambda: nn.LayerDict([(1, 2, 3)]), ValueError, "0's element in sublayers is 3"),
        (lambda: nn.LayerDict({"a": 3}), TypeError, "LayerDict holds Layers"),
        (lambda: nn.LayerDict()["a"], KeyError, "a"),
        (lambda: nn.LayerDict().pop("a"), KeyError, "a"),
    ],
)
def test_layer_dict_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


# ---- ParameterList and ParameterDict


def test_parameter_list():
    first, second, third = parameter(1.0), parameter(2.0), parameter(3.0)
    scales = nn.ParameterList([first])
    assert scales.append(second) is scales
    scales[0] = third
    assert [p is q for p, q in zip(scales, (third, second), strict=True)] == [True, True]
    assert scales[-1] is second
    assert isinstance(scales[:1], nn.ParameterList)
    assert list(scales.state_dict()) == ["0", "1"]
    assert len(scales) == 2


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda p: p.append(3), TypeError, "should be a Parameter, but received int"),
        (lambda p: p.append(paddle.ones([1])), TypeError, r"paddle.nn.Parameter\(tensor\)"),
        (lambda p: p[5], IndexError, "index 5 is out of range"),
        (lambda p: p.__setitem__(5, parameter()), IndexError, "index 5 is out of range"),
    ],
)
def test_parameter_list_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(nn.ParameterList([parameter()]))


def test_parameter_dict():
    scales = nn.ParameterDict({"a": parameter()})
    scales["b"] = parameter()
    scales.update([("c", parameter())])
    assert list(scales) == list(scales.state_dict()) == ["a", "b", "c"]
    assert "b" in scales
    assert len(scales) == 3
    assert nn.ParameterDict(scales)["c"] is scales["c"]
    with pytest.raises(KeyError, match="z"):
        _ = scales["z"]
    with pytest.raises(TypeError, match="should be a Parameter, but received int"):
        scales["d"] = 3
    with pytest.raises(TypeError, match="parameters is not iterable of key/value pairs"):
        scales.update(3)
