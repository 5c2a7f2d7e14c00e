"""Variable: the kind of the values of a transform, with the number of dimensions of an event."""

from __future__ import annotations

from collections.abc import Sequence

import jaxeager as paddle
from jaxeager.distribution import constraint
from jaxeager.errors import InvalidArgumentError


class Variable:
    """A kind of value.

    Args:
        is_discrete: whether the values are integers.
        event_rank: the number of last dimensions that form an event.
        constraint: a function that returns which values are allowed; None for all.

    Example:
        >>> from jaxeager.distribution.variable import Independent, real
        >>> Independent(real, 2).event_rank
        2
    """

    def __init__(self, is_discrete=False, event_rank=0, constraint=None):
        self._is_discrete = is_discrete
        self._event_rank = event_rank
        self._constraint = constraint

    @property
    def is_discrete(self) -> bool:
        """Return whether the values are integers."""
        return self._is_discrete

    @property
    def event_rank(self) -> int:
        """Return the number of last dimensions that form an event."""
        return self._event_rank

    def constraint(self, value):
        """Return, for each event, whether it is allowed."""
        if self._constraint is None:
            return value == value
        return self._constraint(value)


class Independent(Variable):
    """A kind of value with additional dimensions in an event.

    Args:
        base: the kind.
        reinterpreted_batch_rank: the number of additional dimensions.
    """

    def __init__(self, base, reinterpreted_batch_rank):
        super().__init__(base.is_discrete, base.event_rank + reinterpreted_batch_rank)
        self.base, self.rank = base, reinterpreted_batch_rank

    def constraint(self, value):
        """Return, for each event, whether all of it is allowed."""
        found = self.base.constraint(value)
        return found.all(list(range(-self.rank, 0))) if self.rank else found


class Real(Variable):
    """Real numbers.

    Args:
        event_rank: the number of last dimensions that form an event.

    Example:
        >>> from jaxeager.distribution.variable import Real
        >>> Real(1).event_rank
        1
    """

    def __init__(self, event_rank: int = 0):
        super().__init__(False, event_rank, constraint.real)


class Positive(Variable):
    """Numbers of 0 or more.

    Args:
        event_rank: the number of last dimensions that form an event.
    """

    def __init__(self, event_rank: int = 0):
        super().__init__(False, event_rank, constraint.positive)


class Stack(Variable):
    """Kinds of values side by side, one for each slice along an axis.

    Args:
        vars: the kinds.
        axis: the axis.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distribution.variable import Stack, positive, real
        >>> Stack([real, positive]).constraint(paddle.to_tensor([[-1.0], [-1.0]])).tolist()
        [[True], [False]]
    """

    def __init__(self, vars: Sequence[Variable], axis: int = 0):
        super().__init__()
        self._vars, self._axis = vars, axis

    @property
    def is_discrete(self) -> bool:
        """Return whether some values are integers."""
        return any(each.is_discrete for each in self._vars)

    @property
    def event_rank(self) -> int:
        """Return the number of last dimensions that form an event, with the axis if it is there."""
        rank = max(each.event_rank for each in self._vars)
        return rank + (self._axis + rank < 0)

    def constraint(self, value):
        """Return, for each event, whether it is allowed.

        Raises:
            InvalidArgumentError: when the value lacks the axis.
        """
        if not -value.dim() <= self._axis < value.dim():
            raise InvalidArgumentError(
                f"Input dimensions {value.dim()} should be grater than stack constraint axis "
                f"{self._axis}."
            )
        parts = zip(self._vars, value.unbind(self._axis), strict=False)
        return paddle.stack([each.constraint(part) for each, part in parts], self._axis)


real = Variable(constraint=constraint.real)
positive = Variable(constraint=constraint.positive)
simplex = Variable(event_rank=1, constraint=constraint.simplex)
