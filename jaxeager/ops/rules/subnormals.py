"""Helpers for kernels where XLA flushes subnormal numbers to zero.

Note [Subnormal numbers]
    On a CPU XLA computes with the processor's "flush to zero" and "denormals are zero" modes: below
    1.18e-38 (float32) or 2.23e-308 (float64) a result is 0, and so is an operand. It sets them
    around every execution and in its own threads; no option of XLA turns that off (xla_cpu_ftz only
    informs LLVM), and its float32 exp and log also clamp to the normal range. So kernels avoid
    subnormal intermediate values where they matter:

    - a norm whose powers leave the range is computed again from scaled elements (``powers_fit``);
    - a share of softmax is never rounded to 0, so its logarithm has a slope (ops/nn/softmax.py);
    - "not zero" is read from the bits (``is_nonzero``), and so are the parts of frexp.

    docs/where-paddle-differs.md lists the other cases, as tests/ops/test_subnormals.py tests them.
    Reading the bits in log or sqrt would be correct too, but took 2 to 4 times as long.
"""

# The functions of JAX that take functions have no types, nor has finfo.
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.ops.rules.precision import widened

# A sum of up to 2^24 terms that is larger than this times the least normal number, divided by the
# dtype's epsilon, has lost none of its digits to terms that were flushed.
_TERMS = 2.0**24


def bits_of(x: jax.Array) -> jax.Array:
    """Return the bits of floating numbers as unsigned integers of their size."""
    return lax.bitcast_convert_type(x, np.dtype(f"uint{8 * x.dtype.itemsize}"))


def is_nonzero(x: jax.Array) -> jax.Array:
    """Return which elements are not 0; a comparison would treat subnormal ones as 0."""
    if jnp.iscomplexobj(x):
        return is_nonzero(x.real) | is_nonzero(x.imag)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return x != 0
    return bits_of(x) << 1 != 0  # without the sign


def powers_fit(total: jax.Array) -> jax.Array:
    """Return whether all sums of powers are in the range where no digits were lost.

    A total that is nan fits: scaling would not fix it.
    """
    total = widened(total)  # the least total is beyond the range of float16
    kind = jnp.finfo(total.dtype)
    least = float(kind.tiny) / float(kind.eps) * _TERMS
    return ~jnp.any((total < least) | (total == jnp.inf))


def unless_fit(
    total: jax.Array,
    quick: Callable[[jax.Array], jax.Array],
    exact: Callable[..., jax.Array],
    *operands: jax.Array,
) -> jax.Array:
    """Return ``quick`` of a total of powers, or ``exact`` of the operands where it does not fit.

    On a GPU this is always ``quick``: GPUs keep subnormal numbers, and a branch would wait.
    """

    def choose(total: jax.Array, *operands: jax.Array) -> jax.Array:
        return lax.cond(powers_fit(total), lambda: quick(total), lambda: exact(*operands))

    return lax.platform_dependent(
        total, *operands, cpu=choose, tpu=choose, default=lambda total, *_: quick(total)
    )
