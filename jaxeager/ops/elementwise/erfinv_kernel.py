"""The kernel of the inverse of the error function.

erfinv(x) is the normal quantile of (1 + x) / 2, divided by sqrt(2). The rational functions are
those of Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied
Statistics 37 (1988), whose relative error is 1e-16. They take x / 2, and (1 - |x|) / 2 near the
ends, which are exact, where a logarithm of 1 - x^2 would lose digits.
"""

import math

import jax
import jax.numpy as jnp

from jaxeager.ops.elementwise.gamma_kernels import polynomial

# Numerator and denominator: for |x| up to 0.85; for r = sqrt(-log((1 - |x|) / 2)) up to 5; beyond.
_CENTER = (
    (
        3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
        1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
        3.3430575583588128105e4, 2.5090809287301226727e3,
    ),
    (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
        5.2264952788528545610e3,
    ),
)  # fmt: skip
_TAIL = (
    (
        1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
        3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
        2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ),
    (
        1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)  # fmt: skip
_END = (
    (
        6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
        2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
        2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ),
    (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)  # fmt: skip


def _ratio(parts, x):
    """Evaluate one rational function over sqrt(2)."""
    above, below = parts
    return polynomial([each * math.sqrt(0.5) for each in above], x) / polynomial(below, x)


@jax.custom_jvp
def erfinv(x):
    """Compute the inverse of erf: infinite at -1 and 1, nan beyond."""
    is_center = jnp.abs(x) <= 0.85
    half = 0.5 * jnp.where(is_center, x, 0)
    center = half * _ratio(_CENTER, 0.180625 - half * half)
    share = 0.5 * (1 - jnp.abs(x))
    r = jnp.sqrt(-jnp.log(jnp.where(is_center, 0.1, share)))
    tail = _ratio(_TAIL, r - 1.6)
    if x.dtype.itemsize > 4:  # in float32 r is below 5
        tail = jnp.where(r > 5, _ratio(_END, r - 5), tail)
    tail = jnp.where(share == 0, jnp.inf, tail)
    return jnp.where(is_center, center, jnp.copysign(tail, x))


erfinv.defjvps(lambda step, out, x: step * jnp.exp(out * out) * float(math.sqrt(math.pi) / 2.0))
