"""Draws by rejection: ops/random/rejection.py."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec
from scipy import stats

import jaxeager as paddle
from jaxeager.ops.random import implicit_gamma, rejection
from tests.support.often import every

COUNT = 20_000
KEY = jax.random.key(20261201)
SHAPES = [0.01, 0.3, 1.0, 1.2, 7.5, 1e3, 1e6, 1e9]
BINOMIALS = [
    (7, 0.3), (40, 0.97), (1000, 0.059), (120, 0.5), (121, 0.5), (1000, 0.93), (10**6, 0.3),
    (10**9, 1e-7),
]  # fmt: skip
MEANS = [0.2, 9.9, 59.9, 60.0, 71.5, 5e3, 1e7]


def draws(function, value, dtype):
    return np.asarray(jax.jit(function)(KEY, jnp.full(COUNT, value, dtype)), "float64")


def above(cdf, x, least=1e-30):
    """Return the distribution of what is above a least number."""
    return (cdf(x) - cdf(least)) / (1 - cdf(least))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gamma_draws_have_the_distribution_of_scipy(shape, dtype):
    found = draws(rejection.gamma, shape, dtype)
    logs = draws(rejection.log_gamma, shape, dtype)
    smallest = 4 * np.finfo(dtype).tiny  # XLA flushes what is smaller, factors too
    np.testing.assert_allclose(found, np.exp(logs), 1e-5 if dtype == "float32" else 1e-12, smallest)
    if dtype == "float32" and shape > 1e8:  # its numbers are too far apart for the test
        assert abs(found.mean() / shape - 1) < 4 / np.sqrt(shape * COUNT) + 1e-7
        return
    expected = stats.gamma(shape).cdf
    assert stats.kstest(found[found > 1e-30], lambda x: above(expected, x)).pvalue > 1e-3


def test_draws_of_a_small_shape_are_not_lost_as_logarithms():
    found = draws(rejection.log_gamma, 1e-4, "float32")
    assert np.isfinite(found).all()
    share = np.mean(found < -1e4)  # log g is about -exponential / shape
    assert abs(share - np.exp(-1.0)) < 0.015


def test_shapes_at_the_ends():
    a = jnp.array([0.0, jnp.inf, jnp.nan, -0.5, -3.0, 2.0])
    found = np.asarray(rejection.gamma(KEY, a))
    assert found[0] == 0
    assert found[1] == np.inf
    assert np.isnan(found[2:5]).all()
    assert found[5] > 0
    assert rejection.log_gamma(KEY, a)[0] == -np.inf


def agree(found, expected) -> bool:
    """Return whether counts have a distribution, by a test of twenty ranges of like probability."""
    edges = np.unique(expected.ppf(np.linspace(0, 1, 21)[1:-1]))
    edges = edges[expected.cdf(edges) < 0.999]
    shares = np.diff(np.concatenate([[0], expected.cdf(edges), [1]]))
    counts = np.histogram(found, np.concatenate([[-1], edges + 0.5, [np.inf]]))[0]
    return stats.chisquare(counts, shares * len(found)).pvalue > 1e-3


@pytest.mark.parametrize("mean", MEANS)
def test_counts_have_the_distribution_of_scipy(mean):
    found = draws(rejection.poisson, mean, "float32")
    assert (found == np.round(found)).all()
    assert agree(found, stats.poisson(float(np.float32(mean))))


@pytest.mark.parametrize(("trials", "chance"), BINOMIALS)
def test_successes_have_the_distribution_of_scipy(trials, chance):
    full = [jnp.full(COUNT, each, "float64") for each in (trials, chance)]
    found = np.asarray(jax.jit(rejection.binomial)(KEY, *full))
    assert ((found == np.round(found)) & (found >= 0) & (found <= trials)).all()
    assert agree(found, stats.binom(trials, chance))


def test_trials_and_chances_at_the_ends():
    trials, chance = jnp.array([[0.0], [1.0], [1e15]]), jnp.array([0.0, 0.5, 1.0])
    found = rejection.binomial(KEY, *jnp.broadcast_arrays(trials, chance))
    np.testing.assert_array_equal(found[:, 0], [0, 0, 0])
    np.testing.assert_array_equal(found[:, 2], [0, 1, 1e15])
    assert found[0, 1] == 0
    assert abs(found[2, 1] - 5e14) < 1e9


def test_a_mean_beyond_the_digits_of_float32():
    """In float32 the probabilities of counts around 1e12 have no digit."""
    found = draws(rejection.poisson, 1e12, "float64")
    assert stats.kstest((found - 1e12) / 1e6, "norm").pvalue > 1e-3


def test_means_at_the_ends():
    found = np.asarray(rejection.poisson(KEY, jnp.array([0.0, -1.0, jnp.inf, jnp.nan, 90.0])))
    assert found[0] == 0
    assert np.isnan(found[1:4]).all()
    assert found[4] > 0


def test_elements_of_all_kinds_are_drawn_together():
    """Each has its own parameter, and is independent of the others."""
    means = np.array([0.0, 0.5, 3.0, 70.0, 400.0])
    found = np.asarray(rejection.poisson(KEY, jnp.tile(means, (COUNT, 1))))
    np.testing.assert_allclose(found.mean(0), means, atol=4 * np.sqrt(400 / COUNT))
    np.testing.assert_allclose(found[:, 1:].var(0), means[1:], rtol=0.06)
    trials, chances = np.array([0.0, 7.0, 900.0, 900.0]), np.array([0.5, 0.2, 0.01, 0.7])
    tiled = [jnp.tile(each, (COUNT, 1)) for each in (trials, chances)]
    successes = np.asarray(rejection.binomial(KEY, *tiled))
    variances = trials * chances * (1 - chances)
    np.testing.assert_allclose(successes.mean(0), trials * chances, atol=4 * np.sqrt(190 / COUNT))
    np.testing.assert_allclose(successes.var(0), variances, rtol=0.06)
    shapes = np.array([0.2, 1.0, 40.0])
    drawn = np.asarray(rejection.gamma(KEY, jnp.tile(shapes, (COUNT, 1))))
    np.testing.assert_allclose(drawn.mean(0), shapes, atol=4 * np.sqrt(40 / COUNT))
    for each in (found[:, 1:], successes[:, 1:], drawn):
        together = np.corrcoef(each, rowvar=False)
        assert np.abs(together - np.eye(len(together))).max() < 4 / np.sqrt(COUNT)
        assert np.abs(np.corrcoef(each[1:, 0], each[:-1, 0])[0, 1]) < 4 / np.sqrt(COUNT)


@pytest.mark.parametrize("function", [rejection.gamma, rejection.log_gamma, rejection.poisson])
def test_in_vectors_and_shards(function):
    x = jnp.linspace(0.5, 90, 8)
    assert jax.vmap(lambda each: function(KEY, each))(x).shape == (8,)
    spec = PartitionSpec("x")
    mesh = jax.make_mesh((1,), ("x",))
    placed = jax.device_put(x, jax.NamedSharding(mesh, spec))
    with jax.set_mesh(mesh):
        sharded = jax.shard_map(lambda x: function(KEY, x), in_specs=spec, out_specs=spec)
        np.testing.assert_array_equal(jax.jit(sharded)(placed), jax.jit(function)(KEY, x))


def test_no_gradient_passes_through_a_draw():
    x = jnp.linspace(0.5, 90, 8)
    for draw in (rejection.gamma, rejection.log_gamma, rejection.poisson):
        assert not jax.grad(lambda x, draw=draw: draw(KEY, x).sum())(x).any()
    chance = jnp.linspace(0.1, 0.9, 8)
    assert not jax.grad(lambda chance: rejection.binomial(KEY, x * 9, chance).sum())(chance).any()

    def followed(x):
        return implicit_gamma.followed(x, rejection.log_gamma(KEY, x)).sum()

    drawn = rejection.log_gamma(KEY, x)
    np.testing.assert_allclose(jax.grad(followed)(x), implicit_gamma.slope(x, drawn), 1e-12)


@pytest.mark.parametrize("dtype", every(2, ["float32", "bfloat16", "float16", "float64"]))
def test_the_ops_return_their_operands_dtype(dtype):
    x = paddle.to_tensor([[0.0, 2.0, 90.0]], dtype=dtype)
    for op in (paddle.poisson, paddle.standard_gamma):
        found = op(x)
        assert (found.shape, found.dtype) == (x.shape, x.dtype)
        assert found[0, 0] == 0
        assert (found[0, 1:] >= 0).all()
