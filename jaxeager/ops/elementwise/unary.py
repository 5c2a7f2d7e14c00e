"""Elementwise functions of one tensor: roots, exponentials, logarithms, rounding, special ones.

Trigonometric and hyperbolic ones are in trigonometry.py.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidTypeError
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import OptionalFloat
from jaxeager.ops.rules.precision import (
    copy_of,
    in_float32,
    quotient,
    unless_integer,
    wide_dtype,
)
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, unary, values

REAL = "float32 float64 bfloat16"


def unary_errors():
    """Yield an operand that is not a tensor."""
    yield BadInput(("a",), {}, InvalidTypeError, "must be Tensor, but got str")


def unary_row(name: str, forward, vjp, saves: str, reference, formula: str, doc: str, **fields):
    """Register an op of one tensor that computes in floats and has an in-place twin."""
    fields.setdefault("promote", "float")
    fields.setdefault("samples", unary())
    fields.setdefault("dtypes", WITH_COMPLEX)
    fields.setdefault("inplace", True)
    fields.setdefault("example", f"paddle.{name}(paddle.to_tensor([0.25, 0.5]))")
    return op(
        name,
        in_float32(forward),
        vjp=in_float32(vjp),
        saves=saves,
        reference=reference,
        formula=formula,
        doc=doc,
        errors=unary_errors,
        **fields,
    )


def zero_vjp(dout):
    """Return 0: the function is constant between its steps."""
    return jnp.zeros_like(dout)


# ---- absolute value, roots, powers


def abs_forward(x):
    """Compute the absolute value, which is real for complex numbers."""
    return jnp.abs(x)


def abs_vjp(x, dout):
    """Multiply the gradient by x / |x|; 0 at 0."""
    if not jnp.iscomplexobj(x):
        return dout * jnp.sign(x)
    at_zero = x == 0
    nonzero = jnp.where(at_zero, 1, x)
    return jnp.where(at_zero, 0, dout * nonzero / jnp.abs(nonzero))


abs = unary_row(
    "abs",
    abs_forward,
    abs_vjp,
    "x",
    "numpy.abs",
    "dx = dout * x / |x|, 0 at 0",
    "Compute the absolute value of each element.",
    promote=None,
    example="paddle.abs(paddle.to_tensor([-1.0, 2.0]))",
    boundary="0 at 0, as in Paddle (JAX: 1).",
)


def square_forward(x):
    """Square each element."""
    return x * x


def square_vjp(x, dout):
    """Multiply the gradient by 2 x."""
    return 2 * dout * jnp.conj(x)


square = unary_row(
    "square",
    square_forward,
    square_vjp,
    "x",
    "numpy.square",
    "dx = 2 * dout * conj(x)",
    "Square each element.",
    promote=None,
)


def sqrt_vjp(out, dout):
    """Multiply the gradient by 1 / (2 sqrt(x)), which is infinite at 0."""
    return 0.5 * dout / jnp.conj(out)


sqrt = unary_row(
    "sqrt",
    jnp.sqrt,
    sqrt_vjp,
    "out",
    "numpy.sqrt",
    "dx = dout / (2 * conj(out))",
    "Compute the square root of each element.",
    samples=unary(0.3, 4.0),
    boundary="inf at 0, nan below, as in Paddle.",
)


def rsqrt_forward(x):
    """Compute 1 / sqrt(x).

    XLA's own is an exponential of a logarithm on a CPU, which takes four times as long, and makes
    it of a quotient that it can see.
    """
    if jnp.iscomplexobj(x):
        return lax.rsqrt(x)
    return lax.platform_dependent(
        x, cpu=lambda x: 1 / lax.optimization_barrier(jnp.sqrt(x)), default=lax.rsqrt
    )


def rsqrt_vjp(out, dout):
    """Multiply the gradient by -out^3 / 2."""
    return -0.5 * dout * jnp.conj(out * out * out)


def rsqrt_reference(x):
    """Compute the plain formula."""
    return 1.0 / np.sqrt(x)


rsqrt = unary_row(
    "rsqrt",
    rsqrt_forward,
    rsqrt_vjp,
    "out",
    rsqrt_reference,
    "dx = -dout * conj(out^3) / 2",
    "Compute the reciprocal square root of each element.",
    samples=unary(0.3, 4.0),
    boundary="-inf at 0, nan below, as in Paddle.",
)


def reciprocal_forward(x):
    """Compute 1 / x."""
    return 1 / x


def reciprocal_vjp(out, dout):
    """Multiply the gradient by -out^2."""
    return -dout * jnp.conj(out * out)


reciprocal = unary_row(
    "reciprocal",
    reciprocal_forward,
    reciprocal_vjp,
    "out",
    "numpy.reciprocal",
    "dx = -dout * conj(out^2)",
    "Compute 1 / x of each element.",
    samples=unary(0.4, 3.0),
    boundary="-inf at 0, as in Paddle.",
)

# ---- exponentials and logarithms


def exp_vjp(out, dout):
    """Multiply the gradient by the exponential itself."""
    return dout * jnp.conj(out)


def expm1_vjp(out, dout):
    """Multiply the gradient by the exponential, out + 1."""
    return dout * (jnp.conj(out) + 1)


def log_vjp(x, dout):
    """Multiply the gradient by 1 / x."""
    return dout / jnp.conj(x)


def log2_vjp(x, dout):
    """Multiply the gradient by 1 / (x ln 2)."""
    return dout / (jnp.conj(x) * float(np.log(2.0)))


def log10_vjp(x, dout):
    """Multiply the gradient by 1 / (x ln 10)."""
    return dout / (jnp.conj(x) * float(np.log(10.0)))


def log1p_forward(x):
    """Compute log(1 + x); in float64 XLA uses a rational function below its range, -0.29."""
    if x.dtype != jnp.float64:
        return jnp.log1p(x)
    is_below = x < -0.28
    return jnp.where(is_below, jnp.log(jnp.where(is_below, 1 + x, 1)), jnp.log1p(x))


def log1p_vjp(x, dout):
    """Multiply the gradient by 1 / (1 + x)."""
    return dout / (1 + jnp.conj(x))


exp = unary_row(
    "exp",
    jnp.exp,
    exp_vjp,
    "out",
    "numpy.exp",
    "dx = dout * conj(out)",
    "Compute e to the power of each element.",
)
expm1 = unary_row(
    "expm1",
    jnp.expm1,
    expm1_vjp,
    "out",
    "numpy.expm1",
    "dx = dout * (conj(out) + 1)",
    "Compute exp(x) - 1, exactly for small x.",
)
log = unary_row(
    "log",
    jnp.log,
    log_vjp,
    "x",
    "numpy.log",
    "dx = dout / conj(x)",
    "Compute the natural logarithm of each element.",
    samples=unary(0.2, 4.0),
    boundary="inf at 0, as in Paddle.",
)
log2 = unary_row(
    "log2",
    jnp.log2,
    log2_vjp,
    "x",
    "numpy.log2",
    "dx = dout / (conj(x) * log(2))",
    "Compute the logarithm to base 2 of each element.",
    samples=unary(0.2, 4.0),
    boundary="inf at 0, as in Paddle.",
)
log10 = unary_row(
    "log10",
    jnp.log10,
    log10_vjp,
    "x",
    "numpy.log10",
    "dx = dout / (conj(x) * log(10))",
    "Compute the logarithm to base 10 of each element.",
    samples=unary(0.2, 4.0),
    boundary="inf at 0, as in Paddle.",
)
log1p = unary_row(
    "log1p",
    log1p_forward,
    log1p_vjp,
    "x",
    "numpy.log1p",
    "dx = dout / (1 + conj(x))",
    "Compute log(1 + x), exactly for small x.",
    samples=unary(-0.8, 4.0),
    boundary="inf at -1, as in Paddle.",
)


def sigmoid_forward(x):
    """Compute 1 / (1 + exp(-x)) without overflow."""
    return jax.lax.logistic(x)


def sigmoid_vjp(out, dout):
    """Multiply the gradient by out (1 - out)."""
    return dout * jnp.conj(out * (1 - out))


def sigmoid_reference(x):
    """Compute the plain formula."""
    return 1 / (1 + np.exp(-x))


sigmoid = unary_row(
    "sigmoid",
    sigmoid_forward,
    sigmoid_vjp,
    "out",
    sigmoid_reference,
    "dx = dout * conj(out * (1 - out))",
    "Compute 1 / (1 + exp(-x)) of each element.",
    public="both",
)

# ---- rounding and sign: gradients are 0


@real_only
def floor_forward(x):
    """Round down."""
    return unless_integer(jnp.floor, x)


@real_only
def ceil_forward(x):
    """Round up."""
    return unless_integer(jnp.ceil, x)


@real_only
def trunc_forward(input):
    """Round towards 0."""
    return unless_integer(jnp.trunc, input)


def round_forward(x, *, decimals: int = 0):
    """Round to the nearest, halves to even; keep integers unchanged."""
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return copy_of(x)
    if jnp.iscomplexobj(x):
        return lax.complex(_rounded(x.real, decimals), _rounded(x.imag, decimals))
    return _rounded(x, decimals)


def _rounded(x, decimals: int):
    """Round real numbers; those that are too large to have such decimals stay as they are."""
    if decimals == 0:
        return jnp.round(x)
    wide = x.astype(wide_dtype(x.dtype))
    if decimals > 0:
        scaled = wide * 10.0**decimals
        rounded = quotient(jnp.round(scaled), 10.0**decimals)
    else:
        scaled = quotient(wide, 10.0**-decimals)
        rounded = jnp.round(scaled) * 10.0**-decimals
    return jnp.where(jnp.isfinite(scaled), rounded, wide).astype(x.dtype)


@real_only
def sign_forward(x):
    """Compute -1, 0 or 1; keep nan."""
    return jnp.sign(x)


def round_reference(x, decimals=0):
    """Compute NumPy's round; keep integers unchanged for any decimals, as in Paddle."""
    return np.round(x, decimals) if np.issubdtype(x.dtype, np.inexact) else x


def round_samples():
    """Yield no decimals, two, negative ones, halves, 0-D and zero-size."""
    yield Sample(values((2, 3)))
    yield Sample(values((2, 3)), decimals=2)
    yield Sample(np.array([[123.25, 171.5], [-15.75, 7.0]]), decimals=-1)
    yield Sample(np.array([0.5, 1.5, 2.5, -0.5]), grad=False)
    yield Sample(values(()))
    yield Sample(values((0, 3)))


def _step(name: str, forward, reference, doc: str, formula: str = "dx = 0", **fields):
    fields.setdefault("dtypes", REAL + " int64")
    fields.setdefault("example", f"paddle.{name}(paddle.to_tensor([-1.5, 0.25]))")
    fields["boundary"] = "0 also at the steps, as in Paddle."
    return unary_row(name, forward, zero_vjp, "", reference, formula, doc, promote=None, **fields)


floor = _step("floor", floor_forward, "numpy.floor", "Round each element down.")
ceil = _step("ceil", ceil_forward, "numpy.ceil", "Round each element up.")
trunc = _step(
    "trunc", trunc_forward, "numpy.trunc", "Round each element towards zero.", "dinput = 0"
)
round = _step(
    "round",
    round_forward,
    round_reference,
    "Round each element to a number of decimals, halves to even.",
    samples=round_samples,
    dtypes=WITH_COMPLEX + " int64",
)
sign = _step(
    "sign",
    sign_forward,
    "numpy.sign",
    "Compute the sign of each element: -1, 0 or 1.",
    public=None,
    method=False,
)

# ---- logit and stanh


@real_only
def logit_forward(x, *, eps: OptionalFloat = None):
    """Compute log(x / (1 - x)), with x limited to [eps, 1 - eps] when eps is given."""
    if eps:
        x = jnp.clip(x, eps, 1 - eps)
    rest = 1 - x
    is_middle = jnp.abs(x - 0.5) < 0.2  # where the logarithm of the quotient is near 0
    middle = log1p_forward(jnp.where(is_middle, (2 * x - 1) / rest, 0))
    return jnp.where(is_middle, middle, jnp.log(jnp.where(is_middle, 1, x / rest)))


def logit_vjp(x, dout, *, eps):
    """Multiply by 1 / (x (1 - x)); 0 outside of the limits, nan outside of [0, 1] without."""
    slope = dout / (x * (1 - x))
    outside = (x < (eps or 0.0)) | (x > 1 - (eps or 0.0))
    return jnp.where(outside, 0.0 if eps else jnp.nan, slope).astype(dout.dtype)


def logit_reference(x, eps=None):
    """Compute the plain formula."""
    x = np.clip(x, eps, 1 - eps) if eps else x
    return np.log(x / (1 - x))


def logit_samples():
    """Yield with and without limits, 0-D and zero-size."""
    yield Sample(values((2, 3), 0.05, 0.95))
    yield Sample(values((2, 3), 0.03, 0.97), eps=0.2)
    yield Sample(values((), 0.1, 0.8))
    yield Sample(values((0, 3)))


logit = unary_row(
    "logit",
    logit_forward,
    logit_vjp,
    "x",
    logit_reference,
    "dx = dout / (x * (1 - x)), 0 where x < eps or x > 1 - eps",
    "Compute log(x / (1 - x)), the inverse of sigmoid.",
    dtypes=REAL,
    samples=logit_samples,
    boundary="inf at 0 and 1 without eps; with eps the limits count as inside, as in Paddle.",
)


def stanh_forward(x, *, scale_a: float = 0.67, scale_b: float = 1.7159):
    """Compute scale_b * tanh(scale_a * x)."""
    return scale_b * jnp.tanh(scale_a * x)


def stanh_vjp(x, dout, *, scale_a, scale_b):
    """Multiply the gradient by scale_a * scale_b * (1 - tanh^2)."""
    out = jnp.tanh(scale_a * x)
    return dout * (scale_a * scale_b) * jnp.conj(1 - out * out)


def stanh_reference(x, scale_a=0.67, scale_b=1.7159):
    """Compute the plain formula."""
    return scale_b * np.tanh(scale_a * x)


stanh = unary_row(
    "stanh",
    stanh_forward,
    stanh_vjp,
    "x",
    stanh_reference,
    "dx = dout * scale_a * scale_b * (1 - conj(tanh(scale_a * x))^2)",
    "Compute the scaled hyperbolic tangent of each element.",
    dtypes=WITH_COMPLEX,
    inplace=False,
)
