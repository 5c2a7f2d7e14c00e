"""Laplace: a two-sided exponential."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    limits_of,
    location_and_scale,
)
from jaxeager.ops.rules.domains import NOT_NEGATIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Laplace(Distribution):
    """The distribution with density ``exp(-|x - loc| / scale) / (2 scale)``.

    Args:
        loc: the mean; a number or a Tensor.
        scale: above 0; a number or a Tensor.

    Raises:
        InvalidTypeError: for any other type.

    Example:
        >>> import jaxeager as paddle
        >>> laplace = paddle.distribution.Laplace(0.0, 1.0)
        >>> laplace.cdf(paddle.to_tensor(0.0)).item(), laplace.sample([2]).shape
        (0.5, paddle.Size([2]))
    """

    def __init__(self, loc: float | Tensor, scale: float | Tensor):
        self.loc, self.scale = location_and_scale(loc, scale)
        check_parameters(self, NOT_NEGATIVE, scale=self.scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean, ``loc``."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """Return the standard deviation."""
        return (2**0.5) * self.scale

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return self.stddev.pow(2)

    def log_prob(self, value: float | Tensor) -> Tensor:
        """Return the logarithm of the density."""
        value = self._check_values_dtype_in_probs(self.scale, value)
        return -paddle.log(2 * self.scale) - paddle.abs(value - self.loc) / self.scale

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 1 + paddle.log(2 * self.scale)

    def cdf(self, value: float | Tensor) -> Tensor:
        """Return the probability that a draw is at most ``value``."""
        gap = self._check_values_dtype_in_probs(self.scale, value) - self.loc
        return 0.5 - 0.5 * gap.sign() * paddle.expm1(-gap.abs() / self.scale)

    def icdf(self, value: float | Tensor) -> Tensor:
        """Return the inverse of ``cdf`` at ``value``."""
        term = self._check_values_dtype_in_probs(self.scale, value) - 0.5
        return self.loc - self.scale * term.sign() * paddle.log1p(-2 * term.abs())

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach both parameters."""
        eps = float(limits_of(self.loc).eps)
        noise = paddle.uniform(
            self._extend_shape(shape), dtype=self.loc.dtype, min=-1.0 + eps, max=1.0
        )
        return self.loc - self.scale * noise.sign() * paddle.log1p(-noise.abs())

    def kl_divergence(self, other: Laplace) -> Tensor:
        """Return the divergence from another Laplace."""
        check_same_class(self, other)
        gap = paddle.abs(self.loc - other.loc)
        near = (self.scale * paddle.exp(-gap / self.scale) + gap) / other.scale
        return near + paddle.log(other.scale / self.scale) - 1
