"""LogNormal: the exponential of a normal draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.distribution.elementwise_transforms import ExpTransform
from jaxeager.distribution.normal import Normal
from jaxeager.distribution.parameters import check_same_class
from jaxeager.distribution.transformed_distribution import TransformedDistribution

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class LogNormal(TransformedDistribution):
    """The distribution of the exponential of a normal draw.

    Args:
        loc: the mean of the logarithm; as in Normal.
        scale: the standard deviation of the logarithm; as in Normal.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.LogNormal(0.0, 1.0).mean.item()
        1.6487212181091309
    """

    def __init__(
        self,
        loc: float | Sequence[float] | np.ndarray | Tensor,
        scale: float | Sequence[float] | np.ndarray | Tensor,
    ):
        base = Normal(loc, scale)
        self.loc, self.scale = base.loc, base.scale
        super().__init__(base, [ExpTransform()])

    @property
    def mean(self) -> Tensor:
        """Return the mean, ``exp(loc + scale ** 2 / 2)``."""
        return paddle.exp(self.base.mean + self.base.variance / 2)

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        variance = self.base.variance
        return paddle.expm1(variance) * paddle.exp(2 * self.base.mean + variance)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self.base.entropy() + self.base.mean

    def probs(self, value: Tensor) -> Tensor:
        """Return the density."""
        return paddle.exp(self.log_prob(value))

    def kl_divergence(self, other: LogNormal) -> Tensor:
        """Return the divergence from another LogNormal."""
        check_same_class(self, other)
        return self.base.kl_divergence(other.base)
