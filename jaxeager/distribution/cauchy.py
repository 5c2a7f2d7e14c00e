"""Cauchy: the ratio of two normal draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    location_and_scale,
)
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.rules.domains import NOT_NEGATIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Cauchy(Distribution):
    """The Cauchy distribution, which has neither mean nor variance.

    Args:
        loc: the median; a number or a Tensor.
        scale: the half width at half maximum, above 0; a number or a Tensor.
        name: accepted for compatibility.

    Raises:
        InvalidTypeError: for any other type.

    Example:
        >>> import jaxeager as paddle
        >>> cauchy = paddle.distribution.Cauchy(0.0, 1.0)
        >>> cauchy.cdf(paddle.to_tensor([0.0, 1.0])).tolist()
        [0.5, 0.75]
    """

    def __init__(self, loc: float | Tensor, scale: float | Tensor, name: str | None = None):
        self.name = name or "Cauchy"
        self.loc, self.scale = location_and_scale(loc, scale)
        check_parameters(self, NOT_NEGATIVE, scale=self.scale)
        self.dtype = self.loc.dtype
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """Raise an error: the distribution has no mean.

        Raises:
            InvalidArgumentError: always.
        """
        raise InvalidArgumentError("Cauchy distribution has no mean.")

    @property
    def variance(self) -> Tensor:
        """Raise an error: the distribution has no variance.

        Raises:
            InvalidArgumentError: always.
        """
        raise InvalidArgumentError("Cauchy distribution has no variance.")

    @property
    def stddev(self) -> Tensor:
        """Raise an error: the distribution has no standard deviation.

        Raises:
            InvalidArgumentError: always.
        """
        raise InvalidArgumentError("Cauchy distribution has no stddev.")

    def sample(self, shape: Sequence[int] = (), name: str | None = None) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape, name)

    def rsample(self, shape: Sequence[int] = (), name: str | None = None) -> Tensor:
        """Return draws; gradients reach both parameters."""
        noise = paddle.rand(self._extend_shape(shape), dtype=self.dtype)
        return self.loc + self.scale * paddle.tan(math.pi * (noise - 0.5))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        value = self._check_values_dtype_in_probs(self.loc, value)
        z = (value - self.loc) / self.scale
        return -paddle.log1p(z.square()) - (paddle.log(self.scale) + math.log(math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability that a draw is at most ``value``."""
        value = self._check_values_dtype_in_probs(self.loc, value)
        return paddle.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return paddle.log(self.scale) + math.log(4 * math.pi)

    def kl_divergence(self, other: Cauchy) -> Tensor:
        """Return the divergence from another Cauchy."""
        check_same_class(self, other)
        far = (self.scale + other.scale).square() + (self.loc - other.loc).square()
        return paddle.log(far) - paddle.log(4 * self.scale * other.scale)
