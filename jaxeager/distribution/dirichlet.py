"""Dirichlet: shares of a whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.exponential_family import ExponentialFamily
from jaxeager.distribution.parameters import check_parameters, check_same_class, inside, xlogy
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.random.implicit_gamma import log_gamma_draws
from jaxeager.ops.rules.domains import POSITIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Dirichlet(ExponentialFamily):
    """The distribution of k shares that add up to 1.

    Args:
        concentration: float[..., k], above 0.

    Raises:
        InvalidTypeError: when it is not a Tensor.
        InvalidArgumentError: when it is 0-D or empty.

    Paddle: there is no ``rsample``, and ``log_prob`` is nan outside of the support, and at an edge
    where the density is finite.

    Example:
        >>> import jaxeager as paddle
        >>> dirichlet = paddle.distribution.Dirichlet(paddle.to_tensor([1.0, 3.0]))
        >>> dirichlet.mean.tolist(), dirichlet.sample([5]).shape
        ([0.25, 0.75], paddle.Size([5, 2]))
    """

    def __init__(self, concentration: Tensor):
        if not isinstance(concentration, paddle.Tensor):
            raise InvalidTypeError(
                f"The concentration must be a Tensor, but received {type(concentration)}."
            )
        if concentration.dim() < 1 or math.prod(concentration.shape) == 0:
            raise InvalidArgumentError(
                "`concentration` parameter must be at least one dimensional and not empty, but "
                f"has shape {list(concentration.shape)}."
            )
        self.concentration = concentration
        check_parameters(self, POSITIVE, concentration=concentration)
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """Return the mean of each share."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        """Return the variance of each share."""
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach the concentration by implicit differentiation."""
        drawn = log_gamma_draws(self.concentration.expand(self._extend_shape(shape)))
        return paddle.nn.functional.softmax(drawn, axis=-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of shares that add up to 1, -inf below 0."""
        value = self._promoted_value(self.concentration, value)
        power, value = paddle.broadcast_tensors([self.concentration - 1.0, value])
        possible = value >= 0
        found = xlogy(power, inside(possible, value, 1.0)).sum(-1)
        found = found - self._log_normalizer(self.concentration)
        return inside(possible.all(-1), found, -float("inf"))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        total = self.concentration.sum(-1)
        each = (self.concentration - 1.0) * paddle.digamma(self.concentration)
        count = self.concentration.shape[-1]
        return (
            self._log_normalizer(self.concentration)
            - (count - total) * paddle.digamma(total)
            - each.sum(-1)
        )

    def kl_divergence(self, other: Dirichlet) -> Tensor:
        """Return the divergence from another Dirichlet."""
        check_same_class(self, other)
        mean_log = paddle.digamma(self.concentration) - paddle.digamma(
            self.concentration.sum(-1, keepdim=True)
        )
        weighed = ((self.concentration - other.concentration) * mean_log).sum(-1)
        normalizers = self._log_normalizer(other.concentration) - self._log_normalizer(
            self.concentration
        )
        return normalizers + weighed

    @property
    def _natural_parameters(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - paddle.lgamma(x.sum(-1))
