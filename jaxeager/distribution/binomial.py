"""Binomial: the number of successes in a number of trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.densities import log_poisson, trial_divergence
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    inside,
    limits_of,
)
from jaxeager.errors import InvalidTypeError
from jaxeager.ops.rules.domains import NOT_NEGATIVE, PROBABILITY

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Binomial(Distribution):
    """The distribution of the number of successes in ``total_count`` trials.

    Args:
        total_count: an int, or a Tensor of integers.
        probs: the probability of success; a float, or a floating Tensor.

    Raises:
        InvalidTypeError: for any other type.

    Paddle: a count below 0 or above ``total_count`` has probability 1.

    Example:
        >>> import jaxeager as paddle
        >>> binomial = paddle.distribution.Binomial(10, 0.5)
        >>> binomial.mean.item(), binomial.prob(paddle.to_tensor(11.0)).item()
        (5.0, 0.0)
    """

    probs: Any  # a method of the base, as in Paddle

    def __init__(self, total_count: int | Tensor, probs: float | Tensor):
        if isinstance(probs, float):
            probs = paddle.to_tensor(probs, dtype=paddle.get_default_dtype())
        if not isinstance(probs, paddle.Tensor) or not isinstance(
            total_count, (int, paddle.Tensor)
        ):
            raise InvalidTypeError(
                "Binomial takes an int or a Tensor for total_count, a float or a Tensor for probs, "
                f"but received {type(total_count)} and {type(probs)}."
            )
        self.dtype = dtype_name(probs)
        check_parameters(self, NOT_NEGATIVE, total_count=total_count)
        check_parameters(self, PROBABILITY, probs=probs)
        if isinstance(total_count, int):
            total_count = paddle.to_tensor(total_count, dtype="int64")
        total_count = total_count.astype(self.dtype)
        self.total_count, self.probs = paddle.broadcast_tensors([total_count, probs])
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return self.total_count * self.probs

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        shape = self._extend_shape(shape)
        with paddle.no_grad():
            count = self.total_count.astype("int64").expand(shape)
            return paddle.binomial(count, self.probs.expand(shape)).astype(self.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability, -inf outside of 0 to ``total_count``."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        possible = (value >= 0) & (value <= self.total_count)
        value = inside(possible, value + 0.0 * self.total_count, 0.0)
        rest = self.total_count - value
        probs, count = self._clipped(), self.total_count
        # successes and failures are counted by two Poissons, given that their sum is the count
        found = log_poisson(value, count * probs) + log_poisson(rest, count * (1 - probs))
        return inside(possible, found - log_poisson(count, count), -float("inf"))

    def _clipped(self):
        """Return the probability, between eps and 1 - eps."""
        eps = float(limits_of(self.probs).eps)
        return paddle.clip(self.probs, min=eps, max=1 - eps)

    def _support(self):
        """Return the counts up to the largest total, along a new axis 0; wait for the device."""
        values = paddle.arange(1 + int(self.total_count.max()), dtype=self.dtype)
        return values.reshape([-1] + [1] * len(self.batch_shape))

    def entropy(self) -> Tensor:
        """Return the entropy, a sum over all counts; wait for the device."""
        found = self.log_prob(self._support())
        return -(paddle.exp(found) * inside(found > -float("inf"), found, 0.0)).sum(0)

    def kl_divergence(self, other: Binomial) -> Tensor:
        """Return the divergence from another Binomial; wait for the device.

        It is inf where the other distribution has fewer trials.
        """
        check_same_class(self, other)
        is_same = self.total_count == other.total_count
        found = self.total_count * trial_divergence(self._clipped(), other._clipped())
        if bool(is_same.all()):
            return found
        support = self._support()
        one, two = self.log_prob(support), other.log_prob(support)
        gap = inside(one > -float("inf"), one - two, 0.0)
        return paddle.where(is_same, found, (paddle.exp(one) * gap).sum(0))
