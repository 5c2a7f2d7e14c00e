"""Gamma: the waiting time for several events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.densities import (
    HALF_LOG_2PI,
    deviance,
    excess,
    gamma_divergence,
    log_minus_digamma,
    stirling_error,
)
from jaxeager.distribution.exponential_family import ExponentialFamily
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    inside,
    shape_of,
    spread,
    xlogy,
)
from jaxeager.ops.random.implicit_gamma import log_gamma_draws
from jaxeager.ops.rules.domains import POSITIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

LARGE = 8.0  # above, the large parts of the density are subtracted by hand


class Gamma(ExponentialFamily):
    """The distribution with density ``x ** (concentration - 1) * exp(-rate * x)``, scaled.

    Args:
        concentration: above 0; a float, a sequence, an array or a Tensor.
        rate: above 0; a Tensor when ``concentration`` is a Tensor.

    Raises:
        InvalidArgumentError: when one of the two is a Tensor and the other is not.
        InvalidTypeError: for any other type, including int.

    Paddle: no gradient of ``rsample`` reaches ``concentration``; the batch shape is that of
    ``concentration`` alone; and ``log_prob`` is nan below 0, and at 0 for a concentration of 1.

    Example:
        >>> import jaxeager as paddle
        >>> gamma = paddle.distribution.Gamma(3.0, 2.0)
        >>> gamma.mean.item(), gamma.rsample([2]).shape
        (1.5, paddle.Size([2]))
    """

    def __init__(self, concentration: Any, rate: Any):
        if not self._validate_args(concentration, rate):
            concentration, rate = self._to_tensor(
                concentration, rate, dtype=paddle.get_default_dtype()
            )
        check_parameters(self, POSITIVE, concentration=concentration, rate=rate)
        self.concentration, self.rate = concentration, rate
        self.dtype = dtype_name(concentration)
        super().__init__(shape_of(concentration, rate))

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return self.concentration / self.rate

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return self.concentration / self.rate.pow(2)

    def log_prob(self, value: float | Tensor) -> Tensor:
        """Return the logarithm of the density, -inf below 0."""
        value = self._promoted_value(self.concentration, value)
        power, value = paddle.broadcast_tensors([self.concentration - 1, value])
        possible = value >= 0
        value = inside(possible, value, 1.0)
        found = (
            self.concentration * paddle.log(self.rate)
            + xlogy(power, value)
            - self.rate * value
            - paddle.lgamma(self.concentration)
        )
        found = paddle.where(*self._of_large(value, found))
        return inside(possible, found, -float("inf"))

    def _of_large(self, value, found):
        """Return where the concentration is large, the logarithms there, and those that are not."""
        shape, mean = paddle.broadcast_tensors([self.concentration, self.rate * value])
        is_large, value, found = paddle.broadcast_tensors(
            [(shape > LARGE) & (mean > 0), value, found]
        )
        shape, mean = inside(is_large, shape, LARGE), inside(is_large, mean, 1.0)
        large = 0.5 * paddle.log(shape) - stirling_error(shape) - deviance(shape, mean)
        return is_large, large - HALF_LOG_2PI - paddle.log(inside(is_large, value, 1.0)), found

    def entropy(self) -> Tensor:
        """Return the entropy."""
        shape = self.concentration
        rest = (shape - 1.0) * log_minus_digamma(shape) + stirling_error(shape)
        return 0.5 * paddle.log(shape) - paddle.log(self.rate) + HALF_LOG_2PI + rest

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach the concentration by implicit differentiation."""
        drawn = log_gamma_draws(spread(self.concentration, self._extend_shape(shape)))
        return paddle.exp(drawn) / self.rate

    def kl_divergence(self, other: Gamma) -> Tensor:
        """Return the divergence from another Gamma."""
        check_same_class(self, other)
        a, b = self.concentration, other.concentration
        linear = (a - b) * (other.rate - self.rate) / self.rate
        return gamma_divergence(a, b) + b * excess(other.rate, self.rate) + linear

    @property
    def _natural_parameters(self):
        return (self.concentration - 1, -self.rate)

    def _log_normalizer(self, x, y):
        return paddle.lgamma(x + 1) - (x + 1) * paddle.log(-y)
