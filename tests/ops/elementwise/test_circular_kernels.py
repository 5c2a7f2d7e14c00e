"""Sine, cosine, tangent and their inverses by polynomials: Note [Circular functions on a CPU]."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.elementwise import circular_kernels

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu", reason="other devices have their own functions"
)

OF_ANGLES = {"sin": np.sin, "cos": np.cos, "tan": np.tan}
INVERSES = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}
SIZE = 3 * circular_kernels.SMALLEST_SIZE


def errors_in_ulps(found, want):
    """Return the distances of float32 numbers to float64 ones, in the last place of these."""
    place = np.spacing(np.abs(want).astype("float32")).astype("float64")
    return np.abs(found.astype("float64") - want) / place


def angles():
    """Return angles of all sizes that are reduced, also those nearest to quarter turns."""
    random = np.random.default_rng(0)
    near = np.arange(1, SIZE) * (np.pi / 2)
    tiny = 10.0 ** random.uniform(-37, 0, SIZE)
    return [random.uniform(-size, size, SIZE) for size in (1, 10, 1e3, 9e5)] + [near, tiny]


@pytest.mark.parametrize("name", OF_ANGLES)
def test_functions_of_angles_are_rounded_once(name):
    for each in angles():
        x = each.astype("float32")
        want = OF_ANGLES[name](x.astype("float64"))
        assert errors_in_ulps(getattr(paddle, name)(paddle.to_tensor(x)).numpy(), want).max() < 0.51


@pytest.mark.parametrize("name", INVERSES)
@pytest.mark.parametrize("size", [50, SIZE])
def test_inverses_are_rounded_once(name, size):
    random = np.random.default_rng(1)
    near_1 = 1 - 10.0 ** random.uniform(-7, 0, size)
    tiny = 10.0 ** random.uniform(-37, 0, size)
    large = [10.0 ** random.uniform(0, 30, size)] if name == "atan" else []
    for each in [random.uniform(-1, 1, size), near_1, -near_1, tiny, *large]:
        x = each.astype("float32")
        want = INVERSES[name](x.astype("float64"))
        assert errors_in_ulps(getattr(paddle, name)(paddle.to_tensor(x)).numpy(), want).max() < 0.51


@pytest.mark.parametrize("name", [*OF_ANGLES, *INVERSES])
def test_zeros_infinities_and_large_angles(name):
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, 1e7, -3e38]
    x = np.array(special * (SIZE // 10), "float32")
    with np.errstate(invalid="ignore"):
        want = (OF_ANGLES | INVERSES)[name](x.astype("float64"))
    found = getattr(paddle, name)(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(found, want, rtol=2e-7, atol=0)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(want[numbers]))


@pytest.mark.parametrize("name", [*OF_ANGLES, *INVERSES])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_are_rounded_once(name, dtype):
    """But for a tie of float16, which XLA rounds to float32 first."""
    x = jnp.asarray(np.random.default_rng(2).uniform(0.1, 0.9, SIZE), dtype)
    want = (OF_ANGLES | INVERSES)[name](np.asarray(x, "float64"))
    found = np.asarray(getattr(paddle, name)(paddle.Tensor(x))._array, "float32")
    places_less = 13 if dtype == "float16" else 16
    assert errors_in_ulps(found, want).max() < 0.501 * 2**places_less


@pytest.mark.parametrize("name", [*OF_ANGLES, *INVERSES])
def test_derivatives_of_two_orders(name):
    """The rows' gradients, and those of JAX through the kernels, which ``to_jax`` uses."""
    values = np.random.default_rng(3).uniform(-0.9, 0.9, SIZE).astype("float32")
    slopes = {
        "sin": (np.cos, lambda x: -np.sin(x)),
        "cos": (lambda x: -np.sin(x), lambda x: -np.cos(x)),
        "tan": (lambda x: 1 + np.tan(x) ** 2, lambda x: 2 * np.tan(x) * (1 + np.tan(x) ** 2)),
        "asin": (lambda x: (1 - x * x) ** -0.5, lambda x: x * (1 - x * x) ** -1.5),
        "acos": (lambda x: -((1 - x * x) ** -0.5), lambda x: -x * (1 - x * x) ** -1.5),
        "atan": (lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2),
    }
    first, second = [slope(values.astype("float64")) for slope in slopes[name]]
    x = paddle.to_tensor(values, stop_gradient=False)
    (grad,) = paddle.grad(getattr(paddle, name)(x).sum(), [x], create_graph=True)
    np.testing.assert_allclose(grad.numpy(), first, rtol=1e-5, atol=1e-6)
    (grad,) = paddle.grad(grad.sum(), [x])
    np.testing.assert_allclose(grad.numpy(), second, rtol=1e-5, atol=1e-6)

    kernel = getattr(circular_kernels, name)
    slope = jax.grad(lambda x: kernel(x).sum())
    np.testing.assert_allclose(slope(values), first, rtol=1e-5, atol=1e-6)
    curvature = jax.grad(lambda x: slope(x).sum())
    np.testing.assert_allclose(curvature(values), second, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [*OF_ANGLES, *INVERSES])
def test_batched_and_empty_arrays(name):
    kernel = getattr(circular_kernels, name)
    x = np.random.default_rng(4).uniform(-1, 1, (2, SIZE)).astype("float32")
    want = (OF_ANGLES | INVERSES)[name](x.astype("float64"))
    np.testing.assert_allclose(jax.vmap(kernel)(x), want, rtol=1e-6)
    assert getattr(paddle, name)(paddle.zeros([0, 3])).shape == [0, 3]
    z = np.array([0.3 + 0.4j, -0.2j], "complex64")
    want = (OF_ANGLES | INVERSES)[name](z)
    np.testing.assert_allclose(getattr(paddle, name)(paddle.to_tensor(z)).numpy(), want, rtol=1e-5)


def test_rsqrt_is_a_quotient():
    x = np.random.default_rng(5).uniform(0.01, 100, 100_000).astype("float32")
    found = paddle.rsqrt(paddle.to_tensor(x)).numpy()
    assert errors_in_ulps(found, 1 / np.sqrt(x.astype("float64"))).max() < 1.5
    np.testing.assert_array_equal(found, 1 / np.sqrt(x))
    special = paddle.rsqrt(paddle.to_tensor([0.0, np.inf, -1.0, 1e-40])).numpy()
    np.testing.assert_allclose(special[:2], [np.inf, 0])
    assert np.isnan(special[2])
