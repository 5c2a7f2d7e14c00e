"""Multinomial: how often each of several categories is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.categorical import Categorical
from jaxeager.distribution.densities import log_poisson
from jaxeager.distribution.distribution import Distribution, as_shape
from jaxeager.distribution.parameters import check_parameters, inside
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.rules.domains import FINITE_NOT_NEGATIVE, Domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

SUM_ABOVE_0 = Domain("must be of a sum above 0", 0, above=True, of=lambda probs: probs.sum(-1))


class Multinomial(Distribution):
    """The distribution of how often each of k categories is drawn in ``total_count`` draws.

    Args:
        total_count: the number of draws, an int above 0.
        probs: float[..., k], not negative; divided by their sum.

    Raises:
        InvalidArgumentError: for another ``total_count``, or 0-D ``probs``.
        InvalidTypeError: when ``probs`` is not a Tensor.

    Paddle: the entropy is nan when a category has probability 0.

    Example:
        >>> import jaxeager as paddle
        >>> multinomial = paddle.distribution.Multinomial(4, paddle.to_tensor([0.5, 0.5]))
        >>> multinomial.mean.tolist(), int(multinomial.sample().sum())
        ([2.0, 2.0], 4)
    """

    probs: Any  # a method of the base, as in Paddle

    def __init__(self, total_count: int, probs: Tensor):
        if not isinstance(total_count, int) or total_count < 1:
            raise InvalidArgumentError(
                "input parameter total_count must be int type and grater than zero., but is "
                f"{total_count!r}"
            )
        if not isinstance(probs, paddle.Tensor):
            raise InvalidTypeError(f"probs must be a Tensor, but is {type(probs)}.")
        if probs.dim() < 1:
            raise InvalidArgumentError(
                "probs parameter should not be none and over one dimension, but is 0-D."
            )
        check_parameters(self, FINITE_NOT_NEGATIVE, probs=probs)
        check_parameters(self, SUM_ABOVE_0, probs=probs)
        self.probs = probs / probs.sum(-1, keepdim=True)
        self.total_count = total_count
        self._categorical = Categorical(self._probs_to_logits(probs))
        super().__init__(probs.shape[:-1], probs.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """Return the mean of each count."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """Return the variance of each count."""
        return self.total_count * self.probs * (1 - self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of counts that add up to ``total_count``."""
        value = self._check_values_dtype_in_probs(self.probs, value)
        total = value.sum(-1)
        # the counts are those of Poissons, given their sum
        found = log_poisson(value, total.unsqueeze(-1) * self.probs).sum(-1)
        return found - log_poisson(total, total)

    def sample(self, shape: Iterable[int] = ()) -> Tensor:
        """Return counts, without gradients."""
        drawn = self._categorical.sample([self.total_count, *as_shape(shape)])
        each = paddle.nn.functional.one_hot(drawn, self.probs.shape[-1])
        return each.astype(self.probs.dtype).sum(0)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        dtype = self.probs.dtype
        total = paddle.full([], self.total_count, dtype=dtype)
        count = paddle.arange(0, self.total_count + 1, dtype=dtype)
        count = count.reshape([-1] + [1] * len(self.probs.shape))
        mean = total * self.probs
        found = log_poisson(count, mean)
        rest = log_poisson(total - count, total - mean)
        normalizer = log_poisson(total, total)
        chance = paddle.exp(found + rest - normalizer)
        each = chance * inside(found > -float("inf"), found, 0.0)
        return normalizer - each.sum([0, -1])
