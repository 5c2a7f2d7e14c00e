"""Quantiles, histograms, distances and combinations: edges and errors of the public functions."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.ops.reductions import median

X = np.array([[0.5, 2.0, -3.5], [1.0, 4.0, 2.5]], "float32")
BAD = InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: paddle.quantile(x, 1.5), BAD, r"in range \[0, 1\], but received 1.5"),
        (lambda x: paddle.quantile(x, [0.5, -1]), BAD, "in range"),
        (lambda x: paddle.nanquantile(x, []), BAD, "should not be empty"),
        (lambda x: paddle.quantile(x, "half"), InvalidTypeError, "a float, a list .* but got str"),
        (lambda x: paddle.nanmedian(x, []), BAD, "list of axes should not be empty"),
        (lambda x: paddle.median(x, [0, 1]), BAD, r"None or one integer, but received \[0, 1\]"),
        (lambda x: paddle.searchsorted(x[0], x, side="up"), BAD, "'left' or 'right', but .* 'up'"),
        (lambda x: paddle.trapezoid(x, x, dx=1.0), BAD, "may not both be given"),
        (lambda x: paddle.trapezoid(x.astype("int64")), InvalidTypeError, "but got int64"),
        (lambda x: paddle.trapezoid(x, axis=2), BAD, r"range \[-2, 2\), but received 2"),
        (lambda x: paddle.bincount(x[0]), InvalidTypeError, "be integers, but received float32"),
        (lambda x: paddle.bincount(paddle.to_tensor([-1])), BAD, "not be negative, but holds -1"),
        (lambda x: paddle.bincount(paddle.ones([2, 2], "int64")), BAD, "received 2 dimensions"),
        (lambda x: paddle.histogramdd(x[0]), BAD, "at least 2 dimensions, not 1"),
        (lambda x: paddle.histogramdd(x, [2, 2]), BAD, "length of bins must be 3 .*, not 2"),
        (lambda x: paddle.histogramdd(x, x[0]), BAD, "must be a list of Tensors"),
        (lambda x: paddle.histogramdd(x, 2, [0.0, 1.0]), BAD, "ranges must be 6, .* received 2"),
        (lambda x: paddle.cdist(x, x[:, :2]), BAD, r"received \[2, 3\] and \[2, 2\]"),
        (lambda x: paddle.cdist(x, x, -1.0), BAD, "p must be 0 or more, but received -1.0"),
        (lambda x: paddle.cdist(x, x, 2.0, "no"), BAD, "compute_mode must be one of .* 'no'"),
        (lambda x: paddle.pdist(x[0]), BAD, "must have 2 dimensions, not 1"),
        (lambda x: paddle.pdist(x, -2.0), BAD, "p must be 0 or more"),
        (lambda x: paddle.combinations(x), InvalidTypeError, r"1-D vector, .* shape \[2, 3\]"),
        (lambda x: paddle.combinations(x[0], -1), BAD, "non-negative int, but got r=-1"),
        (lambda x: paddle.cartesian_prod([]), BAD, "at least one vector"),
        (lambda x: paddle.cartesian_prod([x, x]), BAD, r"1D vector, but got shape \[2, 3\]"),
        (lambda x: paddle.vander(x), BAD, r"must have 1 dimension, .* \[2, 3\]"),
        (lambda x: paddle.vander(x[0], -1), BAD, "n must be 0 or more, but received -1"),
        (lambda x: x.top_p_sampling(x[:, :1], mode="x"), BAD, "'non-truncated', but received 'x'"),
        (
            lambda x: abs(x).top_p_sampling(x[:, :1], topp_seed=x[:, :1]),
            UnimplementedError,
            "Pass one seed=... instead",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(paddle.to_tensor(X))


def test_quantile_waits_for_no_more_than_the_shares():
    shares = paddle.to_tensor([0.5, 0.0])
    np.testing.assert_allclose(paddle.quantile(paddle.to_tensor(X), shares).numpy(), [1.5, -3.5])
    assert np.isnan(paddle.quantile(paddle.zeros([0]), 0.5).item())
    whole = paddle.quantile(paddle.to_tensor([1, 2, 4]), 0.5)
    assert (whole.item(), whole.dtype) == (2.0, "float32")


def test_histogram_leaves_out_nan_and_numbers_outside_its_range():
    x = paddle.to_tensor([1.0, float("nan"), 3.0, 9.0])
    assert paddle.histogram(x, 2, 1, 3).tolist() == [1, 1]
    assert paddle.histogram(x, 2).tolist() == [2, 1]
    assert paddle.histogram(paddle.zeros([0]), 3).tolist() == [0, 0, 0]


def test_histogramdd_takes_edges():
    points = paddle.to_tensor([[0.5, 1.0], [1.5, 3.0], [2.0, 0.0]])
    given = [paddle.to_tensor([0.0, 1.0, 2.0]), paddle.to_tensor([0.0, 2.0, 4.0])]
    counts, edges = paddle.histogramdd(points, given)
    assert counts.tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert edges[0] is given[0]
    mixed, _ = paddle.histogramdd(points, [given[0], 1])
    assert mixed.tolist() == [[1.0], [2.0]]


def test_distances_by_product_agree():
    rows = np.random.default_rng(5).normal(size=(30, 4))
    x = paddle.to_tensor(rows)
    plain = paddle.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist")
    found = paddle.cdist(x, x)  # more than 25 rows
    assert found.grad_fn is None
    np.testing.assert_allclose(found.numpy(), plain.numpy(), atol=1e-6)
    x.stop_gradient = False
    assert paddle.cdist(x, x).grad_fn.name() != paddle.cdist(x[:9], x[:9]).grad_fn.name()


def test_top_p_sampling_draws_among_the_likeliest():
    x = paddle.to_tensor([[0.1, 0.6, 0.3]] * 200)
    paddle.seed(7)
    scores, ids = x.top_p_sampling(paddle.full([200, 1], 0.8))
    assert set(ids.flatten().tolist()) == {1, 2}
    np.testing.assert_allclose(scores.numpy(), np.take_along_axis(x.numpy(), ids.numpy(), 1))
    assert (ids.shape, ids.dtype) == ([200, 1], "int64")
    every = x.top_p_sampling(paddle.full([200, 1], 0.8), mode="non-truncated")[1]
    assert set(every.flatten().tolist()) == {0, 1, 2}
    few = x.top_p_sampling(paddle.ones([200, 1]), threshold=paddle.full([200, 1], 0.2))[1]
    assert set(few.flatten().tolist()) == {1, 2}
    only = x.top_p_sampling(paddle.zeros([200, 1]))[1]
    assert set(only.flatten().tolist()) == {1}


def test_top_p_sampling_by_a_seed_and_with_the_likeliest():
    x = paddle.to_tensor([[0.1, 0.5, 0.4]] * 50)
    ps = paddle.ones([50, 1])
    first, again = (x.top_p_sampling(ps, seed=3)[1].tolist() for _ in range(2))
    assert first == again
    *_, values, places = x.top_p_sampling(ps, k=2, return_top=True)
    assert places[0].tolist() == [1, 2]
    np.testing.assert_allclose(values[0].numpy(), [0.5, 0.4], rtol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, [0, 1]])
def test_the_variance_of_complex_numbers_is_that_of_both_parts(axis):
    """As in NumPy; its gradient is that of the two real variances."""
    rng = np.random.default_rng(0)
    given = (rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))).astype("complex64")
    x = paddle.to_tensor(given, stop_gradient=False)
    axes = tuple(axis) if isinstance(axis, list) else axis
    found = paddle.var(x, axis)
    np.testing.assert_allclose(found.numpy(), given.var(axes, ddof=1), rtol=1e-5)
    np.testing.assert_allclose(paddle.std(x, axis).numpy(), given.std(axes, ddof=1), rtol=1e-5)
    found.sum().backward()
    count = given.size if axes is None else np.prod([given.shape[each] for each in np.ravel(axes)])
    slope = 2 * (given - given.mean(axes, keepdims=True)) / (count - 1)
    np.testing.assert_allclose(x.grad.numpy(), slope, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda z: paddle.histogram(z), "bins need an order"),
        (lambda z: paddle.histogram_bin_edges(z), "bins need an order"),
        (lambda z: paddle.bucketize(z, paddle.to_tensor([0.0, 1.0])), "real numbers only"),
        (lambda z: paddle.searchsorted(paddle.to_tensor([0.0, 1.0]), z), "real numbers only"),
        (lambda z: paddle.linspace(z[0], 1.0, 3), "imaginary part would be lost"),
    ],
)
def test_complex_numbers_without_an_order_are_refused(call, text):
    """As in Paddle. Their real parts were used."""
    with pytest.raises(InvalidArgumentError, match=text):
        call(paddle.to_tensor([1j, 2.0]))


def lines_for_medians():
    """Yield lines with ties, neighbouring floats, subnormal means, nan and infinities."""
    random = np.random.default_rng(0)
    for trial in range(60):
        shape = (3, 1 + trial % 8)
        line = random.integers(-2, 3, shape) * random.choice([1.0, 3e-38, 1e30])
        if trial % 5 == 0:
            line = np.where(random.random(shape) < 0.5, 1.0, np.nextafter(np.float32(1), 2))
        if trial % 2:
            for each, share in ((np.nan, 0.1), (np.inf, 0.1), (-np.inf, 0.1)):
                line = np.where(random.random(shape) < share, each, line)
        yield line.astype("float32")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("ignore_nan", [False, True])
def test_the_middles_around_a_median_are_those_of_the_sorted_line(dtype, ignore_nan):
    """The backward does not sort again."""
    for each in lines_for_medians():
        with np.errstate(over="ignore"):
            line = jnp.asarray(each, dtype)
        low, high, place = median._middles(line, "avg", ignore_nan)
        found = median._middles_around(line, median._mean_of(low, high), ignore_nan)
        np.testing.assert_array_equal(np.asarray(found[0], "float64"), np.asarray(low, "float64"))
        np.testing.assert_array_equal(np.asarray(found[1], "float64"), np.asarray(high, "float64"))
        is_one = ~jnp.isnan(low) if ignore_nan else jnp.ones(low.shape, bool)
        np.testing.assert_array_equal(found[2][is_one], place[is_one])
