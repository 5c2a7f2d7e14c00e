"""Independent: batch dimensions that are interpreted as part of the event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import sum_rightmost
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Independent(Distribution):
    """A distribution whose last batch dimensions form one event of independent parts.

    Args:
        base: the distribution.
        reinterpreted_batch_rank: how many of the last batch dimensions become event dimensions.

    Raises:
        InvalidTypeError: when ``base`` is not a Distribution.
        InvalidArgumentError: for a rank that is not above 0, or above that of the batch.

    Paddle: there is no ``rsample``.

    Example:
        >>> import jaxeager as paddle
        >>> normal = paddle.distribution.Normal(paddle.zeros([2, 3]), paddle.ones([2, 3]))
        >>> each = paddle.distribution.Independent(normal, 1)
        >>> each.batch_shape, each.event_shape
        ((2,), (3,))
    """

    def __init__(self, base: Distribution, reinterpreted_batch_rank: int):
        if not isinstance(base, Distribution):
            raise InvalidTypeError(f"Expected type of 'base' is Distribution, but got {type(base)}")
        rank = len(base.batch_shape)
        if not 0 < reinterpreted_batch_rank <= rank:
            raise InvalidArgumentError(
                f"Expected 0 < reinterpreted_batch_rank <= {rank}, but got "
                f"{reinterpreted_batch_rank}"
            )
        self.base = base
        self.reinterpreted_batch_rank = reinterpreted_batch_rank
        shape, cut = base.batch_shape + base.event_shape, rank - reinterpreted_batch_rank
        super().__init__(shape[:cut], shape[cut:])

    @property
    def mean(self) -> Tensor:
        """Return the mean of each part."""
        return self.base.mean

    @property
    def variance(self) -> Tensor:
        """Return the variance of each part."""
        return self.base.variance

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws of the base."""
        return self.base.sample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws of the base with gradients to its parameters."""
        return self.base.rsample(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of whole events."""
        return sum_rightmost(self.base.log_prob(value), self.reinterpreted_batch_rank)

    def entropy(self) -> Tensor:
        """Return the entropy of whole events."""
        return sum_rightmost(self.base.entropy(), self.reinterpreted_batch_rank)
