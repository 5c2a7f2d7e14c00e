"""Gumbel: the largest of many draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.distribution.parameters import (
    check_parameters,
    location_and_scale,
    open_uniform,
)
from jaxeager.distribution.transformed_distribution import TransformedDistribution
from jaxeager.distribution.uniform import Uniform
from jaxeager.ops.rules.domains import NOT_NEGATIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Gumbel(TransformedDistribution):
    """The distribution of ``loc - scale * log(-log(u))`` for a uniform draw u.

    Args:
        loc: the mode; a number or a Tensor.
        scale: above 0; a number or a Tensor.

    Raises:
        InvalidTypeError: for any other type.

    Paddle: ``log_prob`` is -inf where the density underflows.

    Example:
        >>> import jaxeager as paddle
        >>> gumbel = paddle.distribution.Gumbel(0.0, 1.0)
        >>> gumbel.log_prob(paddle.to_tensor(0.0)).item()
        -1.0
    """

    def __init__(self, loc: float | Tensor, scale: float | Tensor):
        self.loc, self.scale = location_and_scale(loc, scale)
        check_parameters(self, NOT_NEGATIVE, scale=self.scale)
        limits = np.finfo("float32")
        self.base_dist = Uniform(
            paddle.full_like(self.loc, float(limits.tiny)),
            paddle.full_like(self.loc, float(1 - limits.eps)),
        )
        super().__init__(self.base_dist, ())

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return self.loc + self.scale * np.euler_gamma

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return self.scale.square() * (math.pi * math.pi / 6)

    @property
    def stddev(self) -> Tensor:
        """Return the standard deviation."""
        return self.scale * (math.pi / math.sqrt(6))

    def _depth(self, value):
        value = self._check_values_dtype_in_probs(self.loc, value)
        return (self.loc - value) / self.scale

    def prob(self, value: Tensor) -> Tensor:
        """Return the density."""
        return paddle.exp(self.log_prob(value))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        y = self._depth(value)
        return y - paddle.exp(y) - paddle.log(self.scale)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability that a draw is at most ``value``."""
        return paddle.exp(
            -paddle.exp((self.loc - self._promoted_value(self.loc, value)) / self.scale)
        )

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return paddle.log(self.scale) + (1 + np.euler_gamma)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach both parameters."""
        noise = open_uniform(self._extend_shape(shape), self.loc.dtype)
        return self.loc - self.scale * paddle.log(-paddle.log(noise))
