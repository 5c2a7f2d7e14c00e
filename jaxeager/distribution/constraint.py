"""paddle.distribution.constraint: which values a random variable can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Constraint:
    """A condition; a call returns which values meet it. ``check`` is the call.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distribution import constraint
        >>> constraint.Range(0.0, 1.0)(paddle.to_tensor([0.5, 2.0])).tolist()
        [True, False]
    """

    def __call__(self, value: Tensor) -> Tensor:
        """Return which values are allowed."""
        raise NotImplementedError

    def check(self, value: Tensor) -> Tensor:
        """Return which values are allowed."""
        return self(value)


class Real(Constraint):
    """Any number that is not nan."""

    def __call__(self, value: Tensor) -> Tensor:
        """Return which numbers are not nan."""
        return value == value


class Range(Constraint):
    """Numbers between two bounds, which belong to it.

    Args:
        lower: the lower bound.
        upper: the upper bound.

    Paddle: takes tensors of one element only.
    """

    def __init__(self, lower: float | Tensor, upper: float | Tensor):
        self._lower, self._upper = lower, upper

    def __call__(self, value: Tensor) -> Tensor:
        """Return which numbers are between the bounds."""
        return (value >= self._lower) & (value <= self._upper)


class Positive(Constraint):
    """Numbers of 0 or more."""

    def __call__(self, value: Tensor) -> Tensor:
        """Return which numbers are 0 or more."""
        return value >= 0.0


class Simplex(Constraint):
    """Vectors of shares that add up to 1, with a tolerance of 1e-6.

    Paddle: takes a single vector only.
    """

    def __call__(self, value: Tensor) -> Tensor:
        """Return, for each vector, whether it consists of shares of 1."""
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


real, positive, simplex = Real(), Positive(), Simplex()
