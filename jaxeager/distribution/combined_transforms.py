"""Transforms composed of others: in sequence, of whole events, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import jaxeager as paddle
from jaxeager.distribution import variable
from jaxeager.distribution.transform_base import Transform, combinations, event_sum
from jaxeager.errors import InvalidArgumentError, InvalidTypeError


class ChainTransform(Transform):
    """A transform that applies several transforms in sequence.

    Args:
        transforms: a list or tuple of transforms, the first applied first.

    Raises:
        InvalidTypeError: for any other type.

    Paddle: ``inverse_shape`` goes through the chain from its beginning, and a determinant that is
    the same everywhere counts once per event.

    Example:
        >>> import jaxeager as paddle
        >>> D = paddle.distribution
        >>> chain = D.ChainTransform([D.ExpTransform(), D.PowerTransform(paddle.full([], 2.0))])
        >>> chain.forward(paddle.zeros([2])).tolist()
        [1.0, 1.0]
    """

    def __init__(self, transforms: Sequence[Transform]):
        if not isinstance(transforms, (tuple, list)):
            raise InvalidTypeError(
                f"Expected type of 'transforms' is Sequence, but got {type(transforms)}"
            )
        if not all(isinstance(each, Transform) for each in transforms):
            raise InvalidTypeError(
                "All elements of transforms should be Transform type., but are "
                f"{[type(each).__name__ for each in transforms]}"
            )
        self.transforms = transforms

    def _is_injective(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return all(each._is_injective() for each in self.transforms)

    def _forward(self, x):
        for each in self.transforms:
            x = each.forward(x)
        return x

    def _inverse(self, y):
        for each in reversed(self.transforms):
            y = each.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x):
        found, rank = 0.0, self._domain.event_rank
        for each in self.transforms:
            found = found + event_sum(each.forward_log_det_jacobian(x), each, x.shape, rank)
            x = each.forward(x)
            rank += each._codomain.event_rank - each._domain.event_rank
        return found

    def _forward_shape(self, shape):
        for each in self.transforms:
            shape = each.forward_shape(shape)
        return shape

    def _inverse_shape(self, shape):
        for each in reversed(self.transforms):
            shape = each.inverse_shape(shape)
        return shape

    @property
    def _domain(self):
        if not self.transforms:
            return variable.real
        rank = self.transforms[-1]._codomain.event_rank
        for each in reversed(self.transforms):
            rank = max(rank - each._codomain.event_rank, 0) + each._domain.event_rank
        first = self.transforms[0]._domain
        return variable.Independent(first, rank - first.event_rank)

    @property
    def _codomain(self):
        if not self.transforms:
            return variable.real
        rank = self.transforms[0]._domain.event_rank
        for each in self.transforms:
            rank = max(rank - each._domain.event_rank, 0) + each._codomain.event_rank
        last = self.transforms[-1]._codomain
        return variable.Independent(last, rank - last.event_rank)


combinations.append((Transform, lambda first, then: ChainTransform([first, then])))


class IndependentTransform(Transform):
    """A transform whose last batch dimensions are read as part of the event.

    Args:
        base: the transform.
        reinterpreted_batch_rank: the number of additional dimensions of an event, above 0.

    Raises:
        InvalidTypeError: when ``base`` is not a Transform.
        InvalidArgumentError: when the rank is not above 0.

    Paddle: a determinant that is the same everywhere counts once per event.

    Example:
        >>> import jaxeager as paddle
        >>> D = paddle.distribution
        >>> rows = D.IndependentTransform(D.ExpTransform(), 1)
        >>> rows.forward_log_det_jacobian(paddle.ones([2, 3])).tolist()
        [3.0, 3.0]
    """

    def __init__(self, base: Transform, reinterpreted_batch_rank: int):
        if not isinstance(base, Transform):
            raise InvalidTypeError(f"Expected 'base' is Transform type, but get {type(base)}")
        if reinterpreted_batch_rank <= 0:
            raise InvalidArgumentError(
                "Expected 'reinterpreted_batch_rank' is grater than zero, but got "
                f"{reinterpreted_batch_rank}"
            )
        self.base, self.reinterpreted_batch_rank = base, reinterpreted_batch_rank

    def _is_injective(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.base._is_injective()

    def _forward(self, x):
        return self.base.forward(x)

    def _inverse(self, y):
        return self.base.inverse(y)

    def _forward_log_det_jacobian(self, x):
        found = self.base.forward_log_det_jacobian(x)
        return event_sum(found, self.base, x.shape, self._domain.event_rank)

    def _forward_shape(self, shape):
        return self.base.forward_shape(shape)

    def _inverse_shape(self, shape):
        return self.base.inverse_shape(shape)

    @property
    def _domain(self):
        return variable.Independent(self.base._domain, self.reinterpreted_batch_rank)

    @property
    def _codomain(self):
        return variable.Independent(self.base._codomain, self.reinterpreted_batch_rank)


class StackTransform(Transform):
    """A transform that applies a separate transform to each slice along an axis.

    Args:
        transforms: a list or tuple of transforms of scalars, or of whole events whose dimensions
            are after the axis.
        axis: the axis, which must have as many slices as there are transforms.

    Raises:
        InvalidTypeError: for other ``transforms``, or an ``axis`` that is not an int.

    Paddle: ``forward_log_det_jacobian`` fails when the parts' determinants have different shapes,
    and with a negative axis the distribution's event has one dimension too many.

    Example:
        >>> import jaxeager as paddle
        >>> D = paddle.distribution
        >>> both = D.StackTransform([D.ExpTransform(), D.TanhTransform()], axis=1)
        >>> both.forward(paddle.zeros([1, 2])).tolist()
        [[1.0, 0.0]]
    """

    def __init__(self, transforms: Sequence[Transform], axis: int = 0):
        if not transforms or not isinstance(transforms, (tuple, list)):
            raise InvalidTypeError(
                f"Expected 'transforms' is Sequence[Transform], but got {type(transforms)}."
            )
        if not all(isinstance(each, Transform) for each in transforms):
            raise InvalidTypeError(
                "Expected all element in transforms is Transform Type., but they are "
                f"{[type(each).__name__ for each in transforms]}"
            )
        if not isinstance(axis, int):
            raise InvalidTypeError(f"Expected 'axis' is int, but got{type(axis)}.")
        self._transforms, self._axis = transforms, axis

    def _is_injective(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return all(each._is_injective() for each in self._transforms)

    @property
    def transforms(self) -> Sequence[Transform]:
        """Return the transforms."""
        return self._transforms

    @property
    def axis(self) -> int:
        """Return the axis."""
        return self._axis

    def _pairs(self, value) -> list:
        """Return pairs of transforms and slices."""
        if not -value.dim() <= self._axis < value.dim():
            raise InvalidArgumentError(
                f"Input dimensions {value.dim()} should be grater than stack transform axis "
                f"{self._axis}."
            )
        if value.shape[self._axis] != len(self._transforms):
            raise InvalidArgumentError(
                f"Input size along {self._axis} should be equal to the length of transforms., but "
                f"it is {value.shape[self._axis]}, not {len(self._transforms)}"
            )
        slices = paddle.unstack(value, self._axis)
        return list(zip(self._transforms, slices, strict=True))

    def _forward(self, x):
        return paddle.stack([each.forward(part) for each, part in self._pairs(x)], self._axis)

    def _inverse(self, y):
        return paddle.stack([each.inverse(part) for each, part in self._pairs(y)], self._axis)

    def _forward_log_det_jacobian(self, x):
        rank = self._domain.event_rank
        found = []
        for each, part in self._pairs(x):
            value = event_sum(each.forward_log_det_jacobian(part), each, part.shape, rank)
            found.append(paddle.broadcast_to(value, part.shape[: part.dim() - rank]))
        axis = self._axis if self._axis >= 0 else self._axis + rank
        return paddle.stack(found, axis)

    @property
    def _domain(self):
        return _widest([each._domain for each in self._transforms])

    @property
    def _codomain(self):
        return _widest([each._codomain for each in self._transforms])


def _widest(kinds: list):
    """Return the kind of value with the most event dimensions."""
    return max(kinds, key=lambda kind: kind.event_rank)
