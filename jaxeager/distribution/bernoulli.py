"""Bernoulli: 1 with a given probability, else 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.densities import trial_divergence
from jaxeager.distribution.exponential_family import ExponentialFamily
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    inside,
    limits_of,
    open_uniform,
)
from jaxeager.ops.rules.domains import PROBABILITY

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Bernoulli(ExponentialFamily):
    """The distribution of 1 with probability ``probs`` and 0 otherwise.

    Args:
        probs: the probability of 1; a float, a sequence, an array or a Tensor. It is clipped to
            [eps, 1 - eps] of its dtype, as in Paddle.
        name: accepted for compatibility.

    Raises:
        InvalidTypeError: for any other type, including int.
        InvalidArgumentError: for values that are not probabilities; see ops/rules/domains.py, Note
            [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> bernoulli = paddle.distribution.Bernoulli(0.25)
        >>> bernoulli.variance.item(), bernoulli.sample([2]).shape
        (0.1875, paddle.Size([2]))
    """

    probs: Any  # a method of the base, as in Paddle

    def __init__(self, probs: float | Tensor, name: str | None = None):
        self.name = name or "Bernoulli"
        if not self._validate_args(probs):
            (probs,) = self._to_tensor(probs, dtype=paddle.get_default_dtype())
        check_parameters(self, PROBABILITY, probs=probs)
        eps = float(limits_of(probs).eps)
        self.dtype = dtype_name(probs)
        self.probs = paddle.clip(probs, min=eps, max=1 - eps)  # type: ignore[arg-type]
        self.logits = self._probs_to_logits(self.probs, is_binary=True)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean, ``probs``."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return self.probs * (1 - self.probs)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return paddle.bernoulli(self.probs.expand(self._extend_shape(shape)))

    def rsample(self, shape: Sequence[int] = (), temperature: float = 1.0) -> Tensor:
        """Return logits of a continuous relaxation; their sigmoid approaches 0 or 1.

        Args:
            shape: the sample shape.
            temperature: above 0; the lower, the closer the sigmoid is to 0 or 1.
        """
        noise = open_uniform(self._extend_shape(shape), self.dtype)
        return (self._probs_to_logits(noise, is_binary=True) + self.logits) / temperature

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability that a draw is at most ``value``."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        below = inside(value < 1, 1 - self.probs, 1.0)
        return inside(value >= 0, below, 0.0)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of 0 or 1; values in between interpolate."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        logits, value = paddle.broadcast_tensors([self.logits, value])
        return -paddle.nn.functional.binary_cross_entropy_with_logits(
            logits, value, reduction="none"
        )

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return paddle.nn.functional.binary_cross_entropy_with_logits(
            self.logits, self.probs, reduction="none"
        )

    def kl_divergence(self, other: Bernoulli) -> Tensor:
        """Return the divergence from another Bernoulli."""
        check_same_class(self, other)
        log_sigmoid = paddle.nn.functional.log_sigmoid
        one = log_sigmoid(self.logits) - log_sigmoid(other.logits)
        zero = log_sigmoid(-self.logits) - log_sigmoid(-other.logits)
        chance = paddle.nn.functional.sigmoid(self.logits)
        found = chance * one + paddle.nn.functional.sigmoid(-self.logits) * zero
        p, q = self.probs, other.probs
        near = paddle.abs(p - q) < 0.4 * paddle.minimum(p, 1 - p)
        apart = trial_divergence(inside(near, p, 0.5), inside(near, q, 0.5))
        return paddle.where(near, apart, found)

    @property
    def _natural_parameters(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        return paddle.nn.functional.softplus(x)
