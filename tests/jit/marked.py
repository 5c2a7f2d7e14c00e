"""What tests of marked functions have in common: batches, and the function as it is beside it."""

import numpy as np

import jaxeager as paddle


def rows(number: int) -> paddle.Tensor:
    """A batch, another one for each number."""
    return paddle.to_tensor(np.random.default_rng(number).normal(size=(4, 3)).astype("float32"))


def weight(value: float = 1.0, size: int = 1) -> paddle.Tensor:
    """A parameter of equal elements."""
    fill = paddle.nn.initializer.Constant(value)
    return paddle.create_parameter([size], "float32", default_initializer=fill)


def vector(value: float = 1.0, size: int = 1) -> paddle.Tensor:
    """A tensor of equal elements."""
    return paddle.full([size], value)


def gradient(tensor: paddle.Tensor) -> np.ndarray:
    """The gradient of a tensor as it is now; -777 where it has none."""
    return np.full(1, -777.0) if tensor.grad is None else tensor.grad.numpy().copy()


def same_as_op_by_op(make) -> None:
    """Compares the tensors that ``make(mark)`` yields, marked and as it is."""
    found = []
    for mark in (lambda function: function, paddle.jit.to_static):
        paddle.seed(11)
        found.append([np.array(each) for each in make(mark)])
    assert len(found[0]) == len(found[1])
    for wanted, got in zip(*found, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
