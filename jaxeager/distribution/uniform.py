"""Uniform: all values between two ends are equally likely."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax
import numpy as np

import jaxeager as paddle
from jaxeager.arrays.random import drawing_from
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_same_class,
    dtype_name,
    shape_of,
    spread,
)
from jaxeager.ops.rules.domains import NOT_NEGATIVE, check_domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Uniform(Distribution):
    """The distribution with constant density between ``low`` and ``high``.

    Args:
        low: the lower end; a number, a sequence, an array or a Tensor.
        high: the upper end; a Tensor when ``low`` is a Tensor.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: when one of the two is a Tensor and the other is not.
        InvalidTypeError: for any other type.

    Paddle: there is no ``mean``, ``variance``, ``rsample`` or ``kl_divergence``, and the batch
    shape is that of ``low`` alone.

    Example:
        >>> import jaxeager as paddle
        >>> uniform = paddle.distribution.Uniform(1.0, 3.0)
        >>> uniform.probs(paddle.to_tensor([2.0, 5.0])).tolist()
        [0.5, 0.0]
    """

    def __init__(
        self,
        low: float | Sequence[float] | np.ndarray | Tensor,
        high: float | Sequence[float] | np.ndarray | Tensor,
        name: str | None = None,
    ):
        self.name = name or "Uniform"
        self.low, self.high = self._float_parameters(low, high)
        width = self.high.detach() - self.low.detach()
        check_domain("The width `high - low` of Uniform", width, NOT_NEGATIVE)
        self.dtype = dtype_name(self.low)
        super().__init__(shape_of(self.low, self.high))

    @property
    def mean(self) -> Tensor:
        """Return the mean, the middle of the interval."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Tensor:
        """Return the variance, a twelfth of the square of the width."""
        return (self.high - self.low).square() / 12

    def sample(self, shape: Sequence[int] = (), seed: int = 0) -> Tensor:
        """Return draws; gradients reach the ends, as in Paddle.

        Args:
            shape: the sample shape.
            seed: draw from this seed alone, unless it is 0.
        """
        source = drawing_from(jax.random.key(seed)) if seed else contextlib.nullcontext()
        with source:
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return ``low + (high - low) * noise``; gradients reach both."""
        noise = paddle.uniform(self._extend_shape(shape), dtype=self.dtype, min=0.0, max=1.0)
        return noise * (self.high - self.low) + self.low

    def _is_inside(self, value):
        value = self._check_values_dtype_in_probs(self.low, value)
        return ((self.low < value) & (value < self.high)).astype(self.low.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, -inf at the ends and outside."""
        return paddle.log(self._is_inside(value)) - paddle.log(self.high - self.low)

    def probs(self, value: Tensor) -> Tensor:
        """Return the density, 0 at the ends and outside."""
        return self._is_inside(value) / (self.high - self.low)

    def entropy(self) -> Tensor:
        """Return the entropy, the logarithm of the width."""
        return spread(paddle.log(self.high - self.low), self.batch_shape)

    def kl_divergence(self, other: Uniform) -> Tensor:
        """Return the divergence from another Uniform, inf unless that contains this interval."""
        check_same_class(self, other)
        found = paddle.log((other.high - other.low) / (self.high - self.low))
        within = (other.low <= self.low) & (self.high <= other.high)
        found, within = paddle.broadcast_tensors([found, within])
        return paddle.where(within, found, paddle.full_like(found, float("inf")))
