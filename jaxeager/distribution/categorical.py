"""Categorical: one of several categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.distribution.distribution import Distribution, as_shape
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    limits_of,
)
from jaxeager.ops.rules.domains import Domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

BELOW_INF = Domain("must be below inf and not nan", below=True)


class Categorical(Distribution):
    """The distribution of one of k categories.

    Note: as in Paddle, ``logits`` are interpreted in two ways. ``sample``, ``entropy`` and
    ``kl_divergence`` interpret them as logarithms (softmax); ``probs`` and ``log_prob`` as
    nonnegative weights (divided by their sum). The two agree only if all logits are equal: to score
    categories by logarithms, use ``paddle.nn.functional.log_softmax``.

    Args:
        logits: float[..., k]; a sequence, an array or a Tensor.
        name: accepted for compatibility.

    Raises:
        InvalidTypeError: for any other type.

    Paddle: the entropy is nan when a logit is -inf; here such a category has probability 0.

    Example:
        >>> import jaxeager as paddle
        >>> categorical = paddle.distribution.Categorical([1.0, 3.0])
        >>> categorical.probs(paddle.to_tensor([0, 1])).tolist(), categorical.sample([4]).shape
        ([0.25, 0.75], paddle.Size([4]))
    """

    def __init__(self, logits: Sequence[float] | np.ndarray | Tensor, name: str | None = None):
        self.name = name or "Categorical"
        (self.logits,) = self._float_parameters(logits)
        check_parameters(self, BELOW_INF, logits=self.logits)
        self.dtype = dtype_name(self.logits)
        self._prob = self.logits / self.logits.sum(-1, keepdim=True)
        super().__init__(self.logits.shape[:-1])

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return drawn categories, int64 of shape ``shape + batch_shape``."""
        shape = as_shape(shape)
        count, rows = math.prod(shape), math.prod(self.batch_shape)
        if count == 0:
            return paddle.zeros([*shape, *self.batch_shape], dtype="int64")
        with paddle.no_grad():
            chances = self._logits_to_probs(self.logits).reshape([rows, self.logits.shape[-1]])
            drawn = paddle.multinomial(chances, count, True)
            return drawn.t().reshape([*shape, *self.batch_shape])

    def _log_softmax(self):
        """Return the logarithms of the probabilities, the lowest finite number instead of -inf."""
        found = paddle.nn.functional.log_softmax(self.logits, axis=-1)
        return paddle.clip(found, min=float(limits_of(found).min))

    def kl_divergence(self, other: Categorical) -> Tensor:
        """Return the divergence from another Categorical; its last dimension is kept, as 1."""
        check_same_class(self, other)
        chance = self._logits_to_probs(self.logits)
        return (chance * (self._log_softmax() - other._log_softmax())).sum(-1, keepdim=True)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return -(self._logits_to_probs(self.logits) * self._log_softmax()).sum(-1)

    def probs(self, value: Tensor) -> Tensor:
        """Return the shares of categories in the sum of the logits.

        Args:
            value: integers. For a batch of distributions, a vector is looked up in each of them;
                with more dimensions, each row along the last axis is looked up in its own
                distribution.
        """
        if len(self._prob.shape) == 1:
            return paddle.gather(self._prob, value.reshape([-1])).reshape(value.shape)
        if len(value.shape) == 1:
            value = value.reshape([1] * len(self.batch_shape) + [-1])
        return paddle.take_along_axis(self._prob, value, axis=-1)

    def prob(self, value: Tensor) -> Tensor:
        """Return the probability of categories; same as ``probs``."""
        return self.probs(value)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of ``probs``."""
        return paddle.log(self.probs(value))
