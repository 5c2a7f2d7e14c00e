"""ContinuousBernoulli: a Bernoulli density between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    inside,
    limits_of,
)
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.rules.domains import PROBABILITY

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# y coth(y) = 1 + COTH[0] y**2 + COTH[1] y**4 + ...: 2**(2n) B(2n) / (2n)!
COTH = (1 / 3, -1 / 45, 2 / 945, -1 / 4725, 2 / 93555, -1382 / 638512875, 4 / 18243225)
COTH += (-3617 / 162820783125, 87734 / 38979295480125, -349222 / 1531329465290625)
SLOPE_OF_COTH = tuple((2 * n + 1) * each for n, each in enumerate(COTH))
SINH = tuple(1 / math.factorial(2 * n + 1) for n in range(7))
LOG1P = tuple((-1) ** n / (n + 1) for n in range(10))


def _series(coefficients: Sequence[float], x: Tensor) -> Tensor:
    """Return ``coefficients[0] + coefficients[1] * x + coefficients[2] * x**2 + ...``."""
    total = paddle.full_like(x, coefficients[-1])
    for each in coefficients[-2::-1]:
        total = total * x + each
    return total


def _near_or_far(x: Tensor, limit: float, series, formula) -> Tensor:
    """Return ``series(x)`` where `x` is within `limit` of 0, elsewhere ``formula(x)``."""
    is_near = paddle.abs(x) < limit
    return paddle.where(is_near, series(inside(is_near, x, 0.0)), formula(inside(~is_near, x, 1.0)))


def _sinh_over(y: Tensor) -> Tensor:
    """Return sinh(y) / y."""
    return _near_or_far(y, 0.5, lambda y: _series(SINH, y * y), lambda y: paddle.sinh(y) / y)


def _log1p_over(x: Tensor) -> Tensor:
    """Return log(1 + x) / x."""
    return _near_or_far(x, 0.02, lambda x: _series(LOG1P, x), lambda x: paddle.log1p(x) / x)


class ContinuousBernoulli(Distribution):
    """The distribution on [0, 1] with density ``probs ** x * (1 - probs) ** (1 - x)``, scaled.

    Near ``probs = 1/2`` the formulas divide 0 by 0; series are used there.

    Args:
        probs: between 0 and 1; a number, which is a vector of one element, or a Tensor. It is
            clipped to [eps, 1 - eps] of its dtype.
        lims: has no effect: the series have all digits.

    Raises:
        InvalidTypeError: for other ``probs``.

    Paddle: the density is not 0 outside of [0, 1]. Outside of ``lims`` digits cancel: the float32
    variance at 0.503 is a third too large. Within them, ``cdf`` and ``icdf`` are those of 1/2.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.ContinuousBernoulli(0.5).mean.tolist()
        [0.5]
    """

    probs: Any  # a method of the base, as in Paddle

    def __init__(self, probs: float | Tensor, lims: tuple[float, ...] = (0.499, 0.501)):
        if isinstance(probs, (float, int)):
            probs = paddle.to_tensor([probs], dtype=paddle.get_default_dtype())
        if not isinstance(probs, paddle.Tensor):
            raise InvalidTypeError(f"probs must be a number or a Tensor, but is {type(probs)}.")
        check_parameters(self, PROBABILITY, probs=probs)
        self.dtype = dtype_name(probs)
        self.lims = paddle.to_tensor(lims, dtype=self.dtype)
        eps = float(limits_of(probs).eps)
        self.probs = paddle.clip(probs, min=eps, max=1 - eps)
        super().__init__(self.probs.shape)

    def _half_log_odds(self) -> Tensor:
        """Return y, the parameter in which every formula is smooth: probs = (1 + tanh(y)) / 2."""
        return 0.5 * (paddle.log(self.probs) - paddle.log1p(-self.probs))

    def _log_constant(self) -> Tensor:
        """Return the logarithm of the normalizing constant of the density, 2 y / tanh(y)."""
        return math.log(2.0) + _near_or_far(
            self._half_log_odds(),
            0.5,
            lambda y: paddle.log1p(y * y * _series(COTH, y * y)),
            lambda y: paddle.log(y / paddle.tanh(y)),
        )

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return 0.5 + 0.5 * _near_or_far(
            self._half_log_odds(),
            0.5,
            lambda y: y * _series(COTH, y * y),
            lambda y: 1.0 / paddle.tanh(y) - 1.0 / y,
        )

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return 0.25 * _near_or_far(
            self._half_log_odds(),
            0.5,
            lambda y: _series(SLOPE_OF_COTH, y * y),
            lambda y: 1.0 / paddle.square(y) - 1.0 / paddle.square(paddle.sinh(y)),
        )

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach ``probs``."""
        noise = paddle.uniform(self._extend_shape(shape), dtype=self.dtype, min=0.0, max=1.0)
        return self.icdf(noise)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, -inf outside of [0, 1]."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        cross = value * paddle.log(self.probs) + (1.0 - value) * paddle.log1p(-self.probs)
        possible = (value >= 0) & (value <= 1)
        return inside(possible, self._log_constant() + cross, -float("inf"))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        log_p, log_rest = paddle.log(self.probs), paddle.log1p(-self.probs)
        return self.mean * (log_rest - log_p) - self._log_constant() - log_rest

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability that a draw is at most ``value``."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        y = self._half_log_odds()
        found = value * paddle.exp(y * (value - 1.0)) * _sinh_over(y * value) / _sinh_over(y)
        return inside(value > 0, inside(value < 1, found, 1.0), 0.0)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of ``cdf`` at ``value``."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        y = self._half_log_odds()
        is_falling = y < 0  # its mirror image is rising, where nothing cancels
        y, level = paddle.where(is_falling, -y, y), paddle.where(is_falling, 1.0 - value, value)
        found = level * _log1p_over(level * paddle.expm1(2.0 * y)) * paddle.exp(y) * _sinh_over(y)
        return paddle.where(is_falling, 1.0 - found, found)

    def kl_divergence(self, other: ContinuousBernoulli) -> Tensor:
        """Return the divergence from another ContinuousBernoulli.

        Raises:
            InvalidArgumentError: when their batch shapes differ.
        """
        check_same_class(self, other)
        if self.batch_shape != other.batch_shape:
            raise InvalidArgumentError(
                "KL divergence of two Continuous Bernoulli distributions should share the same "
                f"`batch_shape`, but they are {self.batch_shape} and {other.batch_shape}."
            )
        log_q, log_rest = paddle.log(other.probs), paddle.log1p(-other.probs)
        cross = other._log_constant() + self.mean * (log_q - log_rest) + log_rest
        return -self.entropy() - cross
