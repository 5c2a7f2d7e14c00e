"""Variable: what a transform takes or gives, which is how many dimensions one event has."""


class Variable:
    """A kind of value.

    Args:
        is_discrete: whether it is whole.
        event_rank: how many last dimensions are one event.
        constraint: a function that says which values are allowed; None for all.

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
        """Whether it is whole."""
        return self._is_discrete

    @property
    def event_rank(self) -> int:
        """How many last dimensions are one event."""
        return self._event_rank

    def constraint(self, value):
        """Says of each event whether it is allowed."""
        if self._constraint is None:
            return value == value
        return self._constraint(value)


class Independent(Variable):
    """A kind of value with more dimensions in one event.

    Args:
        base: the kind.
        reinterpreted_batch_rank: how many more.
    """

    def __init__(self, base, reinterpreted_batch_rank):
        super().__init__(base.is_discrete, base.event_rank + reinterpreted_batch_rank)
        self.base, self.rank = base, reinterpreted_batch_rank

    def constraint(self, value):
        """Says of each event whether all of it is allowed."""
        found = self.base.constraint(value)
        return found.all(list(range(-self.rank, 0))) if self.rank else found


def is_real(value):
    """Says of each number whether it is one, not nan."""
    return value == value


def is_positive(value):
    """Says of each number whether it is 0 or more."""
    return value >= 0


def is_simplex(value):
    """Says of each vector whether it has parts of 1, to a millionth."""
    return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


real = Variable(constraint=is_real)
positive = Variable(constraint=is_positive)
simplex = Variable(event_rank=1, constraint=is_simplex)
