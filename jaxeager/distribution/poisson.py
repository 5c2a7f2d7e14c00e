"""Poisson: the number of rare events."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.densities import excess, log_poisson
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    inside,
)
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.rules.domains import FINITE_NOT_NEGATIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

LARGE_RATE = 1e4


class Poisson(Distribution):
    """The distribution of the number of independent events, ``rate`` on average.

    Args:
        rate: the mean, not negative; a number, which is a vector of one element, or a Tensor.

    Raises:
        InvalidTypeError: for any other type.

    Paddle: impossible values have probability 1.

    Example:
        >>> import jaxeager as paddle
        >>> poisson = paddle.distribution.Poisson(paddle.to_tensor([0.0, 3.0]))
        >>> poisson.prob(paddle.to_tensor([1.0, -1.0])).tolist()
        [0.0, 0.0]
    """

    def __init__(self, rate: float | Tensor):
        if isinstance(rate, (float, int)):
            rate = paddle.to_tensor([rate], dtype=paddle.get_default_dtype())
        if not isinstance(rate, paddle.Tensor):
            raise InvalidTypeError(f"rate must be a number or a Tensor, but is {type(rate)}.")
        check_parameters(self, FINITE_NOT_NEGATIVE, rate=rate)
        self.rate = rate
        self.dtype = dtype_name(rate)
        super().__init__(rate.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean, ``rate``."""
        return self.rate

    @property
    def variance(self) -> Tensor:
        """Return the variance, ``rate``."""
        return self.rate

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return paddle.poisson(self.rate.expand(self._extend_shape(shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability, -inf below 0."""
        value = self._check_values_dtype_in_probs(self.rate, value)
        count, rate = paddle.broadcast_tensors([value, self.rate])
        count = inside(count >= 0, count, 0.0)
        return inside(value >= 0, log_poisson(count, rate), -float("inf"))

    def entropy(self) -> Tensor:
        """Return the entropy, a sum over the counts up to 30 standard deviations above the mean.

        This waits for the device, to read that count. From a rate of 10,000 on it is the expansion
        in 1 / rate of Evans and Boersma, "The entropy of a Poisson distribution" (1988), whose rest
        is below 1e-16.
        """
        is_large = self.rate > LARGE_RATE
        small = Poisson(inside(~is_large, self.rate, 1.0))
        most = float(small.rate.max())
        counts = paddle.arange(int(most + 30 * max(most, 1.0) ** 0.5) + 1, dtype=self.dtype)
        found = small.log_prob(counts.reshape([-1] + [1] * len(self.batch_shape)))
        total = -(paddle.exp(found) * inside(found > -float("inf"), found, 0.0)).sum(0)
        rate = inside(is_large, self.rate, LARGE_RATE)
        part = 1 / rate
        rest = part * (1 / 12 + part * (1 / 24 + part * (19 / 360)))
        return paddle.where(is_large, 0.5 * paddle.log(2 * math.pi * math.e * rate) - rest, total)

    def kl_divergence(self, other: Poisson) -> Tensor:
        """Return the divergence from another Poisson.

        Raises:
            InvalidArgumentError: when their batch shapes differ.
        """
        check_same_class(self, other)
        if self.batch_shape != other.batch_shape:
            raise InvalidArgumentError(
                "KL divergence of two poisson distributions should share the same `batch_shape`, "
                f"but they are {self.batch_shape} and {other.batch_shape}."
            )
        is_some = self.rate > 0
        some = inside(is_some, self.rate, 1.0)
        found = some * excess(inside(is_some, other.rate, 1.0), some)
        return paddle.where(is_some, found, other.rate)
