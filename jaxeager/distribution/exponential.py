"""Exponential: the waiting time for an event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.densities import excess
from jaxeager.distribution.exponential_family import ExponentialFamily
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    inside,
    open_uniform,
)
from jaxeager.ops.rules.domains import POSITIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Exponential(ExponentialFamily):
    """The distribution with density ``rate * exp(-rate * x)`` from 0 on.

    Args:
        rate: above 0; a float, a sequence, an array or a Tensor.

    Raises:
        InvalidTypeError: for any other type, including int.

    Paddle: below 0 the density keeps growing, and ``cdf`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> exponential = paddle.distribution.Exponential(2.0)
        >>> exponential.mean.item(), exponential.prob(paddle.to_tensor([-1.0, 0.0])).tolist()
        (0.5, [0.0, 2.0])
    """

    def __init__(self, rate: Any):
        if not self._validate_args(rate):
            (rate,) = self._to_tensor(rate, dtype=paddle.get_default_dtype())
        check_parameters(self, POSITIVE, rate=rate)
        self.rate = rate
        self.dtype = dtype_name(rate)
        super().__init__(rate.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return self.rate.pow(-2)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach the rate."""
        return -paddle.log(open_uniform(self._extend_shape(shape), self.dtype)) / self.rate

    def log_prob(self, value: float | Tensor) -> Tensor:
        """Return the logarithm of the density, -inf below 0."""
        value = self._promoted_value(self.rate, value)
        return inside(value >= 0, paddle.log(self.rate) - self.rate * value, -float("inf"))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 1.0 - paddle.log(self.rate)

    def cdf(self, value: float | Tensor) -> Tensor:
        """Return the probability that a draw is at most ``value``."""
        value = self._promoted_value(self.rate, value)
        return inside(value >= 0, -paddle.expm1(-self.rate * value), 0.0)

    def icdf(self, value: float | Tensor) -> Tensor:
        """Return the inverse of ``cdf`` at ``value``."""
        value = self._promoted_value(self.rate, value)
        return -paddle.log1p(-value) / self.rate

    def kl_divergence(self, other: Exponential) -> Tensor:
        """Return the divergence from another Exponential."""
        check_same_class(self, other)
        return excess(other.rate, self.rate)

    @property
    def _natural_parameters(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -paddle.log(-x)
