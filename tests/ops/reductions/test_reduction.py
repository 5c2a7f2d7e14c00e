"""Reductions beyond the row's samples: dtypes, ties, nan, zeros, recorded ops."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, OutOfRangeError
from tests.support.leaves import leaf
from tests.support.recorded import gradient, recorded

NAN = float("nan")


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("sum", "bool", "int64"),
        ("sum", "int32", "int64"),
        ("sum", "int8", "int8"),
        ("sum", "bfloat16", "bfloat16"),
        ("mean", "int32", "int32"),
        ("prod", "int32", "int32"),
        ("cumsum", "int32", "int64"),
        ("cumsum", "uint8", "int64"),
        ("cumprod", "int32", "int32"),
        ("max", "int32", "int32"),
        ("logsumexp", "int64", "float32"),
        ("std", "int64", "float32"),
        ("median", "int64", "float32"),
        ("count_nonzero", "float32", "int64"),
    ],
)
def test_result_dtype(name, given, result):
    x = paddle.to_tensor([1, 0, 1]).astype(given)
    args = (0,) if name.startswith("cum") else ()
    assert str(getattr(paddle, name)(x, *args).dtype) == f"paddle.{result}"


def test_a_dtype_is_cast_to_before_reducing():
    x = paddle.to_tensor(np.full(2, 2**30, np.int32))
    assert paddle.sum(x, dtype="float64").item() == 2.0**31
    y = leaf([1.0, 2.0])
    assert recorded(paddle.sum(y, dtype="float64")) == "Sum(leaf)"
    assert recorded(paddle.prod(y, dtype="float64")) == "Prod(Cast(leaf))"
    assert recorded(paddle.cumsum(y, 0, dtype="float64")) == "Cumsum(Cast(leaf))"
    assert str(paddle.cumsum(x, 0, dtype="int32").dtype) == "paddle.int32"


@pytest.mark.parametrize(
    ("values", "mean"), [([0, 1, 2, 6], 2), ([-3, 0], -1), ([True, False], True), ([False], False)]
)
def test_mean_of_integers_is_cut_towards_zero_and_of_bools_whether_one_is_true(values, mean):
    assert paddle.mean(paddle.to_tensor(values)).item() == mean


@pytest.mark.parametrize("name", ["max", "amax", "min", "amin"])
def test_extremes_share_the_gradient_between_ties(name):
    sign = 1.0 if "max" in name else -1.0
    found = gradient(lambda x: getattr(paddle, name)(x), np.array([1.0, 2.0, 2.0]) * sign)
    assert found == [0.0, 0.5, 0.5]


def test_extremes_and_logsumexp_hand_nan_on():
    assert np.isnan(gradient(paddle.max, [1.0, NAN, 2.0])).all()
    assert np.isnan(gradient(paddle.logsumexp, [-np.inf, -np.inf])).all()
    assert paddle.logsumexp(paddle.to_tensor([np.inf, 1.0])).item() == np.inf


def test_gradient_of_products_with_zeros_is_exact():
    assert gradient(paddle.prod, [0.0, 3.0]) == [3.0, 0.0]
    assert gradient(lambda x: paddle.cumprod(x, 0), [2.0, 0.0, 3.0, 4.0]) == [1.0, 118.0, 0.0, 0.0]


def test_gradient_of_products_of_large_and_small_numbers_is_exact():
    """The product overflows or vanishes; those of the others do not."""
    assert gradient(paddle.prod, [2.0**900, 2.0**900, 2.0**-890]) == [2.0**10, 2.0**10, np.inf]
    assert gradient(paddle.prod, [2.0**-900, 2.0**-900, 2.0**890]) == [2.0**-10, 2.0**-10, 0.0]
    assert str(gradient(paddle.prod, [-1.0, 0.0, np.inf])) == "[nan, -inf, -0.0]"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 13])
def test_gradient_of_products_over_axes_of_any_size(size):
    x = np.random.default_rng(size).normal(size=(3, size, 2, size))
    tensor = paddle.to_tensor(x, stop_gradient=False)
    (grad,) = paddle.grad(paddle.prod(tensor, [1, 3]).sum(), [tensor])
    for at in np.ndindex(*x.shape):
        line = x[at[0], :, at[2], :].copy()
        line[at[1], at[3]] = 1.0
        np.testing.assert_allclose(grad.numpy()[at], line.prod(), rtol=1e-12)


def test_gradient_of_a_complex_product_is_conjugated():
    x = paddle.to_tensor(np.array([1 + 2j, 3 - 1j]), stop_gradient=False)
    paddle.prod(x).backward()
    assert x.grad.tolist() == [3 + 1j, 1 - 2j]


@pytest.mark.parametrize(
    ("function", "graph"),
    [
        (paddle.std, "Sqrt(Divide(Sum(Pow(Subtract(leaf,Mean(leaf)))),None))"),
        (paddle.var, "Divide(Sum(Pow(Subtract(leaf,Mean(leaf)))),None)"),
        (paddle.nansum, "Sum(Where(None,leaf))"),
        (paddle.nanmean, "Divide(Sum(Where(None,leaf)),None)"),
        (paddle.count_nonzero, "Sum(Cast(Cast(leaf)))"),
        (paddle.cumprod, "Cumprod(Flatten(leaf))"),
        (paddle.median, "Median(leaf)"),
    ],
)
def test_recorded_ops(function, graph):
    assert recorded(function(leaf([[1.0, 2.0], [3.0, 5.0]]))) == graph


def test_variance():
    values = np.arange(6.0).reshape(2, 3) ** 2
    x = paddle.to_tensor(values)
    np.testing.assert_allclose(paddle.var(x, 1).numpy(), values.var(1, ddof=1))
    np.testing.assert_allclose(paddle.var(x, correction=0).numpy(), values.var())
    np.testing.assert_allclose(paddle.std(x, [0, 1], False, True).numpy(), [[values.std()]])
    assert np.isnan(paddle.var(paddle.to_tensor([1.0])).item())
    assert gradient(paddle.std, [1.0, 1.0]) == [0.0, 0.0]
    with pytest.raises(InvalidArgumentError, match=r"in the range \[-2, 2\)"):
        paddle.var(x, 4)


def test_nan_is_left_out():
    x = paddle.to_tensor([[1.0, NAN], [3.0, 5.0]])
    assert paddle.nansum(x, 1).tolist() == [1.0, 8.0]
    assert paddle.nanmean(x, 0).tolist() == [2.0, 5.0]
    assert gradient(paddle.nanmean, [1.0, NAN, 3.0]) == [0.5, 0.0, 0.5]


def test_empty_axes_mean_all_of_them():
    x = paddle.ones([2, 3])
    assert paddle.sum(x, []).item() == 6.0
    assert paddle.sum(x, ()).item() == 6.0


def test_cumsum_without_axis_flattens():
    assert paddle.cumsum(paddle.ones([2, 2])).tolist() == [1.0, 2.0, 3.0, 4.0]
    assert paddle.cumsum(paddle.to_tensor(2.0)).shape == [1]
    assert paddle.cumprod(paddle.to_tensor(2.0)).shape == [1]
    x = paddle.ones([2, 2])
    assert x.cumsum_() is x
    assert (x.shape, x.inplace_version) == ([4], 1)
    y = paddle.ones([2, 2])
    assert (y.cumprod_().shape, y.inplace_version) == ([4], 2)


def test_running_extremes_take_the_latest_of_ties_and_keep_nan():
    out, indices = paddle.cummax(paddle.to_tensor([2.0, 2.0, 1.0, 3.0]), 0)
    assert (out.tolist(), indices.tolist()) == ([2.0, 2.0, 2.0, 3.0], [0, 1, 1, 3])
    assert gradient(lambda x: paddle.cummax(x, 0), [2.0, 2.0, 1.0, 3.0]) == [1.0, 5.0, 0.0, 4.0]
    out, indices = paddle.cummin(paddle.to_tensor([2.0, NAN, 1.0]), 0, "int32")
    assert np.isnan(out.numpy()).tolist() == [False, True, True]
    assert (indices.tolist(), str(indices.dtype)) == ([0, 1, 1], "paddle.int32")
    assert paddle.cummax(paddle.ones([2, 3]))[0].shape == [6]
    with pytest.raises(OutOfRangeError):
        paddle.cummax(paddle.ones([2, 3]), 2)


def test_median():
    assert gradient(paddle.median, [1.0, 2.0, 2.0, 3.0]) == [0.0, 0.5, 0.5, 0.0]
    shared = gradient(paddle.median, [1.0, 2.0, 2.0, 2.0, 3.0])
    np.testing.assert_allclose(shared, [0, 1 / 3, 1 / 3, 1 / 3, 0])
    assert gradient(paddle.median, [1.0, NAN, 3.0]) == [0.0, 1.0, 0.0]
    out, indices = paddle.median(paddle.to_tensor([3, 1, 2, 4]), 0, mode="min")
    assert (out.item(), str(out.dtype), indices.item()) == (2, "paddle.int64", 2)
    assert paddle.median(paddle.to_tensor([3.0, 1.0]), mode="min").item() == 1.0
    assert np.isnan(paddle.median(paddle.zeros([0])).item())
    with pytest.raises(InvalidArgumentError, match="None or one integer"):
        paddle.median(paddle.ones([2, 3]), [0, 1])
