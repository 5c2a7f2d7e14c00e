"""Densities and divergences in which large numbers would cancel.

See ops/elementwise/stirling.py, Note [Densities of large counts].
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.parameters import inside
from jaxeager.ops.elementwise.stirling import log1p_minus, log_minus_digamma, stirling_error

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)

__all__ = [
    "HALF_LOG_2PI",
    "deviance",
    "excess",
    "gamma_divergence",
    "log_minus_digamma",
    "log_poisson",
    "stirling_error",
    "trial_divergence",
    "xlog1p",
]


def excess(x: Tensor, y: Tensor, gap: Tensor | None = None) -> Tensor:
    """Return x / y - 1 - log(x / y) for numbers above 0; it is not negative.

    Args:
        x: the numerator.
        y: the denominator.
        gap: x / y - 1, where the caller knows that better than ``(x - y) / y``.
    """
    gap = (x - y) / y if gap is None else gap
    near = paddle.abs(gap) < 0.4
    ratio = inside(~near, x / y, 1.0)
    return paddle.where(near, -log1p_minus(inside(near, gap, 0.0)), gap - paddle.log(ratio))


def deviance(count: Tensor, mean: Tensor) -> Tensor:
    """Return count log(count / mean) + mean - count for counts above 0; it is not negative."""
    return count * excess(mean, count)


def log_poisson(count: Tensor, mean: Tensor) -> Tensor:
    """Return the logarithm of the probability that a Poisson of that mean gives the count.

    Args:
        count: 0 or more; it need not be whole.
        mean: 0 or more.
    """
    count, mean = paddle.broadcast_tensors([count, mean])
    is_large = count >= 1
    large = inside(is_large, count, 1.0)
    found = -deviance(large, inside(is_large, mean, 1.0)) - stirling_error(large)
    # of a small count nothing cancels, and the formula has the right gradient at 0
    small = inside(~is_large, count, 0.0)
    is_certain = (small == 0) & (mean == 0)
    plain = small * paddle.log(inside(~is_certain, mean, 1.0)) - mean - paddle.lgamma(small + 1)
    return paddle.where(is_large, found - HALF_LOG_2PI - 0.5 * paddle.log(large), plain)


def gamma_divergence(a: Tensor, b: Tensor) -> Tensor:
    """Return log gamma(b) - log gamma(a) - (b - a) digamma(a), which is not negative."""
    much = excess(a, b)
    log_ratio = (a - b) / b - much
    rest = stirling_error(b) - stirling_error(a) + (b - a) * log_minus_digamma(a)
    return b * much + 0.5 * log_ratio + rest


def trial_divergence(p: Tensor, q: Tensor) -> Tensor:
    """Return the divergence of a trial of chance ``p`` from one of chance ``q``."""
    rest, may_fail, may_succeed = 1 - p, p < 1, p > 0
    some_p, some_rest = inside(may_succeed, p, 1.0), inside(may_fail, rest, 1.0)
    success = paddle.where(may_succeed, p * excess(q, some_p), q)
    failure = rest * excess(1 - q, some_rest, (p - q) / some_rest)
    return success + paddle.where(may_fail, failure, 1 - q)


def xlog1p(x: Tensor, y: Tensor) -> Tensor:
    """Return x log(1 + y), and 0 where x is 0 and y is -1; the gradients are 0 there too."""
    both = (x == 0) & (y == -1)
    return x * paddle.log1p(paddle.where(both, paddle.zeros_like(y), y))
