"""The norms as a user calls them: running statistics, layouts, refusals."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PermissionDeniedError,
    UnimplementedError,
)
from jaxeager.ops.rules.samples import values

X = values((3, 2, 2, 2)).astype("float32")


def _statistics():
    return paddle.zeros([2]), paddle.ones([2])


def test_running_statistics_move_by_the_biased_batch_statistics():
    mean, var = _statistics()
    F.batch_norm(paddle.to_tensor(X), mean, var, training=True, momentum=0.8)
    np.testing.assert_allclose(mean.numpy(), 0.2 * X.mean((0, 2, 3)), rtol=1e-5)
    np.testing.assert_allclose(var.numpy(), 0.8 + 0.2 * X.var((0, 2, 3)), rtol=1e-5)
    assert mean.inplace_version == var.inplace_version == 0
    assert mean.stop_gradient
    assert var.stop_gradient


@pytest.mark.parametrize("kwargs", [{}, {"training": True, "use_global_stats": True}])
def test_running_statistics_stay_when_they_are_used(kwargs):
    mean, var = _statistics()
    out = F.batch_norm(paddle.to_tensor(X), mean, var, **kwargs)
    assert mean.tolist() == [0, 0]
    assert var.tolist() == [1, 1]
    np.testing.assert_allclose(out.numpy(), X / np.sqrt(1 + 1e-5), rtol=1e-6)


def test_two_forwards_before_one_backward():
    mean, var = _statistics()
    x = paddle.to_tensor(X, stop_gradient=False)
    first = F.batch_norm(x, mean, var, training=True)
    second = F.batch_norm(x, mean, var, training=True)
    (first * first + second).sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_a_write_to_the_running_statistics_is_noticed():
    mean, var = _statistics()
    x = paddle.to_tensor(X, stop_gradient=False)
    out = F.batch_norm(x, mean, var)
    mean.add_(mean)
    with pytest.raises(PermissionDeniedError, match="Its version is 1 but the expected version"):
        out.sum().backward()


@pytest.mark.parametrize(
    ("data_format", "shape"), [("NC", (4, 2)), ("NCL", (3, 2, 5)), ("NLC", (3, 5, 2))]
)
def test_layouts(data_format, shape):
    x = values(shape)
    channel = 2 if data_format == "NLC" else 1
    axes = tuple(axis for axis in range(len(shape)) if axis != channel)
    mean, var = paddle.zeros([2], "float64"), paddle.ones([2], "float64")
    out = F.batch_norm(paddle.to_tensor(x), mean, var, training=True, data_format=data_format)
    expected = x - x.mean(axes, keepdims=True)
    expected = expected / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-8)


def test_bfloat16_with_float32_parameters():
    mean, var = _statistics()
    x = paddle.to_tensor(X).astype("bfloat16")
    x.stop_gradient = False
    weight = paddle.ones([2])
    weight.stop_gradient = False
    out = F.batch_norm(x, mean, var, weight, paddle.zeros([2]), training=True)
    out.sum().backward()
    assert out.dtype == x.grad.dtype == paddle.bfloat16
    assert weight.grad.dtype == mean.dtype == paddle.float32


def test_group_norm_without_scale_has_the_gradient_of_scale_one():
    """Real Paddle 3.3.1 returns another gradient without a scale: 0.36 for 0.24 in one case."""
    draw = np.random.default_rng(0).standard_normal((2, 4, 3, 3))
    dout = paddle.to_tensor(np.random.default_rng(1).standard_normal((2, 4, 3, 3)))
    plain = paddle.to_tensor(draw, stop_gradient=False)
    scaled = paddle.to_tensor(draw, stop_gradient=False)
    F.group_norm(plain, 2).backward(dout)
    one, zero = paddle.ones([4], "float64"), paddle.zeros([4], "float64")
    F.group_norm(scaled, 2, 1e-5, one, zero).backward(dout)
    np.testing.assert_allclose(plain.grad.numpy(), scaled.grad.numpy(), rtol=1e-10)
    assert abs(plain.grad.numpy()[0, 0, 0, 0] - 0.24056381) < 1e-6


def test_layer_norm_over_several_dimensions():
    x = values((2, 3, 4))
    weight, bias = values((3, 4), 0.5, 1.5, seed=1), values((3, 4), seed=2)
    out = F.layer_norm(*(paddle.to_tensor(x), [3, 4]), *map(paddle.to_tensor, (weight, bias)))
    normal = x - x.mean((1, 2), keepdims=True)
    normal = normal / np.sqrt(x.var((1, 2), keepdims=True) + 1e-5)
    np.testing.assert_allclose(out.numpy(), normal * weight + bias, rtol=1e-8)


def test_normalize_of_zeros_and_of_a_vector():
    assert F.normalize(paddle.zeros([1, 2])).tolist() == [[0, 0]]
    np.testing.assert_allclose(F.normalize(paddle.to_tensor([3.0, 4.0])).numpy(), [0.6, 0.8])
    found = F.normalize(paddle.to_tensor([[1.0, -3.0]]), p=1, axis=1)
    np.testing.assert_allclose(found.numpy(), [[0.25, -0.75]])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: F.layer_norm(x, [5]), InvalidArgumentError, "Given normalized_shape is \\[5\\]"),
        (
            lambda x: F.batch_norm(x, *_statistics(), data_format="NCZ"),
            InvalidArgumentError,
            "data_format must be one of 'NC', 'NCL'",
        ),
        (
            lambda x: F.instance_norm(x, use_input_stats=False),
            UnimplementedError,
            "instance_norm with use_input_stats=False is not supported",
        ),
        (
            lambda x: F.instance_norm(x, data_format="NHWC"),
            InvalidArgumentError,
            "data_format must be one of NC, NCL, NCHW, NCDHW",
        ),
        (lambda x: F.normalize(x, out=3), InvalidTypeError, "out must be a Tensor"),
    ],
)
def test_invalid_and_unsupported_arguments_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call(paddle.to_tensor(X))
