"""slice_scatter, select_scatter and split_with_sizes: tests beyond the parity programs."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, OutOfRangeError, PreconditionNotMetError


def test_gradients_split_at_the_part():
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    value = paddle.zeros([2, 1])
    value.stop_gradient = False
    weights = paddle.to_tensor(np.arange(6.0).reshape(2, 3).astype("float32"))
    (paddle.slice_scatter(x, value, [1], [2], [3], [1]) * weights).sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 0.0], [3.0, 4.0, 0.0]]
    assert value.grad.tolist() == [[2.0], [5.0]]


def test_the_tensor_itself_stays_as_it_was():
    x = paddle.zeros([2, 2])
    paddle.select_scatter(x, paddle.ones([2]), 0, 0)
    assert x.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert x.inplace_version == 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.select_scatter(x[0], 2, 0), OutOfRangeError, r"axis 2 is not in \[-2, 2\)"),
        (lambda x: x.select_scatter(x[0], 0, 9), OutOfRangeError, "9"),
        (lambda x: x.select_scatter(x, 0, 0), PreconditionNotMetError, "expected values to have"),
        (
            lambda x: x.slice_scatter(x, [0], [0, 1], [2], [1]),
            InvalidArgumentError,
            "must have the same length, but have 1, 2, 1, 1",
        ),
        (lambda x: x.split_with_sizes([1, 2]), InvalidArgumentError, "add up to 3 but got"),
        (lambda x: x.split_with_sizes([-1, 3]), InvalidArgumentError, "only non-negative"),
    ],
)
def test_an_index_that_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call(paddle.zeros([2, 2]))


def test_parts_are_views():
    x = paddle.zeros([4])
    first, second = x.split_with_sizes([1, 3])
    second[0] = 5.0
    assert x.tolist() == [0.0, 5.0, 0.0, 0.0]
    x[0] = 7.0
    assert first.tolist() == [7.0]


@pytest.mark.parametrize(
    "cuts",
    [
        [(0, 6, 1), (1, 4, 2)],
        [(1, 6, 2), (0, 6, 2)],
        [(5, -7, -1), (1, 4, 1)],
        [(5, -7, -2), (2, -4, -1)],
        [(1, 5, 1), (3, 9, 1), (0, 1, 1)],
        [(2, 2, 1), (0, 3, 1)],
    ],
)
def test_an_axis_that_is_named_twice_is_cut_again(cuts):
    """Paddle 3.3.1 has unset memory in such results of strided_slice."""
    values = np.arange(12.0).reshape(2, 6)
    wanted = values
    for cut in cuts:
        wanted = wanted[:, slice(*cut)]
    axes = [1, -1, 1][: len(cuts)]
    got = paddle.strided_slice(paddle.to_tensor(values), axes, *map(list, zip(*cuts, strict=True)))
    np.testing.assert_array_equal(got.numpy(), wanted)
