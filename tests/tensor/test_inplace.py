"""In-place ops: versions, rebinding, errors and unchanged tensors."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, PermissionDeniedError
from tests.support.leaves import leaf


def test_a_leaf_that_wants_gradients_cannot_be_written():
    x = leaf([1.0, 2.0])
    with pytest.raises(InvalidArgumentError, match=r"Leaf Var \(.*\) that doesn't stop gradient"):
        x.add_(paddle.ones([2]))
    with pytest.raises(InvalidArgumentError, match=r"Leaf Tensor \(.*\) that doesn't stop"):
        x[0] = 5.0
    assert x.tolist() == [1.0, 2.0]
    assert x.inplace_version == 0


def test_a_leaf_can_be_written_under_no_grad():
    x = leaf([1.0, 2.0])
    with paddle.no_grad():
        x.scale_(3.0)
    assert x.tolist() == [3.0, 6.0]
    assert x.is_leaf
    assert x.inplace_version == 1


def test_the_same_object_comes_back_rebound():
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y.exp_()
    assert z is y
    assert y.grad_fn.name() == "ExpGradNode"
    assert y.inplace_version == 1
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp([2.0, 4.0]), rtol=1e-6)


def test_the_old_value_of_the_written_operand_is_what_backward_uses():
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    y = x * 1
    y.multiply_(w)
    y.sin_()
    y.sum().backward()
    value = np.cos([3.0, 8.0])
    np.testing.assert_allclose(x.grad.numpy(), value * [3.0, 4.0], rtol=1e-5)
    np.testing.assert_allclose(w.grad.numpy(), value * [1.0, 2.0], rtol=1e-5)


def test_the_same_tensor_as_other_operand_is_a_version_error():
    y = leaf([1.0, 2.0]) * 1
    y.multiply_(y)
    with pytest.raises(
        PermissionDeniedError, match="Its version is 1 but the expected version is 0"
    ):
        y.sum().backward()


def test_a_constant_becomes_part_of_the_graph():
    x = leaf([1.0, 2.0])
    y = paddle.zeros([2])
    y.add_(x)
    assert not y.stop_gradient
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_broadcast_growth_leaves_everything_as_it_was():
    y = leaf([1.0, 2.0]) * 1
    node = y.grad_fn
    with pytest.raises(InvalidArgumentError, match="shape of broadcast output"):
        y.add_(paddle.ones([3, 2]))
    assert y.tolist() == [1.0, 2.0]
    assert y.inplace_version == 0
    assert y.grad_fn is node


def test_a_kernel_error_leaves_everything_as_it_was():
    y = leaf([1.0, 2.0]) * 1
    with pytest.raises(InvalidArgumentError, match=r"add: .*float32\[2\].*float32\[3\]"):
        y.add_(paddle.ones([3]))
    assert y.inplace_version == 0


def test_detach_shares_memory_and_version():
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y * y
    y.detach().zero_()
    assert y.tolist() == [0.0, 0.0]
    assert y.inplace_version == 1
    with pytest.raises(PermissionDeniedError):
        z.sum().backward()


def test_iadd_makes_a_new_tensor():
    x = leaf([1.0])
    y = x
    y += 1
    assert y is not x
    assert x.inplace_version == 0


def test_fill_and_zero_stop_the_gradient_upstream():
    for write in (lambda t: t.fill_(7.0), lambda t: t.zero_()):
        x = leaf([1.0, 2.0])
        y = x * 2
        write(y)
        (y * 3).sum().backward()
        assert x.grad.tolist() == [0.0, 0.0]


def test_copy_refuses_what_does_not_fit():
    x = paddle.ones([2, 3])
    with pytest.raises(ValueError, match=r"\[4, 4\] does not broadcast to the shape \[2, 3\]"):
        x.copy_(paddle.zeros([4, 4]))
    with pytest.raises(TypeError, match=r"argument 'other' \(position 0\) must be Tensor, but got"):
        x.copy_(np.zeros((2, 3), "float32"))
    with pytest.raises(ValueError, match="the imaginary part would be lost"):
        x.copy_(paddle.full([2, 3], 1 + 2j, dtype="complex64"))
    assert (x.tolist(), x.inplace_version) == ([[1.0] * 3] * 2, 0)
