"""Geometric: the number of failures before the first success."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.densities import trial_divergence, xlog1p
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    inside,
    number_or_tensor,
    open_uniform,
)
from jaxeager.errors import InvalidTypeError
from jaxeager.ops.rules.domains import CHANCE_OF_SUCCESS

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Geometric(Distribution):
    """The distribution of the number of failures before the first success: 0, 1, 2, ...

    Args:
        probs: the probability of success, in (0, 1]; a number or a Tensor.

    Raises:
        InvalidTypeError: for any other type.

    Paddle: ``kl_divergence`` is that of one trial, without the mean number of trials; ``log_pmf``
    underflows to -inf; negative counts have positive probabilities; ``prob`` and ``log_prob`` are
    missing; and ``entropy`` is nan at ``probs`` 1.

    Example:
        >>> import jaxeager as paddle
        >>> geometric = paddle.distribution.Geometric(0.5)
        >>> geometric.mean.item(), geometric.pmf(2).item()
        (1.0, 0.125)
    """

    probs: Any  # a method of the base, as in Paddle

    def __init__(self, probs: float | Tensor):
        self.probs = number_or_tensor("probs", probs)
        check_parameters(self, CHANCE_OF_SUCCESS, probs=self.probs)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return 1.0 / self.probs - 1.0

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return (1.0 / self.probs - 1.0) / self.probs

    @property
    def stddev(self) -> Tensor:
        """Return the standard deviation."""
        return paddle.sqrt(self.variance)

    def _count(self, k):
        if not isinstance(k, (numbers.Integral, paddle.Tensor)):
            raise InvalidTypeError(f"Expected type of k is an int or a Tensor, but got {type(k)}")
        return self._promoted_value(self.probs, k)

    def pmf(self, k: int | Tensor) -> Tensor:
        """Return the probability of ``k`` failures.

        Args:
            k: an int or a Tensor.

        Raises:
            InvalidTypeError: for any other type.
        """
        k = self._count(k)
        return inside(k >= 0, paddle.exp(self._log_of_failures(k.clip(min=0))) * self.probs, 0.0)

    def _log_of_failures(self, k):
        """Return the logarithm of the chance that ``k`` trials fail."""
        rest, k = paddle.broadcast_tensors([-self.probs, k])
        return xlog1p(k, rest)

    def log_pmf(self, k: int | Tensor) -> Tensor:
        """Return the logarithm of the probability of ``k`` failures; see ``pmf``."""
        k = self._count(k)
        return inside(k >= 0, self._log_of_failures(k) + paddle.log(self.probs), -float("inf"))

    def prob(self, value: Tensor) -> Tensor:
        """Return the probability of ``value`` failures; same as ``pmf``."""
        return self.pmf(value)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of that probability; same as ``log_pmf``."""
        return self.log_pmf(value)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; they are integers, so their gradients are 0."""
        noise = open_uniform(self._extend_shape(shape), self.probs.dtype)
        return paddle.floor(paddle.log(noise) / paddle.log1p(-self.probs))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        failure = xlog1p(1.0 - self.probs, -self.probs)
        return -failure / self.probs - paddle.log(self.probs)

    def cdf(self, k: int | Tensor) -> Tensor:
        """Return the probability of at most ``k`` failures; see ``pmf``."""
        k = self._count(k)
        return inside(k >= 0, -paddle.expm1(self._log_of_failures(k.clip(min=0) + 1)), 0.0)

    def kl_divergence(self, other: Geometric) -> Tensor:
        """Return the divergence from another Geometric."""
        check_same_class(self, other)
        return trial_divergence(self.probs, other.probs) / self.probs
