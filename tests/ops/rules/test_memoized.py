"""Plans by arguments: correct keys, bounded, kept for plain values alone."""

import gc
import warnings
import weakref
from itertools import combinations

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.rules import memoized
from jaxeager.ops.rules.memoized import key_of, planned

F = paddle.nn.functional


def seen_by(*arguments):
    """Return a planned function and the plans it computed."""
    worked = []

    @planned
    def work(known, value):
        worked.append(value)
        return known, value

    for each in arguments:
        work((), each)
    return worked


APART = [
    1, 1.0, True, np.int64(1), np.int32(1), np.bool_(True), "1", None, ..., 0, 0.0, -0.0, False,
    (1, 1), [1, 1], (1.0, 1), (True, 1), ((1,), 1), (1, (1,)), slice(1), slice(1, None),
    slice(True), slice(None, 1.0), np.dtype("float32"), "float32", (), [], float("inf"),
]  # fmt: skip


def test_values_that_mean_different_things_have_keys_of_their_own():
    for one, other in combinations(APART, 2):
        assert key_of(one) != key_of(other), (one, other)


def test_equal_arguments_are_worked_out_once():
    assert len(seen_by(*APART, *APART)) == len(APART)
    assert len(seen_by(float("nan"), float("nan"), [1, (2, "a")], [1, (2, "a")])) == 2


@pytest.mark.parametrize("make", [lambda: paddle.ones([2]), lambda: np.ones(2), lambda: {1: 2}])
def test_plans_for_values_that_are_not_plain_are_computed_each_time(make):
    value = make()
    assert len(seen_by(value, value, (1, value), (1, value))) == 4


def test_no_plan_keeps_a_tensor():
    x, index = paddle.ones([3, 3]), paddle.to_tensor(1)
    alive = weakref.ref(index)
    assert x[index:].shape == [2, 3]
    assert x[0, index].shape == []
    del index
    gc.collect()
    assert alive() is None


def test_errors_are_raised_again():
    x = paddle.ones([3, 3])
    for _ in range(2):
        with pytest.raises(paddle.errors.OutOfRangeError, match="index 3"):
            x[3]
        with pytest.raises(paddle.errors.InvalidArgumentError, match="stride must be"):
            F.max_pool2d(paddle.ones([1, 1, 4, 4]), 2, stride=(1, 2, 3))


def test_the_number_of_plans_is_bounded():
    @planned
    def work(known, value):
        return value + 1

    assert [work((), i) for i in range(3 * memoized.LIMIT)] == list(
        range(1, 3 * memoized.LIMIT + 1)
    )
    assert len(work.plans) <= memoized.LIMIT
    assert work((), 5) == 6


def test_a_warning_comes_with_each_call():
    x, weight = paddle.ones([1, 1, 5, 5]), paddle.ones([1, 1, 2, 2])
    for _ in range(2):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            F.conv2d(x, weight, padding="SAME", dilation=2)
        assert "dilation=[2, 2] is not used" in str(told[0].message)


def test_plans_are_those_of_the_shape():
    weight = paddle.ones([1, 1, 3, 3])
    for size in (5, 6, 5):
        out = F.conv2d(paddle.ones([1, 1, size, size]), weight, stride=2, padding="SAME")
        assert out.shape == [1, 1, 3, 3]
        assert paddle.ones([size])[-2:].shape == [2]
        assert paddle.arange(size)[-1].item() == size - 1
