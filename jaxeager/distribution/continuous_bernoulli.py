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


class ContinuousBernoulli(Distribution):
    """The distribution on [0, 1] with density ``probs ** x * (1 - probs) ** (1 - x)``, scaled.

    Near ``probs = 1/2`` the formulas divide 0 by 0; a series is used there.

    Args:
        probs: between 0 and 1; a number, which is a vector of one element, or a Tensor. It is
            clipped to [eps, 1 - eps] of its dtype.
        lims: the ends of the interval of ``probs`` in which the series is used.

    Raises:
        InvalidTypeError: for other ``probs``.

    Paddle: the density is not 0 outside of [0, 1].

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

    def _is_ordinary(self):
        """Return where the formulas are used."""
        return (self.probs <= self.lims[0]) | (self.probs > self.lims[1])

    def _ordinary_probs(self):
        """Return the probabilities, with a harmless value where the series is used."""
        return paddle.where(self._is_ordinary(), self.probs, self.lims[0].expand(self.probs.shape))

    def _choose(self, formula, series):
        return paddle.where(self._is_ordinary(), formula, series)

    def _log_constant(self):
        """Return the logarithm of the normalizing constant of the density."""
        probs = self._ordinary_probs()
        odds = paddle.log1p(-probs) - paddle.log(probs)
        formula = paddle.log(paddle.abs(odds)) - paddle.log(paddle.abs(1.0 - 2.0 * probs))
        x = paddle.square(self.probs - 0.5)
        return self._choose(formula, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        probs = self._ordinary_probs()
        odds = paddle.log1p(-probs) - paddle.log(probs)
        formula = probs / (2.0 * probs - 1.0) + 1.0 / odds
        x = self.probs - 0.5
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * paddle.square(x)) * x
        return self._choose(formula, series)

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        probs = self._ordinary_probs()
        odds = paddle.log1p(-probs) - paddle.log(probs)
        formula = probs * (probs - 1.0) / paddle.square(1.0 - 2.0 * probs) + 1.0 / odds.square()
        x = paddle.square(self.probs - 0.5)
        return self._choose(formula, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

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
        probs = self._ordinary_probs()
        grown = paddle.pow(probs, value) * paddle.pow(1.0 - probs, 1.0 - value)
        found = (grown + probs - 1.0) / (2.0 * probs - 1.0)
        found = paddle.where(self._is_ordinary(), found, value)
        return inside(value > 0, inside(value < 1, found, 1.0), 0.0)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of ``cdf`` at ``value``."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        probs = self._ordinary_probs()
        log_rest = paddle.log1p(-probs)
        up = paddle.log1p(-probs + value * (2.0 * probs - 1.0)) - log_rest
        return self._choose(up / (paddle.log(probs) - log_rest), value)

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
