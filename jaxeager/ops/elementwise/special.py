"""Special functions: error, gamma and Bessel functions and their relatives, and sinc."""

import math
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.ops.call.dispatch import promote_to_float, raw
from jaxeager.ops.creation.creation import from_numpy
from jaxeager.ops.elementwise import (
    bessel_kernels,
    circular_kernels,
    erfinv_kernel,
    gamma_kernels,
    incomplete_gamma,
    scaling,
)
from jaxeager.ops.elementwise.composite_functions import write_result
from jaxeager.ops.elementwise.math import add, binary_errors
from jaxeager.ops.elementwise.unary import REAL, unary_row
from jaxeager.ops.reductions.reduction import sum as sum_over
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import as_int
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, binary, unary, values
from jaxeager.ops.shape.manipulation import unsqueeze

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# ---- error and gamma functions


def erf_vjp(x, dout):
    """Multiply the gradient by the bell curve, 2 exp(-x^2) / sqrt(pi)."""
    return dout * jnp.exp(-x * x) * float(2.0 / np.sqrt(np.pi))


def erfinv_vjp(out, dout):
    """Divide the gradient by erf's derivative at out."""
    return dout * jnp.exp(out * out) * float(np.sqrt(np.pi) / 2.0)


def lgamma_vjp(x, dout):
    """Multiply the gradient by digamma."""
    return dout * gamma_kernels.digamma(x)


def digamma_vjp(x, dout):
    """Multiply the gradient by the first polygamma function."""
    return dout * gamma_kernels.polygamma(x, 1)


erf = unary_row(
    "erf",
    special.erf,
    erf_vjp,
    "x",
    "scipy.special.erf",
    "dx = dout * 2 / sqrt(pi) * exp(-x^2)",
    "Compute the error function of each element.",
    dtypes=REAL,
)
erfinv = unary_row(
    "erfinv",
    erfinv_kernel.erfinv,
    erfinv_vjp,
    "out",
    "scipy.special.erfinv",
    "dx = dout * sqrt(pi) / 2 * exp(out^2)",
    "Compute the inverse of the error function of each element.",
    dtypes=REAL,
    samples=unary(-0.9, 0.9),
    boundary="inf at -1 and 1, as in Paddle.",
)
lgamma = unary_row(
    "lgamma",
    gamma_kernels.log_gamma,
    lgamma_vjp,
    "x",
    "scipy.special.gammaln",
    "dx = dout * digamma(x)",
    "Compute the logarithm of the absolute value of the gamma function.",
    boundary="-inf at 0, nan at negative integers, as in Paddle.",
    dtypes=REAL,
    samples=unary(0.4, 4.0),
)
digamma = unary_row(
    "digamma",
    gamma_kernels.digamma,
    digamma_vjp,
    "x",
    "scipy.special.digamma",
    "dx = dout * polygamma(x, 1)",
    "Compute the derivative of the logarithm of the gamma function.",
    boundary="inf at 0 and at negative integers, as in Paddle.",
    dtypes=REAL,
    samples=unary(0.4, 4.0),
)

# ---- modified Bessel functions of the first kind


def i0_vjp(x, dout):
    """Multiply the gradient by i1."""
    return dout * bessel_kernels.i1(x)


def i0e_vjp(x, out, dout):
    """Multiply the gradient by i1e(x) - sign(x) out."""
    return dout * (bessel_kernels.i1e(x) - jnp.sign(x) * out)


def i1_vjp(x, out, dout):
    """Multiply the gradient by i0(x) - out / x, which is 1/2 at 0."""
    return dout * (bessel_kernels.i0(x) - bessel_kernels.over(out, x))


def i1e_vjp(x, out, dout):
    """Multiply the gradient by i0e(x) - sign(x) out - out / x, which is 1/2 at 0."""
    slope = bessel_kernels.i0e(x) - jnp.sign(x) * out - bessel_kernels.over(out, x)
    return dout * slope


def _bessel(name: str, forward, vjp, saves: str, formula: str, what: str, **fields):
    return unary_row(
        name,
        forward,
        vjp,
        saves,
        f"scipy.special.{name}",
        formula,
        f"Compute the {what} of each element.",
        dtypes=REAL,
        **fields,
    )


_ORDER = "modified Bessel function of the first kind of order"
i0 = _bessel("i0", real_only(bessel_kernels.i0), i0_vjp, "x", "dx = dout * i1(x)", f"{_ORDER} 0")
i1 = _bessel(
    "i1",
    real_only(bessel_kernels.i1),
    i1_vjp,
    "x out",
    "dx = dout * (i0(x) - out / x), dout / 2 at 0",
    f"{_ORDER} 1",
    inplace=False,
)
i0e = _bessel(
    "i0e",
    real_only(bessel_kernels.i0e),
    i0e_vjp,
    "x out",
    "dx = dout * (i1e(x) - sign(x) * out)",
    f"{_ORDER} 0, times exp(-|x|),",
    boundary="0 at 0, the mean of the one-sided slopes (Paddle: -1).",
    inplace=False,
)
i1e = _bessel(
    "i1e",
    real_only(bessel_kernels.i1e),
    i1e_vjp,
    "x out",
    "dx = dout * (i0e(x) - sign(x) * out - out / x), dout / 2 at 0",
    f"{_ORDER} 1, times exp(-|x|),",
    inplace=False,
)

# ---- the gamma function

gammaln = unary_row(
    "gammaln",
    real_only(gamma_kernels.log_gamma),
    lgamma_vjp,
    "x",
    "scipy.special.gammaln",
    "dx = dout * digamma(x)",
    "Compute the logarithm of the absolute value of the gamma function of each element.",
    boundary="-inf at 0, nan at negative integers, as in Paddle.",
    dtypes=REAL,
    samples=unary(0.4, 4.0),
)


def polygamma_forward(x, *, n: int):
    """Compute the n-th derivative of digamma; infinite at 0, -1, -2, ..."""
    if n < 0:
        raise ValueError(f"n must be 0 or more, but received {n}.")
    if n == 0:
        return gamma_kernels.digamma(x)
    return gamma_kernels.polygamma(x, n)


def polygamma_vjp(x, dout, *, n):
    """Multiply the gradient by the next derivative."""
    return dout * polygamma_forward(x, n=n + 1)


def polygamma_reference(x, n):
    """Compute SciPy's polygamma, which takes the arguments in reverse order."""
    from scipy.special import polygamma

    return polygamma(n, x)


def polygamma_samples():
    """Yield several orders, negative elements, 0-D and zero-size."""
    yield Sample(values((2, 3), 0.4, 4.0), n=1)
    yield Sample(values((2, 3), 0.4, 4.0), n=2)
    yield Sample(np.array([-0.5, -1.3]), n=3)
    yield Sample(values((), 0.4, 4.0), n=1)
    yield Sample(values((0, 3)), n=1)


def polygamma_errors():
    """Yield a negative order, and an operand that is not a tensor."""
    yield BadInput((np.ones(2), -1), {}, InvalidArgumentError, "must be 0 or more, but received -1")
    yield BadInput(("a", 1), {}, InvalidTypeError, "must be Tensor, but got str")


_polygamma = op(
    "polygamma",
    in_float32(real_only(polygamma_forward)),
    vjp=in_float32(polygamma_vjp),
    saves="x",
    promote="float",
    inplace=True,
    public=None,
    reference=polygamma_reference,
    samples=polygamma_samples,
    errors=polygamma_errors,
    formula="dx = dout * polygamma(x, n + 1)",
    boundary="infinite at the poles 0, -1, -2, ..., as the function itself.",
    doc="Compute the n-th derivative of digamma of each element.",
)


def _order(n) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise InvalidTypeError(
            f"polygamma(): the order n must be int, but received {n!r} ({type(n).__name__})."
        )
    if n < 0:
        raise InvalidArgumentError(f"polygamma(): n must be 0 or more, but received {n}.")
    return int(n)


@composite()
def polygamma(x: "Tensor", n: int, name: str | None = None) -> "Tensor":
    """Return the ``n``-th derivative of digamma, element by element.

    Args:
        x: floating tensor of any shape; integers are computed in the default floating dtype.
        n: the order, an int of 0 or more; 0 is ``digamma``.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidTypeError: when ``n`` is not an int.
        InvalidArgumentError: when ``n`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.polygamma(paddle.to_tensor(1.0), 1).item(), 4)
        1.6449
    """
    return digamma(x) if _order(n) == 0 else _polygamma(x, n)


@composite()
def polygamma_(x: "Tensor", n: int, name: str | None = None) -> "Tensor":
    """Write the ``n``-th derivative of digamma into ``x`` and return it; see ``polygamma``.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.to_tensor([1.0]).polygamma_(1).item(), 4)
        1.6449
    """
    if _order(n) == 0:
        return ROWS["digamma"].inplace_function(x)
    return ROWS["polygamma"].inplace_function(x, n)


def _log_multigamma(x, p):
    order = as_int(p, "p") if not isinstance(p, float) or p != int(p) else int(p)
    if order < 1:
        raise RefusedArgumentError(f"multigammaln(): p must be 1 or more, but received {p}.")
    x = promote_to_float(x)
    steps = from_numpy((-0.5 * np.arange(order)).astype(raw(x).dtype))
    terms = lgamma(add(unsqueeze(x, -1), steps))
    constant = 0.25 * order * (order - 1) * float(np.log(np.pi))
    return scaling.scale(sum_over(terms, -1), None, constant)


@composite()
def multigammaln(x: "Tensor", p: int, name: str | None = None) -> "Tensor":
    """Return the logarithm of the multivariate gamma function of dimension ``p``.

    Args:
        x: floating tensor of any shape, above ``(p - 1) / 2``.
        p: the dimension, an int of 1 or more.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: when ``p`` is below 1.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.multigammaln(paddle.to_tensor(2.0), 2).item(), 4)
        0.4516
    """
    return _log_multigamma(x, p)


@composite()
def multigammaln_(x: "Tensor", p: int, name: str | None = None) -> "Tensor":
    """Write the logarithm of the multivariate gamma function into ``x``; see ``multigammaln``.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.to_tensor([2.0]).multigammaln_(2).item(), 4)
        0.4516
    """
    return write_result(x, lambda old: _log_multigamma(old, p))


# ---- incomplete gamma functions


@real_only
def gammainc_forward(x, y):
    """Compute the regularized lower function."""
    return incomplete_gamma.lower(x, y)


@real_only
def gammaincc_forward(x, y):
    """Compute the regularized upper function."""
    return incomplete_gamma.upper(x, y)


def gammainc_vjp(x, y, dout):
    """Multiply the gradient, of y alone, by the density of the gamma distribution."""
    return dout * incomplete_gamma.slope(x, y)


def gammaincc_vjp(x, y, dout):
    """Multiply the gradient, of y alone, by minus the density of the gamma distribution."""
    return -gammainc_vjp(x, y, dout)


def _incomplete(name: str, forward, vjp, sign: str, which: str):
    return op(
        name,
        in_float32(forward),
        vjp=in_float32(vjp),
        saves="x y",
        nondiff="x",
        promote="strict",
        broadcast=True,
        inplace=True,
        reference=f"scipy.special.{name}",
        samples=binary(0.4, 5.0),
        errors=binary_errors,
        formula=f"dy = {sign}dout * y^(x - 1) * exp(-y) / gamma(x)",
        boundary="at y = 0: 0 for x > 1, infinite for x < 1.",
        doc=f"Compute the regularized {which} incomplete gamma function of x at y, nan where one "
        "of them is negative (Paddle raises then, for which it waits for the device); x gets no "
        "gradient, as in Paddle.",
        example=f"paddle.{name}(paddle.to_tensor([2.0]), paddle.to_tensor([1.0]))",
    )


gammainc = _incomplete("gammainc", gammainc_forward, gammainc_vjp, "", "lower")
gammaincc = _incomplete("gammaincc", gammaincc_forward, gammaincc_vjp, "-", "upper")

# ---- sinc

# The derivative of sin(z) / z is sum of _SLOPES[k] * z^(2 k + 1).
_SLOPES = [(-1) ** k * 2 * k / math.factorial(2 * k + 1) for k in range(1, 10)]


def _half_turn(x):
    """Return an angle, within a quarter turn, whose sine is that of pi x; no digits are lost."""
    rest = x - 2 * jnp.round(x.real / 2)
    return np.pi * jnp.where(jnp.abs(rest.real) > 0.5, jnp.sign(rest.real) - rest, rest)


@jax.custom_jvp
def sinc_forward(x):
    """Compute sin(pi x) / (pi x), 1 at 0."""
    at_zero = x == 0
    return jnp.where(
        at_zero, 1, circular_kernels.sin(_half_turn(x)) / (np.pi * jnp.where(at_zero, 1, x))
    )


def _sinc_slope(x):
    """Compute (cos(pi x) - sinc(x)) / x, or its series near 0, where that cancels."""
    z = np.pi * x
    square = z * z
    near = jnp.abs(z) < 0.5
    series = jnp.zeros_like(z)
    for slope in reversed(_SLOPES):
        series = series * square + slope
    far = jnp.where(near, 1, x)
    turn = np.pi * (far - 2 * jnp.round(far.real / 2))
    return jnp.where(
        near, np.pi * series * z, (circular_kernels.cos(turn) - sinc_forward(far)) / far
    )


sinc_forward.defjvps(lambda step, out, x: step * _sinc_slope(x))


def sinc_vjp(x, dout):
    """Multiply the gradient by the slope."""
    return dout * jnp.conj(_sinc_slope(x)).astype(dout.dtype)


def sinc_samples():
    """Yield elements near 0 and far from it, 0 itself, 0-D and zero-size."""
    yield Sample(values((2, 3)))
    yield Sample(np.array([0.0, 1e-3, -0.1, 0.15, 0.17]))
    yield Sample(values(()))
    yield Sample(values((0, 3)))


sinc = unary_row(
    "sinc",
    sinc_forward,
    sinc_vjp,
    "x",
    "numpy.sinc",
    "dx = dout * conj((cos(pi * x) - out) / x), 0 at 0",
    "Compute sin(pi x) / (pi x) of each element; one op here, several in Paddle.",
    samples=sinc_samples,
)
