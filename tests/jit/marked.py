"""Helpers for tests of marked functions: batches, and the comparison with the plain function."""

import functools

import numpy as np
import pytest

import jaxeager as paddle


def rows(number: int) -> paddle.Tensor:
    """Return a batch, another one for each number."""
    return paddle.to_tensor(np.random.default_rng(number).normal(size=(4, 3)).astype("float32"))


def weight(value: float = 1.0, size: int = 1) -> paddle.Tensor:
    """Return a parameter of equal elements."""
    fill = paddle.nn.initializer.Constant(value)
    return paddle.create_parameter([size], "float32", default_initializer=fill)


def vector(value: float = 1.0, size: int = 1) -> paddle.Tensor:
    """Return a tensor of equal elements."""
    return paddle.full([size], value)


def gradient(tensor: paddle.Tensor) -> np.ndarray:
    """Return the current gradient of a tensor; -777 if it has none."""
    return np.full(1, -777.0) if tensor.grad is None else tensor.grad.numpy().copy()


def whole(function):
    """Mark a function as a whole graph: a program."""
    return paddle.jit.to_static(function, full_graph=True)


def at_once(function):
    """Mark a function or Layer whose recorded calls are compiled the first time."""
    marked = paddle.jit.to_static(function)
    if isinstance(function, paddle.nn.Layer):
        function.register_forward_pre_hook(lambda *_: _wait(True))
        function.register_forward_post_hook(lambda *_: _wait(False))
        return marked

    @functools.wraps(function)
    def call(*args, **kwargs):
        _wait(True)
        try:
            return marked(*args, **kwargs)
        finally:
            _wait(False)

    return call


def _wait(value: bool) -> None:
    paddle.set_flags({"FLAGS_lazy_wait": value})


def same_as_op_by_op(make, *marks) -> None:
    """Compare the tensors that ``make(mark)`` yields, marked in several ways and unmarked."""
    wanted = _found(make, lambda function: function)
    for mark in marks or (paddle.jit.to_static, at_once):
        found = _found(make, mark)
        assert len(found) == len(wanted)
        for one, other in zip(wanted, found, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-6)


def same_in_all_ways(make, refused=()) -> None:
    """Compare as ``same_as_op_by_op`` does, and as a whole graph, which refuses the named ones."""
    same_as_op_by_op(make)
    if make.__name__ in refused:
        with pytest.raises(paddle.errors.UnimplementedError):
            _found(make, whole)
    else:
        same_as_op_by_op(make, whole)


def _found(make, mark) -> list:
    paddle.seed(11)
    return [np.array(each) for each in make(mark)]
