"""paddle.Size beyond what the parity programs compare."""

import copy
import pickle

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError


def test_slices_sums_and_products_of_a_size_are_sizes():
    shape = paddle.ones([2, 3]).shape
    made = [shape[:1], [1] + shape, shape + (4,), shape * 2, 2 * shape]  # noqa: RUF005
    assert [type(each) for each in made] == [paddle.Size] * 5
    assert made == [[2], [1, 2, 3], [2, 3, 4], [2, 3, 2, 3], [2, 3, 2, 3]]


def test_a_size_can_be_copied_and_pickled():
    size = paddle.Size([2, 3])
    for made in (copy.deepcopy(size), pickle.loads(pickle.dumps(size))):
        assert made == (2, 3)
        assert type(made) is paddle.Size


def test_only_integers_are_sizes():
    with pytest.raises(InvalidTypeError, match="item 1 is 'float'"):
        paddle.Size([1, 2.5])
