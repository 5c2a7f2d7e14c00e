"""nn.Layer: to another device or dtype."""

import pytest

import jaxeager as paddle
from jaxeager import nn


def make():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1D(2))
    net.register_buffer("counts", paddle.ones([1], dtype="int32"))
    return net


def dtypes_of(net):
    return [
        net[0].weight.dtype.name,
        net[1].weight.dtype.name,
        net[1]._mean.dtype.name,
        net.counts.dtype.name,
    ]


@pytest.mark.parametrize(
    ("convert", "floating", "integer"),
    [
        (lambda net: net.to(dtype="float64"), "float64", "float64"),
        (lambda net: net.type("float64"), "float64", "float64"),
        (lambda net: net.astype(paddle.bfloat16), "bfloat16", "bfloat16"),
        (lambda net: net.double(), "float64", "float64"),
        (lambda net: net.half(), "float16", "float16"),
        (lambda net: net.double().float(), "float32", "float64->float32"),
        (lambda net: net.bfloat16(), "bfloat16", "int32"),
        (lambda net: net.float16(), "float16", "int32"),
    ],
)
def test_dtypes(convert, floating, integer):
    net = make()
    weight = net[0].weight
    assert convert(net) is net
    assert net[0].weight is weight
    assert dtypes_of(net) == [floating] * 3 + [integer.split("->")[-1]]
    assert net._dtype == net[0]._dtype == floating


def test_float_leaves_integers():
    assert dtypes_of(make().float()) == ["float32"] * 3 + ["int32"]


def test_excluded_layers():
    net = make().bfloat16(excluded_layers=nn.BatchNorm1D)
    assert dtypes_of(net) == ["bfloat16", "float32", "float32", "int32"]
    net = make().float16(excluded_layers=[nn.Linear, nn.BatchNorm1D])
    assert dtypes_of(net) == ["float32"] * 3 + ["int32"]
    with pytest.raises(TypeError, match=r"excluded_layers should be type nn.Layer or list"):
        net.float(excluded_layers=3)


def test_gradients_go_along():
    net = nn.Linear(2, 2)
    net(paddle.ones([1, 2])).sum().backward()
    net.to(dtype="float64")
    assert net.weight.grad.dtype == "float64"
    assert net.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    net.clear_gradients()
    net(paddle.ones([1, 2], dtype="float64")).sum().backward()
    assert net.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_devices():
    net = make()
    place = net[0].weight.place
    assert net.to(str(place)) is net
    assert net.to(place, blocking=True)[0].weight.place == place
    assert net.cpu()[0].weight.place.is_cpu_place()
    assert net._dtype == "float32"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda net: net.to(dtype="bogus"), TypeError, "'bogus'"),
        (lambda net: net.to(3), ValueError, "device should be a str, a Place or a jax.Device"),
        (lambda net: net.to("nowhere"), ValueError, "'nowhere'"),
        (lambda net: net.to("cpu", blocking=3), TypeError, "blocking value error"),
        (lambda net: net.astype(), ValueError, "astype needs a dtype"),
        (lambda net: net.cuda(99), ValueError, "no device 'gpu:99'"),
    ],
)
def test_wrong_arguments(call, error, text):
    net = make()
    with pytest.raises(error, match=text):
        call(net)
    assert dtypes_of(net) == ["float32"] * 3 + ["int32"]


def test_repr_shows_the_dtype():
    assert "dtype=float64" in repr(nn.Linear(2, 2).to(dtype="float64"))
