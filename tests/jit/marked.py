"""What tests of marked functions have in common: batches, and the function as it is beside it."""

import numpy as np

import jaxeager as paddle


def rows(number: int) -> paddle.Tensor:
    """A batch, another one for each number."""
    return paddle.to_tensor(np.random.default_rng(number).normal(size=(4, 3)).astype("float32"))


def same_as_op_by_op(make) -> None:
    """Compares the tensors that ``make(mark)`` yields, marked and as it is."""
    found = []
    for mark in (lambda function: function, paddle.jit.to_static):
        paddle.seed(11)
        found.append([np.asarray(each) for each in make(mark)])
    assert len(found[0]) == len(found[1])
    for wanted, got in zip(*found, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
