"""Special functions, divisors and parts of floats: ends, higher orders, errors of the functions."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError


def derivatives(function, point: float, count: int) -> list[float]:
    """Return the first derivatives of a function of one number, in float64."""
    x = paddle.to_tensor(point, dtype="float64", stop_gradient=False)
    y, found = function(x), []
    for _ in range(count):
        (y,) = paddle.grad(y, x, create_graph=True)
        found.append(y.item())
    return found


def test_bessel_functions_at_zero_and_infinity():
    ends = paddle.to_tensor([float("inf"), float("-inf")])
    assert paddle.i0(ends).tolist() == [np.inf, np.inf]
    assert paddle.i1(ends).tolist() == [np.inf, -np.inf]
    assert derivatives(paddle.i0, 0.0, 2) == [0.0, 0.5]
    assert derivatives(paddle.i1, 0.0, 2) == [0.5, 0.0]
    assert derivatives(paddle.i0e, 0.0, 1) == [0.0]
    assert derivatives(paddle.i1e, 0.0, 1) == [0.5]


def test_sinc_is_smooth_around_zero():
    square = np.pi**2
    np.testing.assert_allclose(derivatives(paddle.sinc, 0.0, 3), [0, -square / 3, 0], atol=1e-12)
    step = 0.5 / np.pi  # where the series ends
    before, after = (derivatives(paddle.sinc, step * k, 3) for k in (1 - 1e-9, 1 + 1e-9))
    np.testing.assert_allclose(before, after, rtol=1e-6)


def test_polygamma_at_its_poles():
    poles = paddle.to_tensor([0.0, -1.0])
    assert paddle.polygamma(poles, 1).tolist() == [np.inf, np.inf]
    assert paddle.polygamma(poles, 2).tolist() == [-np.inf, -np.inf]
    assert paddle.polygamma(paddle.to_tensor([float("inf")]), 1).tolist() == [0.0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: paddle.polygamma(x, -1), InvalidArgumentError, "0 or more, but received -1"),
        (lambda x: paddle.polygamma(x, 1.5), InvalidTypeError, "must be int, but received 1.5"),
        (lambda x: x.polygamma_(True), InvalidTypeError, "must be int, but received True"),
        (lambda x: paddle.multigammaln(x, 0), InvalidArgumentError, "1 or more, but received 0"),
        (lambda x: x.multigammaln_(0), InvalidArgumentError, "1 or more, but received 0"),
        (lambda x: paddle.gcd(x, x), InvalidArgumentError, "hold integers, not float32"),
        (lambda x: paddle.frexp(x.astype("int32")), InvalidTypeError, "but got int32"),
        (
            lambda x: x.hypot_(paddle.ones([2, 2])),
            InvalidArgumentError,
            r"broadcast output \[2, 2\] is different from that of inplace tensor \[2\]",
        ),
        (
            lambda x: paddle.to_tensor([1, 2]).ldexp_(paddle.to_tensor([1])),
            InvalidTypeError,
            "result is float32 and cannot be written into a tensor of int64",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(paddle.to_tensor([2.0, 3.0]))


def test_incomplete_gamma_functions_of_negative_numbers_are_nan():
    one, minus = paddle.to_tensor([1.0]), paddle.to_tensor([-1.0])
    assert np.isnan(paddle.gammainc(minus, one).item())
    assert np.isnan(paddle.gammaincc(one, minus).item())
    assert paddle.gammaincc(paddle.to_tensor([float("inf")]), one).item() == 1.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_frexp_of_the_largest_and_the_smallest(dtype):
    limits = np.finfo(dtype)
    x = np.array([limits.max, -limits.max, limits.tiny, np.inf, np.nan], dtype)
    mantissa, exponent = paddle.frexp(paddle.to_tensor(x))
    expected = np.frexp(x)
    np.testing.assert_array_equal(mantissa.numpy(), expected[0])
    np.testing.assert_array_equal(exponent.numpy(), expected[1])
    assert mantissa.dtype == exponent.dtype == dtype


def test_in_place_twins_record_what_they_compute():
    x = paddle.to_tensor([3.0, 8.0], stop_gradient=False)
    y = x * 1
    y.hypot_(paddle.to_tensor([4.0, 6.0]))
    y.sum().backward()
    np.testing.assert_allclose(y.numpy(), [5.0, 10.0])
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), [0.6, 0.8], rtol=1e-6)
    z = x * 1
    z.hypot_(z)
    z.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.6 + 2**0.5, 0.8 + 2**0.5], rtol=1e-6)
