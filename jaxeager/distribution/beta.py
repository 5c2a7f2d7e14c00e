"""Beta: a share between 0 and 1."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.dirichlet import Dirichlet
from jaxeager.distribution.exponential_family import ExponentialFamily
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    number_or_tensor,
)
from jaxeager.ops.random.implicit_gamma import log_gamma_draws
from jaxeager.ops.rules.domains import POSITIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Beta(ExponentialFamily):
    """The distribution on [0, 1] with density ``x ** (alpha - 1) * (1 - x) ** (beta - 1)``, scaled.

    Args:
        alpha: above 0; a number or a Tensor.
        beta: above 0; a number or a Tensor.

    Raises:
        InvalidTypeError: for any other type.

    Paddle: ``sample`` drops a last dimension of size 1; there is no ``rsample``; and ``log_prob``
    is nan at an end of the interval where the density is finite.

    Example:
        >>> import jaxeager as paddle
        >>> beta = paddle.distribution.Beta(1.0, 3.0)
        >>> beta.mean.item(), beta.sample([2]).shape
        (0.25, paddle.Size([2]))
    """

    def __init__(self, alpha: float | Tensor, beta: float | Tensor):
        alpha, beta = _read("alpha", alpha, beta), _read("beta", beta, alpha)
        check_parameters(self, POSITIVE, alpha=alpha, beta=beta)
        self.alpha, self.beta = paddle.broadcast_tensors([alpha, beta])
        self._dirichlet = Dirichlet(paddle.stack([self.alpha, self.beta], -1))
        super().__init__(self.alpha.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total.pow(2) * (total + 1))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        value = self._promoted_value(self.alpha, value)
        return self._dirichlet.log_prob(paddle.stack([value, 1.0 - value], -1))

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach both parameters by implicit differentiation."""
        shape = self._extend_shape(shape)
        odds = log_gamma_draws(self.alpha.expand(shape)) - log_gamma_draws(self.beta.expand(shape))
        return paddle.nn.functional.sigmoid(odds)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._dirichlet.entropy()

    def kl_divergence(self, other: Beta) -> Tensor:
        """Return the divergence from another Beta."""
        check_same_class(self, other)
        return self._dirichlet.kl_divergence(other._dirichlet)

    @property
    def _natural_parameters(self):
        return (self.alpha, self.beta)

    def _log_normalizer(self, x, y):
        return paddle.lgamma(x) + paddle.lgamma(y) - paddle.lgamma(x + y)


def _read(name, value, other):
    """Return a parameter as a tensor; a number gets the dtype of the other parameter."""
    if isinstance(value, numbers.Real) and isinstance(other, paddle.Tensor):
        return paddle.full([], value, dtype=other.dtype)  # type: ignore[arg-type]
    return number_or_tensor(name, value)
