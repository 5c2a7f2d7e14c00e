"""Variable: the kind of the values of a transform, with the number of dimensions of an event."""


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


def is_real(value):
    """Return, for each number, whether it is not nan."""
    return value == value


def is_positive(value):
    """Return, for each number, whether it is 0 or more."""
    return value >= 0


def is_simplex(value):
    """Return, for each vector, whether it consists of shares of 1, with a tolerance of 1e-6."""
    return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


real = Variable(constraint=is_real)
positive = Variable(constraint=is_positive)
simplex = Variable(event_rank=1, constraint=is_simplex)
