"""The right values, computed by mpmath to 40 digits; only ``python -m tests.ulps`` imports this."""

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

mp.mp.dps = 40


def _erfinv(x):
    """Return Newton's improvement of SciPy's value, at x that may be close to 1."""
    from scipy.special import erfcinv, erfinv

    near = float(abs(x)) > 0.5
    y = mp.mpf(float(erfcinv(float(1 - abs(x)))) if near else float(erfinv(float(abs(x)))))
    for _ in range(3):
        y -= (mp.erf(y) - abs(x)) / (2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
    return y if x >= 0 else -y


def _log_gamma(x):
    """Return log |gamma(x)|, from the function itself where it is near its zeros."""
    if x > 20:
        return mp.loggamma(x)
    return mp.log(abs(mp.gamma(x)))


def _polygamma(order: int):
    def function(x):
        if x > 0:
            return (-1) ** (order + 1) * mp.factorial(order) * mp.zeta(order + 1, x)
        # up to a positive argument, by the recurrence of DLMF 5.15.5
        steps = int(mp.ceil(-x)) + 1
        found = (-1) ** (order + 1) * mp.factorial(order) * mp.zeta(order + 1, x + steps)
        each = mp.fsum((x + k) ** (-order - 1) for k in range(steps))
        return found - (-1) ** order * mp.factorial(order) * each

    return function


def _multigamma(order: int):
    def function(x):
        constant = mp.mpf(order * (order - 1)) / 4 * mp.log(mp.pi)
        return constant + mp.fsum(mp.loggamma(x - mp.mpf(k) / 2) for k in range(order))

    return function


def _log1p_exp(x):
    return mp.log1p(mp.exp(x)) if x < 90 else x + mp.exp(-x)


def _elu(scale=1, alpha=1):
    scale, alpha = mp.mpf(scale), mp.mpf(alpha)
    return lambda x: scale * (x if x > 0 else alpha * mp.expm1(x))


def _gelu_tanh(x):
    return x / (1 + mp.exp(-2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)))


def _wide(function):
    """Return the function computed with twice the digits, for one that cancels."""

    def found(*x):
        with mp.workdps(100):
            return function(*x)

    return found


REFERENCES: dict[str, Callable[..., Any]] = {
    "lgamma": _log_gamma,
    "digamma": mp.digamma,
    **{f"polygamma {n}": _polygamma(n) for n in (1, 2, 3)},
    **{f"multigammaln {p}": _multigamma(p) for p in (2, 4)},
    "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda a, x: mp.gammainc(a, x, regularized=True),
    "erf": mp.erf,
    "erfinv": _erfinv,
    "i0": lambda x: mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "i0e": lambda x: mp.besseli(0, x) * mp.exp(-abs(x)),
    "i1e": lambda x: mp.besseli(1, x) * mp.exp(-abs(x)),
    "sinc": lambda x: mp.sincpi(x),
    "logit": _wide(lambda x: mp.log(x / (1 - x))),
    "expm1": mp.expm1,
    "log1p": mp.log1p,
    "exp": mp.exp,
    "log": mp.log,
    "log2": lambda x: mp.log(x, 2),
    "log10": mp.log10,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": _wide(mp.asinh),
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "log_sigmoid": lambda x: -_log1p_exp(-x),
    "softplus": lambda x: x if x > 20 else _log1p_exp(x),
    "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2,
    "gelu tanh": _gelu_tanh,
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "mish": _wide(lambda x: x * mp.tanh(_log1p_exp(x))),
    "elu": _elu(),
    "celu": _elu(),
    "selu": _elu("1.0507009873554805", "1.6732632423543772"),
    "softsign": lambda x: x / (1 + abs(x)),
    "tanhshrink": _wide(lambda x: x - mp.tanh(x)),
    "hardswish": lambda x: x * min(max(x + 3, 0), 6) / 6,
    "logaddexp": lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))),
}


def right_values(name: str, operands: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the right values rounded to float64, and what the rounding left off."""
    function = REFERENCES[name]
    right = np.empty(len(operands[0]))
    rest = np.empty(len(operands[0]))
    for place, numbers in enumerate(zip(*operands, strict=True)):
        value = function(*(mp.mpf(float(each)) for each in numbers))
        right[place] = float(value)
        rest[place] = 0.0 if np.isinf(right[place]) else float(value - mp.mpf(right[place]))
    return right, rest
