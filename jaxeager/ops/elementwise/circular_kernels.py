"""The kernels of sine, cosine, tangent and their inverses.

Note [Circular functions on a CPU]
    XLA calls the C library for each element of these functions on a CPU, one after the other: the
    sines of a million float32 numbers take 4 to 7 ms. Polynomials in float64, several elements at a
    time, take 0.4 to 0.7 ms, and because only the last step rounds to float32, the largest error is
    0.501 ULP (XLA's: 0.6 of sin, 1.4 of tan, 2.4 of asin). So arrays of float32 or less use
    polynomials. float64 would need operations of twice its digits, and accelerators have their own
    functions.

    An angle is reduced by the nearest multiple of pi / 2. pi / 2 is split into two numbers, the
    first of 33 bits, so that its product with a multiple up to 2^20 is exact (Cody and Waite,
    "Software Manual for the Elementary Functions", 1980). An array with a larger angle, or with inf
    or nan, is left to XLA. Both ways are compiled, which takes twice as long, so an array of less
    than SMALLEST_SIZE elements, whose call takes 20 us either way, is left to XLA too.

    The polynomials go through the values at the Chebyshev nodes of their range, with a relative
    error below 2^-35.
"""

import math
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import has_symbols
from jaxeager.ops.elementwise.gamma_kernels import polynomial

SMALLEST_SIZE = 2**13
LARGEST_ANGLE = 1e6
_SHORT = (jnp.float32, jnp.float16, jnp.bfloat16)

_QUARTER_TURN = float.fromhex("0x1.921fb544p+0"), 6.077100506506192e-11  # the sum is pi / 2

# In z = x * x: (sin(x) / x - 1) / z and (cos(x) - 1) / z for |x| up to pi / 4;
# (atan(x) / x - 1) / z up to tan(pi / 8); (asin(x) / x - 1) / z up to 1 / 2.
_SIN = -0.16666666663854168, 0.008333331874273714, -0.000198400864995936, 2.7249895230611676e-06
_COS = (
    -0.49999999999963873, 0.041666666637384386, -0.0013888885090262895, 2.4799861846361453e-05,
    -2.7237108576245085e-07,
)  # fmt: skip
_ATAN = (
    -0.33333333333266146, 0.19999999949822453, -0.1428570810699188, 0.11110819586603747,
    -0.09084099522493076, 0.07604778003555679, -0.06027206570111165, 0.03295499114305327,
)  # fmt: skip
_ASIN = (
    0.16666666666738633, 0.07499999953429712, 0.044642906474584965, 0.030379945210024933,
    0.022412417726695433, 0.016902683886393575, 0.01686409027396012, 0.001067506315036312,
    0.02834674523183333,
)  # fmt: skip


def _of_short(on_cpu: Callable, usual: Callable, smallest: int = 0) -> Callable:
    """Return a function of an array: ``on_cpu`` for float32 or less on a CPU, else ``usual``.

    Args:
        on_cpu, usual: functions of an array.
        smallest: ``on_cpu`` is for arrays of at least as many elements.
    """

    def of_array(x):
        if x.dtype not in _SHORT or has_symbols(x.shape) or x.size < smallest:
            return usual(x)
        return lax.platform_dependent(x, cpu=on_cpu, default=usual)

    return jax.custom_jvp(of_array)


def _by_polynomials(of_float64: Callable) -> Callable:
    """Return a function of an array that computes in float64, and rounds the result."""
    return lambda x: of_float64(x.astype(jnp.float64)).astype(x.dtype)


def _of_angle(of_float64: Callable, usual: Callable) -> Callable:
    """Return a function of angles, which must be small to be reduced."""
    near = _by_polynomials(of_float64)

    def on_cpu(x):
        return lax.cond(jnp.all(jnp.abs(x) <= LARGEST_ANGLE), near, usual, x)

    return _of_short(on_cpu, usual, SMALLEST_SIZE)


def _reduced(x) -> tuple:
    """Return the sine and the cosine of an angle less its quarter turns, and their number."""
    turns = jnp.round(x * (2 / np.pi))
    rest = (x - turns * _QUARTER_TURN[0]) - turns * _QUARTER_TURN[1]
    square = rest * rest
    sine = rest + rest * (square * polynomial(_SIN, square))
    return sine, 1 + square * polynomial(_COS, square), turns.astype(jnp.int32)


def _sine_of_float64(x, ahead: int = 0):
    """Return the sine of an angle and some more quarter turns."""
    sine, cosine, turns = _reduced(x)
    turns += ahead
    value = jnp.where(turns & 1 == 0, sine, cosine)
    return jnp.where(turns & 2 == 0, value, -value)


def _tangent_of_float64(x):
    sine, cosine, turns = _reduced(x)
    is_even = turns & 1 == 0
    return jnp.where(is_even, sine, -cosine) / jnp.where(is_even, cosine, sine)


def _arc_of_tangent(x):
    """Return the angle of a tangent, from that of one up to tan(pi / 8)."""
    size = jnp.abs(x)
    is_middle, is_large = size > math.tan(np.pi / 8), size > math.tan(3 * np.pi / 8)
    above = jnp.where(is_large, -1, jnp.where(is_middle, size - 1, size))
    part = above / jnp.where(is_large, size, jnp.where(is_middle, size + 1, 1))
    start = jnp.where(is_large, np.pi / 2, jnp.where(is_middle, np.pi / 4, 0))
    square = part * part
    return jnp.copysign(start + (part + part * (square * polynomial(_ATAN, square))), x)


def _arc_of_small_sine(x) -> tuple:
    """Return whether |x| is at most 1 / 2, and the angle of the sine |x|, else its remaining half.

    The angle of a larger sine is pi / 2 less twice the angle of sqrt((1 - |x|) / 2).
    """
    size = jnp.abs(x)
    is_small = size <= 0.5
    square = jnp.where(is_small, size * size, (1 - size) / 2)
    part = jnp.where(is_small, size, jnp.sqrt(square))
    return is_small, part + part * (square * polynomial(_ASIN, square))


def _arc_of_sine(x):
    is_small, angle = _arc_of_small_sine(x)
    return jnp.copysign(jnp.where(is_small, angle, np.pi / 2 - 2 * angle), x)


def _arc_of_cosine(x):
    is_small, angle = _arc_of_small_sine(x)
    far = jnp.where(x < 0, np.pi - 2 * angle, 2 * angle)
    return jnp.where(is_small, np.pi / 2 - jnp.copysign(angle, x), far)


sin = _of_angle(_sine_of_float64, jnp.sin)
cos = _of_angle(partial(_sine_of_float64, ahead=1), jnp.cos)
tan = _of_angle(_tangent_of_float64, jnp.tan)
asin = _of_short(_by_polynomials(_arc_of_sine), jnp.arcsin)
acos = _of_short(_by_polynomials(_arc_of_cosine), jnp.arccos)
atan = _of_short(_by_polynomials(_arc_of_tangent), jnp.arctan)

sin.defjvps(lambda step, out, x: step * cos(x))
cos.defjvps(lambda step, out, x: -step * sin(x))
tan.defjvps(lambda step, out, x: step * (1 + out * out))
asin.defjvps(lambda step, out, x: step / jnp.sqrt(1 - x * x))
acos.defjvps(lambda step, out, x: -step / jnp.sqrt(1 - x * x))
atan.defjvps(lambda step, out, x: step / (1 + x * x))
