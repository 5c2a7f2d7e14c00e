"""TransformedDistribution: transformed draws of a distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.distribution.combined_transforms import ChainTransform
from jaxeager.distribution.distribution import Distribution, as_shape
from jaxeager.distribution.parameters import sum_rightmost
from jaxeager.distribution.transform_base import Transform, combinations, event_sum
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class TransformedDistribution(Distribution):
    """The distribution of transformed draws.

    Args:
        base: the distribution to draw from.
        transforms: a list or tuple of transforms, the first applied first.

    Raises:
        InvalidTypeError: for any other type.
        InvalidArgumentError: when draws have fewer dimensions than the transforms need.

    Paddle: if transforms broadcast a batch to a larger one, ``sample`` fails or repeats draws; here
    each element has independent draws.

    Example:
        >>> import jaxeager as paddle
        >>> D = paddle.distribution
        >>> normal = D.TransformedDistribution(D.Normal(0.0, 1.0), [D.ExpTransform()])
        >>> round(normal.log_prob(paddle.to_tensor(1.0)).item(), 4)
        -0.9189
    """

    def __init__(self, base: Distribution, transforms: Sequence[Transform]):
        if not isinstance(base, Distribution):
            raise InvalidTypeError(
                f"Expected type of 'base' is Distribution, but got {type(base)}."
            )
        if not isinstance(transforms, (tuple, list)):
            raise InvalidTypeError(
                "Expected type of 'transforms' is Sequence[Transform] or Chain, but got "
                f"{type(transforms)}."
            )
        if not all(isinstance(each, Transform) for each in transforms):
            raise InvalidTypeError(
                "All element of transforms must be Transform type., but they are "
                f"{[type(each).__name__ for each in transforms]}"
            )
        self.base, self.transforms = base, transforms
        chain = ChainTransform(transforms)
        shape, taken = base.batch_shape + base.event_shape, chain._domain.event_rank
        if len(shape) < taken:
            raise InvalidArgumentError(
                f"'base' needs to have shape with size at least {taken}, bug got {len(shape)}."
            )
        wide = tuple(chain.forward_shape(shape))
        events = chain._codomain.event_rank + max(len(base.event_shape) - taken, 0)
        cut = len(wide) - events
        before = tuple(chain.inverse_shape(wide))
        self._drawn_batch = before[: len(before) - len(base.event_shape)]
        super().__init__(wide[:cut], wide[cut:])

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return transformed draws; gradients as in ``base.sample``."""
        return self._transformed(self._draw(self.base.sample, as_shape(shape)))

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return transformed draws with gradients to the parameters."""
        return self._transformed(self._draw(self.base.rsample, as_shape(shape)))

    def _transformed(self, x):
        for each in self.transforms:
            x = each.forward(x)
        return x

    def _draw(self, draw, shape):
        """Return draws of the base, with its batch broadcast as by the transforms."""
        batch, wide = self.base.batch_shape, self._drawn_batch
        if wide == batch:
            return draw(shape)
        batch = (1,) * (len(wide) - len(batch)) + batch
        more = tuple(1 if size == one else size for size, one in zip(wide, batch, strict=True))
        event, rank, front = self.base.event_shape, len(wide), len(shape)
        drawn = draw(shape + more).reshape([*shape, *more, *batch, *event])
        pairs = [front + place for axis in range(rank) for place in (axis, rank + axis)]
        ends = range(front + 2 * rank, drawn.dim())
        return drawn.transpose([*range(front), *pairs, *ends]).reshape([*shape, *wide, *event])

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, by change of variables."""
        found, y, rank = 0.0, value, len(self.event_shape)
        for each in reversed(self.transforms):
            x = each.inverse(y)
            rank += each._domain.event_rank - each._codomain.event_rank
            found = found - event_sum(each.forward_log_det_jacobian(x), each, x.shape, rank)
            y = x
        return found + sum_rightmost(self.base.log_prob(y), rank - len(self.base.event_shape))


combinations.append(
    (Distribution, lambda transform, base: TransformedDistribution(base, [transform]))
)
