"""Trigonometric and hyperbolic functions and their inverses; complex arguments too."""

import math

import jax
import jax.numpy as jnp

from jaxeager.ops.elementwise import circular_kernels
from jaxeager.ops.elementwise.unary import log1p_forward, unary_row
from jaxeager.ops.rules.samples import unary


def sin_vjp(x, dout):
    """Multiply the gradient by the cosine."""
    return dout * jnp.conj(circular_kernels.cos(x))


def cos_vjp(x, dout):
    """Multiply the gradient by minus the sine."""
    return -dout * jnp.conj(circular_kernels.sin(x))


def tan_vjp(x, dout):
    """Multiply the gradient by 1 + tan^2."""
    out = jnp.conj(circular_kernels.tan(x))
    return dout * (1 + out * out)


def asin_vjp(x, dout):
    """Multiply the gradient by 1 / sqrt(1 - x^2)."""
    x = jnp.conj(x)
    return dout / jnp.sqrt(1 - x * x)


def acos_vjp(x, dout):
    """Multiply the gradient by -1 / sqrt(1 - x^2)."""
    return -asin_vjp(x, dout)


def atan_vjp(x, dout):
    """Multiply the gradient by 1 / (1 + x^2)."""
    x = jnp.conj(x)
    return dout / (1 + x * x)


def _exponential(x):
    """Return exp of |x|, and a factor; only the product of both may overflow.

    XLA's sinh and cosh compute exp(x + log(1/2)), whose argument is rounded.
    """
    size = jnp.abs(x)
    is_large = size > math.log(float(jnp.finfo(x.dtype).max)) - 1
    root = jnp.where(is_large, 0.5 * size, 0)
    return jnp.exp(jnp.where(is_large, root, size)), jnp.where(is_large, jnp.exp(root), 1)


@jax.custom_jvp
def sinh_forward(x):
    """Compute (exp(x) - exp(-x)) / 2, of real x up to 1 by its series."""
    if jnp.iscomplexobj(x):
        return jnp.sinh(x)
    growth, factor = _exponential(x)
    far = jnp.copysign(0.5 * (growth - 1 / growth) * factor, x)
    square = jnp.where(jnp.abs(x) < 1, x * x, 0)
    count = 6 if x.dtype.itemsize == 4 else 10
    series = jnp.zeros_like(x)
    for k in range(count, 0, -1):
        series = series * square + 1 / math.factorial(2 * k + 1)
    return jnp.where(jnp.abs(x) < 1, x + x * (square * series), far)


@jax.custom_jvp
def cosh_forward(x):
    """Compute (exp(x) + exp(-x)) / 2."""
    if jnp.iscomplexobj(x):
        return jnp.cosh(x)
    growth, factor = _exponential(x)
    return 0.5 * (growth + 1 / growth) * factor


sinh_forward.defjvps(lambda step, out, x: step * cosh_forward(x))
cosh_forward.defjvps(lambda step, out, x: step * sinh_forward(x))


def atanh_forward(x):
    """Compute half of log((1 + x) / (1 - x))."""
    return jnp.arctanh(x) if jnp.iscomplexobj(x) else 0.5 * (log1p_forward(x) - log1p_forward(-x))


def sinh_vjp(x, dout):
    """Multiply the gradient by the hyperbolic cosine."""
    return dout * jnp.conj(cosh_forward(x))


def cosh_vjp(x, dout):
    """Multiply the gradient by the hyperbolic sine."""
    return dout * jnp.conj(sinh_forward(x))


def tanh_vjp(out, dout):
    """Multiply the gradient by 1 - out^2."""
    out = jnp.conj(out)
    return dout * (1 - out * out)


def asinh_vjp(x, dout):
    """Multiply the gradient by 1 / sqrt(x^2 + 1)."""
    x = jnp.conj(x)
    return dout / jnp.sqrt(x * x + 1)


def acosh_vjp(x, dout):
    """Multiply the gradient by 1 / sqrt(x^2 - 1), on the branch where x is positive."""
    x = jnp.conj(x)
    return dout / (jnp.sqrt(x - 1) * jnp.sqrt(x + 1))


def atanh_vjp(x, dout):
    """Multiply the gradient by 1 / (1 - x^2)."""
    x = jnp.conj(x)
    return dout / (1 - x * x)


sin = unary_row(
    "sin",
    circular_kernels.sin,
    sin_vjp,
    "x",
    "numpy.sin",
    "dx = dout * conj(cos(x))",
    "Compute the sine of each element.",
)
cos = unary_row(
    "cos",
    circular_kernels.cos,
    cos_vjp,
    "x",
    "numpy.cos",
    "dx = -dout * conj(sin(x))",
    "Compute the cosine of each element.",
)
tan = unary_row(
    "tan",
    circular_kernels.tan,
    tan_vjp,
    "x",
    "numpy.tan",
    "dx = dout * (1 + conj(tan(x))^2)",
    "Compute the tangent of each element.",
    samples=unary(-1.2, 1.2),
)
asin = unary_row(
    "asin",
    circular_kernels.asin,
    asin_vjp,
    "x",
    "numpy.arcsin",
    "dx = dout / sqrt(1 - conj(x)^2)",
    "Compute the angle in [-pi/2, pi/2] of each sine.",
    samples=unary(-0.8, 0.8),
    boundary="inf at -1 and 1, as in Paddle.",
)
acos = unary_row(
    "acos",
    circular_kernels.acos,
    acos_vjp,
    "x",
    "numpy.arccos",
    "dx = -dout / sqrt(1 - conj(x)^2)",
    "Compute the angle in [0, pi] of each cosine.",
    samples=unary(-0.8, 0.8),
    boundary="-inf at -1 and 1, as in Paddle.",
)
atan = unary_row(
    "atan",
    circular_kernels.atan,
    atan_vjp,
    "x",
    "numpy.arctan",
    "dx = dout / (1 + conj(x)^2)",
    "Compute the angle in (-pi/2, pi/2) of each tangent.",
)
sinh = unary_row(
    "sinh",
    sinh_forward,
    sinh_vjp,
    "x",
    "numpy.sinh",
    "dx = dout * conj(cosh(x))",
    "Compute the hyperbolic sine of each element.",
)
cosh = unary_row(
    "cosh",
    cosh_forward,
    cosh_vjp,
    "x",
    "numpy.cosh",
    "dx = dout * conj(sinh(x))",
    "Compute the hyperbolic cosine of each element.",
)
tanh = unary_row(
    "tanh",
    jnp.tanh,
    tanh_vjp,
    "out",
    "numpy.tanh",
    "dx = dout * (1 - conj(out)^2)",
    "Compute the hyperbolic tangent of each element.",
    public="both",
)
asinh = unary_row(
    "asinh",
    jnp.arcsinh,
    asinh_vjp,
    "x",
    "numpy.arcsinh",
    "dx = dout / sqrt(conj(x)^2 + 1)",
    "Compute the inverse hyperbolic sine of each element.",
)
acosh = unary_row(
    "acosh",
    jnp.arccosh,
    acosh_vjp,
    "x",
    "numpy.arccosh",
    "dx = dout / sqrt(conj(x)^2 - 1)",
    "Compute the inverse hyperbolic cosine of each element.",
    samples=unary(1.5, 4.0),
    example="paddle.acosh(paddle.to_tensor([1.5, 2.0]))",
    boundary="inf at 1, as in Paddle.",
)
atanh = unary_row(
    "atanh",
    atanh_forward,
    atanh_vjp,
    "x",
    "numpy.arctanh",
    "dx = dout / (1 - conj(x)^2)",
    "Compute the inverse hyperbolic tangent of each element.",
    samples=unary(-0.8, 0.8),
    boundary="inf at -1 and 1, as in Paddle.",
)
