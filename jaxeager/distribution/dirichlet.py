"""Dirichlet: shares of a whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.densities import (
    HALF_LOG_2PI,
    deviance,
    gamma_divergence,
    log_minus_digamma,
    stirling_error,
)
from jaxeager.distribution.exponential_family import ExponentialFamily
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    inside,
    limits_of,
    xlogy,
)
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.random.implicit_gamma import log_gamma_draws
from jaxeager.ops.rules.domains import POSITIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

LARGE = 8.0  # above, the large parts of the density are subtracted by hand


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
        found = paddle.where(*self._of_large(value, found))
        return inside(possible.all(-1), found, -float("inf"))

    def _of_large(self, value, found):
        """Return where all concentrations are large, the logarithms there, and those that are not.

        Shares that add up to 1 within rounding are taken to do so; their gradients are those of the
        formula for any shares.
        """
        shares, value = paddle.broadcast_tensors([self.concentration, value])
        is_large = ((shares > LARGE) & (value > 0)).all(-1)
        each, part = is_large.unsqueeze(-1), value.sum(-1)
        shares, value = inside(each, shares, LARGE), inside(each, value, 1.0)
        total, count = shares.sum(-1), shares.shape[-1]
        near = paddle.abs(part - 1) <= 4 * count * float(limits_of(part).eps)
        off = paddle.where(near, part - part.detach(), part - 1)
        logs = (0.5 * paddle.log(shares) - paddle.log(value) - stirling_error(shares)).sum(-1)
        apart = deviance(shares, total.unsqueeze(-1) * value).sum(-1) - total * off
        whole = stirling_error(total) - 0.5 * paddle.log(total) - (count - 1) * HALF_LOG_2PI
        return is_large, logs + whole - apart, found

    def entropy(self) -> Tensor:
        """Return the entropy."""
        shares = self.concentration
        total, count = shares.sum(-1), shares.shape[-1]
        each = (shares - 1.0) * log_minus_digamma(shares) + 0.5 * paddle.log(shares)
        whole = (count - total) * log_minus_digamma(total) + (0.5 - count) * paddle.log(total)
        errors = stirling_error(shares).sum(-1) - stirling_error(total)
        return each.sum(-1) + whole + errors + (count - 1) * HALF_LOG_2PI

    def kl_divergence(self, other: Dirichlet) -> Tensor:
        """Return the divergence from another Dirichlet."""
        check_same_class(self, other)
        a, b = self.concentration, other.concentration
        return gamma_divergence(a, b).sum(-1) - gamma_divergence(a.sum(-1), b.sum(-1))

    @property
    def _natural_parameters(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - paddle.lgamma(x.sum(-1))
