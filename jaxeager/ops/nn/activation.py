"""Smooth activation functions; see also hard_activation.py and softmax.py."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.elementwise.unary import unary_errors
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Static
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, unary, values


def activation(name: str, forward, vjp, saves: str, reference, formula: str, doc: str, **fields):
    """Register a function of nn.functional that computes (b)float16 in float32."""
    public_name = fields.get("public_name", name)
    fields.setdefault("samples", unary())
    fields.setdefault("errors", unary_errors)
    return op(
        name,
        in_float32(forward),
        vjp=in_float32(vjp),
        saves=saves,
        public="functional",
        reference=reference,
        formula=formula,
        doc=doc,
        example=f"paddle.nn.functional.{public_name}(paddle.to_tensor([-1.5, 0.25, 4.0]))",
        **fields,
    )


def with_attributes(low: float = -2.0, high: float = 2.0, **attrs):
    """Return samples for one operand, with the default attributes and with others."""

    def samples():
        yield from unary(low, high)()
        yield Sample(values((2, 3), low, high), **attrs)

    return samples


# ---- exponential below 0


@real_only
def elu_forward(x, *, alpha: float = 1.0):
    """Compute x, or alpha (exp(x) - 1) below 0."""
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.minimum(x, 0)))


def elu_vjp(x, out, dout, *, alpha):
    """Multiply dout by alpha exp(x), which is out + alpha, below 0."""
    return jnp.where(x > 0, dout, dout * (out + alpha))


def elu_reference(x, alpha=1.0):
    """Compute the plain formula."""
    return np.where(x > 0, x, alpha * np.expm1(x))


elu = activation(
    "elu",
    elu_forward,
    elu_vjp,
    "x out",
    elu_reference,
    "dx = dout where x > 0, else dout * (out + alpha)",
    "Compute x, or alpha * (exp(x) - 1) where x is not positive.",
    samples=with_attributes(alpha=0.4),
    inplace=True,
    boundary="1 at 0 for alpha 1, as in Paddle.",
)


@real_only
def celu_forward(x, *, alpha: float = 1.0):
    """Compute x, or alpha (exp(x / alpha) - 1) below 0."""
    if alpha == 0:
        raise ZeroDivisionError("alpha cannot be 0 for celu.")
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0, x) / alpha))


def celu_vjp(x, dout, *, alpha):
    """Multiply dout by exp(x / alpha) below 0."""
    return jnp.where(x > 0, dout, dout * jnp.exp(jnp.where(x > 0, 0, x) / alpha))


def celu_reference(x, alpha=1.0):
    """Compute the plain formula."""
    return np.where(x > 0, x, alpha * np.expm1(x / alpha))


celu = activation(
    "celu",
    celu_forward,
    celu_vjp,
    "x",
    celu_reference,
    "dx = dout where x > 0, else dout * exp(x / alpha)",
    "Compute x, or alpha * (exp(x / alpha) - 1) where x is not positive.",
    samples=with_attributes(alpha=2.0),
    errors=lambda: (
        BadInput((np.ones(2), 0.0), {}, InvalidArgumentError, "alpha cannot be 0 for celu"),
    ),
    boundary="1 at 0, as in Paddle; 1 at inf (Paddle: nan).",
)

SELU_SCALE = 1.0507009873554805
SELU_ALPHA = 1.6732632423543772


@real_only
def selu_forward(x, *, scale: float = SELU_SCALE, alpha: float = SELU_ALPHA):
    """Scale elu."""
    if scale <= 1 or alpha < 0:
        raise ValueError(
            f"scale must be greater than 1.0 and alpha not negative, but are {scale} and {alpha}."
        )
    return jnp.where(x > 0, scale * x, scale * alpha * jnp.expm1(jnp.minimum(x, 0)))


def selu_vjp(out, dout, *, scale, alpha):
    """Multiply dout by scale above 0, and by out + scale * alpha below."""
    return jnp.where(out > 0, dout * scale, dout * (out + scale * alpha))


def selu_reference(x, scale=SELU_SCALE, alpha=SELU_ALPHA):
    """Compute the plain formula."""
    return scale * np.where(x > 0, x, alpha * np.expm1(x))


selu = activation(
    "selu",
    selu_forward,
    selu_vjp,
    "out",
    selu_reference,
    "dx = dout * scale where out > 0, else dout * (out + scale * alpha)",
    "Compute scale * x, or scale * alpha * (exp(x) - 1) where x is not positive.",
    samples=with_attributes(scale=1.2, alpha=0.5),
    errors=lambda: (
        BadInput((np.ones(2), 0.5), {}, InvalidArgumentError, "must be greater than 1.0"),
    ),
    boundary="scale * alpha at 0, the slope from below, as in Paddle.",
)

# ---- bell curves and soft steps


def _toward_infinity(x, slope):
    """Return the slope, but its limits 0 and 1 at the infinities, where it would be inf * 0."""
    return jnp.where(jnp.isinf(x), x.real > 0, slope)


@real_only
def gelu_forward(x, *, approximate: Static = False):
    """Multiply x by the normal distribution function, or by its tanh approximation."""
    if approximate not in (True, False, "tanh", "none"):
        raise ValueError(
            f"the value of approximate in gelu should be 'tanh' or 'none', but is {approximate!r}."
        )
    if approximate in (True, "tanh"):
        return x * jax.lax.logistic(2 * _gelu_inner(x))  # (1 + tanh(z)) / 2, without cancelling
    return 0.5 * x * special.erfc(-x * float(np.sqrt(0.5)))


def _gelu_inner(x):
    return float(np.sqrt(2.0 / np.pi)) * (x + 0.044715 * x * x * x)


def gelu_vjp(x, dout, *, approximate):
    """Multiply dout by the distribution function plus x times the density."""
    if approximate in (True, "tanh"):
        weight = jax.lax.logistic(2 * _gelu_inner(x))
        slope = float(np.sqrt(8.0 / np.pi)) * (1 + 3 * 0.044715 * x * x)
        return dout * _toward_infinity(x, weight * (1 + x * (1 - weight) * slope))
    weight = 0.5 * special.erfc(-x * float(np.sqrt(0.5)))
    density = jnp.exp(-0.5 * x * x) * float(1 / np.sqrt(2 * np.pi))
    return dout * _toward_infinity(x, weight + x * density)


def gelu_reference(x, approximate=False):
    """Compute the plain formulas, with SciPy's normal distribution."""
    if approximate in (True, "tanh"):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    from scipy.stats import norm

    return x * norm.cdf(x)


gelu = activation(
    "gelu",
    gelu_forward,
    gelu_vjp,
    "x",
    gelu_reference,
    "dx = dout * (cdf(x) + x * pdf(x)) where not approximate, else dout * (1 + t + x * (1 - t^2) "
    "* c * (1 + 0.134145 * x^2)) / 2, c = sqrt(2 / pi), t = tanh(c * (x + 0.044715 * x^3)): cdf "
    "and pdf of the normal distribution",
    "Compute x times the normal distribution's share below x.",
    samples=with_attributes(approximate=True),
    errors=lambda: (
        BadInput((np.ones(2), "fast"), {}, InvalidArgumentError, "should be 'tanh' or 'none'"),
    ),
    boundary="1 at inf (Paddle: nan).",
)


def silu_forward(x):
    """Multiply x by its sigmoid."""
    return x * jax.lax.logistic(x)


def silu_vjp(x, out, dout):
    """Multiply dout by s + out (1 - s) for the sigmoid s."""
    weight = jax.lax.logistic(x)
    return dout * jnp.conj(_toward_infinity(x, weight + out * (1 - weight)))


def swish_vjp(x, dout):
    """Multiply dout by s + x s (1 - s) for the sigmoid s."""
    weight = jax.lax.logistic(x)
    return dout * jnp.conj(_toward_infinity(x, weight * (1 + x * (1 - weight))))


def silu_reference(x):
    """Compute the plain formula."""
    return x / (1 + np.exp(-x))


silu = activation(
    "silu",
    silu_forward,
    silu_vjp,
    "x out",
    silu_reference,
    "dx = dout * conj(s + out * (1 - s)), s = sigmoid(x)",
    "Compute x * sigmoid(x).",
    dtypes=WITH_COMPLEX,
    inplace=True,
    boundary="1 at inf (Paddle: nan).",
)
swish = activation(
    "swish",
    silu_forward,
    swish_vjp,
    "x",
    silu_reference,
    "dx = dout * conj(s * (1 + x * (1 - s))), s = sigmoid(x)",
    "Compute x * sigmoid(x), and saves only x.",
    dtypes=WITH_COMPLEX,
    boundary="1 at inf (Paddle: nan).",
)


def mish_forward(x):
    """Multiply x by the tanh of its softplus, n / (n + 2) for n = exp(x) (exp(x) + 2)."""
    is_large = x.real > 20  # where the tanh is 1
    growth = jnp.exp(jnp.where(is_large, 0, x))
    n = growth * (growth + 2)
    return jnp.where(is_large, x, x * (n / (n + 2)))


def mish_vjp(x, dout):
    """Multiply dout by t + x (1 - t^2) sigmoid(x) for t = tanh(softplus(x))."""
    step = jnp.tanh(jax.nn.softplus(x))
    slope = step + x * (1 - step * step) * jax.lax.logistic(x)
    return dout * jnp.conj(_toward_infinity(x, slope))


def mish_reference(x):
    """Compute the plain formula."""
    return x * np.tanh(np.log1p(np.exp(x)))


mish = activation(
    "mish",
    mish_forward,
    mish_vjp,
    "x",
    mish_reference,
    "dx = dout * conj(t + x * (1 - t^2) * sigmoid(x)), t = tanh(softplus(x))",
    "Compute x * tanh(log(1 + exp(x))).",
    dtypes=WITH_COMPLEX,
    boundary="1 at inf (Paddle: nan).",
)


def softplus_forward(x, *, beta: float = 1.0, threshold: float = 20.0):
    """Compute softplus, or x itself where beta x is above the threshold."""
    scaled = beta * x
    return jnp.where(scaled.real > threshold, x, jax.nn.softplus(scaled) / beta)


def softplus_vjp(x, dout, *, beta, threshold):
    """Multiply dout by the sigmoid of beta x."""
    scaled = beta * x
    return jnp.where(scaled.real > threshold, dout, dout * jnp.conj(jax.lax.logistic(scaled)))


def softplus_reference(x, beta=1.0, threshold=20.0):
    """Compute the plain formula."""
    return np.where(beta * x > threshold, x, np.log1p(np.exp(beta * x)) / beta)


softplus = activation(
    "softplus",
    softplus_forward,
    softplus_vjp,
    "x",
    softplus_reference,
    "dx = dout * conj(sigmoid(beta * x)), dout where beta * x > threshold",
    "Compute log(1 + exp(beta * x)) / beta, or x where beta * x is above the threshold.",
    samples=with_attributes(beta=2.0, threshold=1.5),
    dtypes=WITH_COMPLEX,
    boundary="at beta * x = threshold still the curve's, as in Paddle.",
)


def logsigmoid_forward(x):
    """Compute the logarithm of the sigmoid without overflow."""
    return -jax.nn.softplus(-x)


def logsigmoid_vjp(x, dout):
    """Multiply dout by the sigmoid of -x."""
    return dout * jnp.conj(jax.lax.logistic(-x))


def logsigmoid_reference(x):
    """Compute the plain formula."""
    return -np.log1p(np.exp(-x))


logsigmoid = activation(
    "logsigmoid",
    logsigmoid_forward,
    logsigmoid_vjp,
    "x",
    logsigmoid_reference,
    "dx = dout * conj(sigmoid(-x))",
    "Compute log(sigmoid(x)).",
    public_name="log_sigmoid",
    aliases="logsigmoid",
    dtypes=WITH_COMPLEX,
)


def softsign_forward(x):
    """Compute x / (1 + |x|)."""
    return x / (1 + jnp.abs(x))


def softsign_vjp(x, dout):
    """Multiply dout by 1 / (1 + |x|)^2; for complex x, also account for the change of angle."""
    size = jnp.abs(x)
    bound = 1 + size
    if not jnp.iscomplexobj(x):
        return dout / (bound * bound)
    unit = jnp.where(x == 0, 0, x / jnp.where(size == 0, 1, size))
    return dout / bound - unit * (jnp.conj(unit) * dout).real * size / (bound * bound)


def softsign_reference(x):
    """Compute the plain formula."""
    return x / (1 + np.abs(x))


softsign = activation(
    "softsign",
    softsign_forward,
    softsign_vjp,
    "x",
    softsign_reference,
    "dx = (dout - sign(x) * real(conj(x) * dout) / (1 + |x|)) / (1 + |x|): dout / (1 + |x|)^2 "
    "for a real x",
    "Compute x / (1 + |x|).",
    dtypes=WITH_COMPLEX,
    boundary="1 at 0, as in Paddle.",
)


def tanh_shrink_forward(x):
    """Compute x - tanh(x), where that cancels by a continued fraction, DLMF 4.39.1.

    It is x t / (1 + t) for t = x^2 / (3 + x^2 / (5 + ...)).
    """
    is_near = jnp.abs(x) < 1.5
    near = jnp.where(is_near, x, 0)
    square = near * near
    above, below = jnp.full_like(x, 2 * _DEPTH + 1), jnp.ones_like(x)
    for k in range(_DEPTH - 1, 0, -1):
        above, below = (2 * k + 1) * above + square * below, above
    return jnp.where(is_near, near * square * below / (above + square * below), x - jnp.tanh(x))


_DEPTH = 11  # of the fraction


def tanh_shrink_vjp(x, dout):
    """Multiply dout by tanh^2."""
    step = jnp.tanh(x)
    return dout * jnp.conj(step * step)


def tanh_shrink_reference(x):
    """Compute the plain formula."""
    return x - np.tanh(x)


tanh_shrink = activation(
    "tanh_shrink",
    tanh_shrink_forward,
    tanh_shrink_vjp,
    "x",
    tanh_shrink_reference,
    "dx = dout * conj(tanh(x))^2",
    "Compute x - tanh(x).",
    public_name="tanhshrink",
    dtypes=WITH_COMPLEX,
)
