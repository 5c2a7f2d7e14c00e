"""ExponentialFamily: entropy and divergence from the log-normalizer's derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import sum_rightmost

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class ExponentialFamily(Distribution):
    """Base of distributions with density ``h(x) exp(<t(x), natural> - log_normalizer(natural))``.

    A subclass defines ``_natural_parameters``, a tuple of tensors; ``_log_normalizer``, a function
    of them; and, for the entropy, ``_mean_carrier_measure``, the mean of log h.

    Paddle: gradients of ``entropy`` do not reach the parameters, and products over an event are not
    summed.

    Example:
        >>> import jaxeager as paddle
        >>> class Exponential(paddle.distribution.ExponentialFamily):
        ...     def __init__(self, rate):
        ...         self.rate = rate
        ...         super().__init__(rate.shape)
        ...     _mean_carrier_measure = 0.0
        ...     _natural_parameters = property(lambda self: (-self.rate,))
        ...     def _log_normalizer(self, x):
        ...         return -paddle.log(-x)
        >>> Exponential(paddle.to_tensor([1.0])).entropy().tolist()
        [1.0]
    """

    @property
    def _natural_parameters(self) -> tuple:
        raise self._missing("_natural_parameters")

    def _log_normalizer(self, *natural):
        raise self._missing("_log_normalizer")

    @property
    def _mean_carrier_measure(self):
        raise self._missing("_mean_carrier_measure")

    def entropy(self) -> Tensor:
        """Return the entropy, computed with the Bregman divergence of the log-normalizer."""
        natural, normalizer, slopes = normalizer_and_slopes(self)
        found = normalizer - self._mean_carrier_measure
        for parameter, slope in zip(natural, slopes, strict=True):
            found = found - sum_rightmost(parameter * slope, len(self.event_shape))
        return found


def normalizer_and_slopes(family) -> tuple:
    """Return the natural parameters, the log-normalizer at them, and its derivatives.

    Gradients of all three reach the parameters of the family.
    """
    natural = []
    for parameter in family._natural_parameters:
        own = parameter.detach() if parameter.stop_gradient else parameter.clone()
        own.stop_gradient = False
        natural.append(own)
    with paddle.enable_grad():
        normalizer = family._log_normalizer(*natural)
        slopes = paddle.grad(normalizer.sum(), natural, create_graph=True)
    return natural, normalizer, slopes
