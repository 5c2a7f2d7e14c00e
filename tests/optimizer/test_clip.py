"""Gradient clipping: alone, inside a step, and in place."""

import math

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionNotMetError,
    UnimplementedError,
)

nn = paddle.nn
GRADS = [np.array([3.0, 0.0]), np.array([[-4.0]]), np.zeros([0]), np.array(12.0)]


def _pairs(dtype="float32"):
    pairs = []
    for grad in GRADS:
        param = nn.Parameter(paddle.to_tensor(np.zeros(grad.shape), dtype=dtype))
        param.grad = paddle.to_tensor(grad, dtype=dtype)
        pairs.append((param, param.grad))
    return pairs


def _by_norm(grads, limit):
    norms = [np.sqrt((grad**2).sum()) for grad in grads]
    return [
        grad * (limit / norm if norm > limit else 1.0)
        for grad, norm in zip(grads, norms, strict=True)
    ]


def _by_global_norm(grads, limit):
    norm = np.sqrt(sum((grad**2).sum() for grad in grads))
    return [grad * (limit / norm if norm > limit else 1.0) for grad in grads]


CASES = [
    (nn.ClipGradByValue(2.5), lambda grads: [np.clip(g, -2.5, 2.5) for g in grads]),
    (nn.ClipGradByValue(5.0, -1.0), lambda grads: [np.clip(g, -1.0, 5.0) for g in grads]),
    (nn.ClipGradByNorm(3.5), lambda grads: _by_norm(grads, 3.5)),
    (nn.ClipGradByNorm(100.0), lambda grads: grads),
    (nn.ClipGradByGlobalNorm(6.5), lambda grads: _by_global_norm(grads, 6.5)),
    (nn.ClipGradByGlobalNorm(100.0), lambda grads: grads),
]


NAMES = [f"{number}-{type(clip).__name__}" for number, (clip, _) in enumerate(CASES)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize(("clip", "reference"), CASES, ids=NAMES)
def test_alone(clip, reference, dtype):
    """Called on pairs it returns new gradients, and leaves the old ones unchanged."""
    pairs = _pairs(dtype)
    clipped = clip(pairs)
    rtol = {"float32": 1e-6, "float64": 1e-12, "bfloat16": 1e-2, "float16": 2e-3}[dtype]
    for (param, old), (same, new), wanted, grad in zip(
        pairs, clipped, reference(GRADS), GRADS, strict=True
    ):
        assert same is param
        assert new.dtype == dtype
        np.testing.assert_allclose(new.astype("float64").numpy(), wanted, rtol=rtol)
        np.testing.assert_array_equal(old.astype("float64").numpy(), grad)


@pytest.mark.parametrize(("clip", "reference"), CASES, ids=NAMES)
def test_inside_a_step(clip, reference):
    """The step is by the clipped gradient, before weight decay; param.grad stays."""
    pairs = _pairs()
    params = [param for param, _ in pairs]
    paddle.optimizer.SGD(1.0, params, grad_clip=clip).step()
    for param, wanted, grad in zip(params, reference(GRADS), GRADS, strict=True):
        np.testing.assert_allclose(param.numpy(), -wanted, rtol=1e-6)
        np.testing.assert_array_equal(param.grad.numpy(), grad)


def test_need_clip_is_heeded():
    """A parameter that needs no clipping keeps its gradient and does not count for the norm."""
    pairs = _pairs()
    pairs[3][0].need_clip = False
    clip = nn.ClipGradByGlobalNorm(1.0)
    expected = [*_by_global_norm(GRADS[:3], 1.0), GRADS[3]]
    for (_, new), wanted in zip(clip(pairs), expected, strict=True):
        np.testing.assert_allclose(new.numpy(), wanted, rtol=1e-6)
    params = [param for param, _ in pairs]
    paddle.optimizer.SGD(1.0, params, grad_clip=clip).step()
    for param, wanted in zip(params, expected, strict=True):
        np.testing.assert_allclose(param.numpy(), -wanted, rtol=1e-6)


def test_groups_are_clipped_separately():
    """Each group has its own object, over its own gradients."""
    params = [param for param, _ in _pairs()]
    groups = [
        {"params": params[:2], "grad_clip": nn.ClipGradByGlobalNorm(1.0)},
        {"params": params[2:]},
    ]
    clip = nn.ClipGradByValue(2.0)
    paddle.optimizer.SGD(1.0, groups, grad_clip=clip).step()
    expected = [*_by_global_norm(GRADS[:2], 1.0), *(np.clip(g, -2, 2) for g in GRADS[2:])]
    for param, wanted in zip(params, expected, strict=True):
        np.testing.assert_allclose(param.numpy(), -wanted, rtol=1e-6)


def test_pairs_without_gradient_are_left_out():
    """No gradient to clip is not an error."""
    param = nn.Parameter(paddle.ones([1]))
    assert nn.ClipGradByNorm(1.0)([(param, None)]) == []


def test_a_class_of_ones_own():
    """It may override __call__; a class that does nothing raises a clear error."""

    class Halve(nn.clip.ClipGradBase):
        def __call__(self, params_grads):
            return [(param, grad * 0.5) for param, grad in params_grads]

    param = nn.Parameter(paddle.to_tensor([1.0]))
    param.grad = paddle.to_tensor([1.0])
    paddle.optimizer.SGD(1.0, [param], grad_clip=Halve()).step()
    assert param.tolist() == [0.5]
    with pytest.raises(UnimplementedError, match="neither returns a rule"):
        nn.clip.ClipGradBase()([(param, param.grad)])


def test_rules_of_equal_numbers_are_not_equal():
    """A norm of 1 and a global norm of 1 are different executables."""
    assert nn.ClipGradByNorm(1.0).rule() != nn.ClipGradByGlobalNorm(1.0).rule()
    assert nn.ClipGradByNorm(1.0).rule() == nn.ClipGradByNorm(1.0).rule()


def test_names():
    """str() is Paddle's."""
    assert str(nn.ClipGradByValue(0.5)) == "Clip Gradient By Value, min = -0.500000, max=0.500000"
    assert str(nn.ClipGradByNorm(0.5)) == "Gradient Clip By Norm, clip_norm=0.500000"
    assert str(nn.ClipGradByGlobalNorm(1)) == "Gradient Clip By GlobalNorm, global_norm=1.000000"


def test_wrong_arguments():
    """The bound is invalid."""
    with pytest.raises(InvalidArgumentError, match="max must be positive"):
        nn.ClipGradByValue(-1.0)
    with pytest.raises(InvalidTypeError, match="grad_clip"):
        paddle.optimizer.SGD(0.1, [nn.Parameter(paddle.ones([1]))], grad_clip="norm")


@pytest.mark.parametrize(("order", "norm"), [(2.0, 13.0), (1.0, 19.0), (math.inf, 12.0), (0, 3.0)])
def test_clip_grad_norm(order, norm):
    """It returns the norm before, and scales the gradients in place."""
    pairs = [pair for pair in _pairs() if pair[0].size]
    params = [param for param, _ in pairs]
    assert nn.utils.clip_grad_norm_(params, 2.0, order).item() == norm
    for (param, held), grad in zip(pairs, [g for g in GRADS if g.size], strict=True):
        np.testing.assert_allclose(param.grad.numpy(), grad * 2.0 / (norm + 1e-6), rtol=1e-6)
        assert held is param.grad


def test_clip_grad_norm_leaves_small_gradients():
    """A norm within the limit changes nothing; no gradient at all is norm 0."""
    param = nn.Parameter(paddle.zeros([2]))
    assert nn.utils.clip_grad_norm_(param, 1.0).item() == 0.0
    param.grad = paddle.to_tensor([0.3, 0.4])
    assert nn.utils.clip_grad_norm_([param], 1.0).item() == pytest.approx(0.5)
    np.testing.assert_allclose(param.grad.numpy(), [0.3, 0.4], rtol=1e-6)


def test_clip_grad_norm_refuses():
    """It refuses another order, and a norm that is not finite when requested."""
    param = nn.Parameter(paddle.zeros([2]))
    param.grad = paddle.to_tensor([1.0, math.nan])
    with pytest.raises(InvalidArgumentError, match=r"norm_type only support \[inf, 0, 1, 2\]"):
        nn.utils.clip_grad_norm_(param, 1.0, 3)
    with pytest.raises(PreconditionNotMetError, match="non-finite"):
        nn.utils.clip_grad_norm_(param, 1.0, error_if_nonfinite=True)
    with pytest.raises(InvalidArgumentError, match="clip_value must not be negative"):
        nn.utils.clip_grad_value_(param, -1.0)


def test_clip_grad_value():
    """Every element is limited to the bound, in place."""
    pairs = _pairs()
    nn.utils.clip_grad_value_([param for param, _ in pairs], 2.0)
    for (_, held), grad in zip(pairs, GRADS, strict=True):
        np.testing.assert_array_equal(held.numpy(), np.clip(grad, -2, 2))
