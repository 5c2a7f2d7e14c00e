"""_C_ops, _legacy_C_ops and names that are in several modules, beyond parity."""

import pytest

import jaxeager as paddle
from jaxeager import _C_ops, _legacy_C_ops
from jaxeager.nn import init


def test_every_operator_takes_its_arguments_by_name_too():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert len(dir(_C_ops)) > 300
    assert all(callable(getattr(_C_ops, name)) for name in dir(_C_ops))
    assert _C_ops.matmul(x, y=x, transpose_y=True).tolist() == (x @ x.T).tolist()
    assert all(callable(getattr(_legacy_C_ops, name)) for name in dir(_legacy_C_ops))
    assert _legacy_C_ops.leaky_relu(-x, "alpha", 0.5).tolist() == (-x / 2).tolist()
    weights = paddle.to_tensor([[1.0], [2.0]])
    assert _C_ops.embedding(paddle.to_tensor([1]), weights, -1, False).tolist() == [[2.0]]


def test_older_operators_write_their_results():
    x = paddle.to_tensor([1.0, -7.0, 0.4], stop_gradient=False)
    out, scale = paddle.zeros([3]), paddle.zeros([1])
    found = _legacy_C_ops.fake_quantize_dequantize_abs_max(x, out, scale, "bit_length", 4)
    assert found[0].tolist() == out.tolist() == [1.0, -7.0, 0.0]
    assert scale.tolist() == [7.0]
    found[0].sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: _C_ops.no_such, AttributeError, "'no_such': Paddle has no such operator"),
        (lambda: _C_ops.pool2d, AttributeError, "no function here accepts its arguments"),
        (lambda: _C_ops.relu(1, 2), TypeError, r"relu\(\) takes 1 arguments \(x\), but received 2"),
        (
            lambda: _C_ops.cumsum(paddle.ones([2]), 0, False, True, False),
            NotImplementedError,
            r"cumsum\(\): exclusive=True is not supported",
        ),
        (lambda: _legacy_C_ops.no_such, AttributeError, "do the same work"),
        (lambda: _legacy_C_ops.relu(paddle.ones([2]), "a"), TypeError, "names and values in turn"),
        (
            lambda: _legacy_C_ops.relu(paddle.ones([2]), "a", 1),
            NotImplementedError,
            "the attribute 'a' is not supported",
        ),
        (
            lambda: _legacy_C_ops.fake_quantize_dequantize_abs_max(paddle.ones([2]), "a", 1),
            NotImplementedError,
            "the attribute 'a' is not supported",
        ),
        (
            lambda: _C_ops.fake_channel_wise_quantize_abs_max(paddle.ones([2, 2]), 8, 1, 0, True),
            NotImplementedError,
            "is_test=True is not supported",
        ),
        (
            lambda: paddle.base.framework._create_tensor(type=paddle.base.core.VarDesc.VarType.RAW),
            NotImplementedError,
            "but DENSE_TENSOR",
        ),
        (paddle.sysconfig.get_include, NotImplementedError, r"paddle\.sysconfig\.get_include"),
    ],
)
def test_unsupported_operators_and_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()


FILLS = [name for name in init.__all__ if name.endswith("_") and name != "constant_"]


@pytest.mark.parametrize("name", FILLS)
def test_tensors_are_filled_where_they_are(name):
    weight = paddle.nn.Conv2D(2, 2, 3).weight if name == "dirac_" else paddle.nn.Linear(3, 4).weight
    weight.set_value(paddle.full_like(weight, 77.0))
    assert getattr(init, name)(weight) is None
    assert not (weight == 77.0).any()
    assert (weight.inplace_version, weight.is_leaf, weight.stop_gradient) == (0, True, False)
    with (
        pytest.raises(ValueError, match="received int")
        if name != "eye_"
        else pytest.raises(AttributeError)
    ):
        getattr(init, name)(3)


def test_fills_take_what_initializers_take():
    x = paddle.empty([1000])
    init.uniform_(x, 2.0, 3.0)
    assert (x.min().item() >= 2.0, x.max().item() <= 3.0) == (True, True)
    init.constant_(x, 5.0)
    assert x.tolist() == [5.0] * 1000
    init.trunc_normal_(x, 0.0, 1.0, -0.5, 0.5)
    assert x.abs().max().item() <= 0.5
    with pytest.raises(ValueError, match="Only support 2 dimensional tensor, but got 1"):
        init.eye_(x)


def test_names_that_stand_in_several_modules():
    assert paddle.vision.Compose is paddle.vision.transforms.Compose
    assert paddle.vision.MNIST is paddle.vision.datasets.MNIST
    assert paddle.vision.resnet18 is paddle.vision.models.resnet18
    with pytest.raises(AttributeError, match="no attribute 'no_such'"):
        paddle.vision.no_such  # noqa: B018 - asking raises
    transforms = paddle.distribution.transform
    assert all(hasattr(transforms, name) for name in transforms.__all__)
    assert transforms.ChainTransform is paddle.distribution.ChainTransform
    assert paddle.nn.loss.CrossEntropyLoss is paddle.nn.CrossEntropyLoss
    with paddle.LazyGuard():
        layer = paddle.nn.Linear(2, 3)
    assert layer.weight.initialize() is None
    assert layer(paddle.ones([1, 2])).shape == [1, 3]
