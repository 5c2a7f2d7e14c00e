"""Draws from the gamma distribution with gradients of the shape, by implicit differentiation.

Note [Implicit gamma draws]
A draw g of shape a has F(g; a) = u for a fixed uniform draw u, so dg/da = -(dF/da) / (dF/dg). Here
everything is in terms of l = log g, which is never rounded to 0; L is its derivative by a.

- ``jax.lax.random_gamma_grad`` computes L(a, l); below g = epsilon, where F is its first term g^a /
  Gamma(a + 1), L is (digamma(a + 1) - l) / a.
- The derivative of L by l follows from the density alone: digamma(a) - l - L (a - g).
- The derivative of L by a has no closed form. It is computed as a difference of four values in
  float64, accurate to ten digits.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import digamma

from jaxeager.arrays.random import as_key, next_key
from jaxeager.kernels.tracing import jit
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.random import rejection
from jaxeager.ops.register import op
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import Sample, values

STEP = 1e-3  # of the difference, relative to a; the error is of fourth order in it


@jax.custom_jvp
def slope(a, drawn) -> jax.Array:
    """Return L, the derivative of the logarithm of a gamma draw by its shape."""
    g = jnp.exp(drawn)
    tiny = g < jnp.finfo(g.dtype).eps
    of_gamma: Any = jax.lax.random_gamma_grad  # it has the type of the function it wraps
    ordinary = of_gamma(a, jnp.where(tiny, 1, g)) / jnp.where(tiny, 1, g)
    return jnp.where(tiny, (digamma(a + 1) - drawn) / a, ordinary)


@slope.defjvp
def _slope_jvp(primals, tangents):
    (a, drawn), (da, ddrawn) = primals, tangents
    out = slope(a, drawn)
    by_drawn = digamma(a) - drawn - out * (a - jnp.exp(drawn))
    return out, slope_by_shape(a, drawn) * da + by_drawn * ddrawn


def slope_by_shape(a, drawn):
    """Return the derivative of L by a: a central difference in float64."""
    wide, at = a.astype(np.float64), drawn.astype(np.float64)
    step = STEP * wide
    near = slope(wide + step, at) - slope(wide - step, at)
    far = slope(wide + 2 * step, at) - slope(wide - 2 * step, at)
    return ((8 * near - far) / (12 * step)).astype(a.dtype)


@jax.custom_jvp
def followed(a, drawn):
    """Return drawn, the logarithm of a gamma draw, as a function of its shape a."""
    return jnp.broadcast_to(drawn, a.shape) + 0


@followed.defjvp
def _followed_jvp(primals, tangents):
    (a, drawn), (da, _) = primals, tangents
    out = followed(a, drawn)
    return out, slope(a, out) * da


@real_only
@in_float32
def implicit_gamma_forward(x, drawn):
    """Return drawn, the logarithm of a gamma draw of shape x."""
    return followed(x, drawn)


@in_float32
def implicit_gamma_vjp(x, out, dout):
    """Multiply the gradient by the derivative of the draw by its shape."""
    return dout * slope(x, out)


def implicit_gamma_samples():
    """Yield draws of small, middle and large shapes, 0-D and zero-size."""
    yield Sample(values((2, 3), 0.5, 4.0), np.log(values((2, 3), 0.2, 3.0)))
    yield Sample(np.array([0.1, 0.02, 30.0]), np.array([-9.0, -60.0, 3.3]))
    yield Sample(np.array(1.5), np.array(0.25))
    yield Sample(np.zeros((0, 3)), np.zeros((0, 3)))


_implicit_gamma = op(
    "implicit_gamma",
    implicit_gamma_forward,
    vjp=implicit_gamma_vjp,
    saves="x out",
    nondiff="drawn",
    public=None,
    reference=lambda x, drawn: np.broadcast_to(drawn, x.shape),
    samples=implicit_gamma_samples,
    formula="dx = dout * d(log g)/dx, where the share of draws below g stays the same",
    doc="Give logarithms of gamma draws a gradient to their shapes; used by Gamma.rsample.",
    example="paddle.distribution.Gamma(2.0, 1.0).rsample([2])",
)


@partial(jit, static_argnums=2)
def _log_gamma(key, x, dtype):
    wide = np.dtype("float32") if dtype.itemsize < 4 else dtype
    return rejection.log_gamma(as_key(key), x.astype(wide)).astype(dtype)


def log_gamma_draws(x):
    """Return the logarithm of a gamma draw of rate 1 for each element, with gradients to ``x``.

    Args:
        x: floating tensor of positive shapes; they are not checked.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.ops.random.implicit_gamma import log_gamma_draws
        >>> x = paddle.ones([3], dtype="float64")
        >>> x.stop_gradient = False
        >>> log_gamma_draws(x).grad_fn.name()
        'ImplicitGammaGradNode'
    """
    array = raw(x)
    return _implicit_gamma(x, wrap(_log_gamma(next_key(), array, array.dtype)))
