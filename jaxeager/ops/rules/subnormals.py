"""What is done where XLA flushes subnormal numbers to zero.

Note [Subnormal numbers]
    On a CPU XLA computes with the processor's "flush to zero" and "denormals are zero" modes: below
    1.18e-38 (float32) or 2.23e-308 (float64) a result is 0, and so is an operand. It sets them
    around every execution and in its own threads; no option of XLA turns that off (xla_cpu_ftz only
    tells LLVM about it), and its float32 exp and log clamp to the normal range besides. So kernels
    are written such that what matters does not pass through these numbers:

    - a norm whose powers leave the range is computed again from scaled elements (``powers_fit``);
    - a share of softmax is never rounded to 0, so its logarithm has a slope (ops/nn/softmax.py);
    - what is "not zero" is read from the bits (``is_nonzero``), frexp's parts too.

    The rest is listed in docs/where-paddle-differs.md, from what tests/ops/test_subnormals.py
    holds. Reading the bits in log or sqrt would be right too, but took 2 to 4 times as long.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.ops.rules.precision import widened

# A sum of up to 2^24 terms that is larger than this times the least normal number, divided by the
# dtype's epsilon, has lost none of its digits to terms that were flushed.
_TERMS = 2.0**24


def bits_of(x):
    """Return the bits of floating numbers as unsigned integers of their size."""
    return lax.bitcast_convert_type(x, np.dtype(f"uint{8 * x.dtype.itemsize}"))


def is_nonzero(x):
    """Return which elements are not 0, where a comparison takes subnormal ones for 0."""
    if jnp.iscomplexobj(x):
        return is_nonzero(x.real) | is_nonzero(x.imag)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return x != 0
    return bits_of(x) << 1 != 0  # without the sign


def powers_fit(total) -> Any:
    """Return whether sums of powers are all in the range where none of their digits were lost.

    A total that is nan fits: nothing would mend it.
    """
    total = widened(total)  # the least total is beyond the range of float16
    kind = jnp.finfo(total.dtype)
    least = float(kind.tiny) / float(kind.eps) * _TERMS
    return ~jnp.any((total < least) | (total == jnp.inf))


def unless_fit(total, quick: Callable, exact: Callable, *operands) -> Any:
    """Return ``quick`` of a total of powers, or ``exact`` of the operands where it does not fit.

    On a GPU it is always the quick one: there subnormal numbers are kept, and a branch would wait.
    """

    def choose(total, *operands):
        return lax.cond(powers_fit(total), lambda: quick(total), lambda: exact(*operands))

    return lax.platform_dependent(
        total, *operands, cpu=choose, tpu=choose, default=lambda total, *_: quick(total)
    )
