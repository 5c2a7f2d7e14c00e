"""Random neighbors: which, how many, how often, and that a seed repeats them."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, OutOfRangeError

ROW = [3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]
COLPTR = [0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13]


def graph():
    return paddle.to_tensor(ROW), paddle.to_tensor(COLPTR)


def nodes(*numbers):
    return paddle.to_tensor(list(numbers))


def test_all_neighbors_by_default():
    drawn, count = paddle.geometric.sample_neighbors(*graph(), nodes(0, 8, 7, 2))
    assert drawn.tolist() == [3, 7, 9, 7, 1]
    assert count.tolist() == [2, 2, 0, 1]
    assert drawn.dtype == paddle.int64
    assert count.dtype == paddle.int32


def test_a_draw_is_without_repetition_and_names_its_edges():
    row, colptr = paddle.arange(100), paddle.to_tensor([0, 60, 100])
    eids = paddle.arange(100) + 1000
    drawn, count, edges = paddle.geometric.sample_neighbors(
        row, colptr, nodes(0, 1), sample_size=50, eids=eids, return_eids=True
    )
    assert count.tolist() == [50, 40]
    assert len(set(drawn.tolist())) == 90
    assert (drawn + 1000).tolist() == edges.tolist()


def test_a_seed_repeats_a_draw():
    row, colptr = paddle.arange(1000), paddle.to_tensor([0, 1000])

    def draw():
        paddle.seed(5)
        return paddle.geometric.sample_neighbors(row, colptr, nodes(0), sample_size=20)[0].tolist()

    assert draw() == draw()
    other = paddle.geometric.sample_neighbors(row, colptr, nodes(0), sample_size=20)[0].tolist()
    assert draw() != other


def test_weights_decide_how_often():
    paddle.seed(1)
    row, colptr = paddle.arange(3), paddle.to_tensor([0, 3])
    weight = paddle.to_tensor([1.0, 2.0, 5.0])
    many = [
        paddle.geometric.weighted_sample_neighbors(row, colptr, weight, nodes(0), 1)[0].item()
        for _ in range(1500)
    ]
    shares = np.bincount(many, minlength=3) / len(many)
    # Three standard deviations of a share of 1500 draws are at most 0.039.
    np.testing.assert_allclose(shares, [0.125, 0.25, 0.625], atol=0.045)


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"return_eids": True}, InvalidArgumentError, "needs eids"),
        ({"sample_size": -2}, InvalidArgumentError, "-1 or more"),
    ],
)
def test_bad_arguments(kwargs, error, text):
    with pytest.raises(error, match=text):
        paddle.geometric.sample_neighbors(*graph(), nodes(0), **kwargs)


def test_a_node_that_is_not_there():
    with pytest.raises(OutOfRangeError, match=r"input_nodes must be in \[0, 10\), but contains 10"):
        paddle.geometric.sample_neighbors(*graph(), nodes(0, 10))
