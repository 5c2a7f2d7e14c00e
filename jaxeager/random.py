"""paddle.random: the seed of the random numbers."""

from __future__ import annotations

from jaxeager.arrays import random

__all__ = ["initial_seed"]


def initial_seed() -> int:
    """Return the seed of the random numbers.

    Example:
        >>> import jaxeager as paddle
        >>> _ = paddle.seed(7)
        >>> paddle.random.initial_seed()
        7
    """
    return random.default_generator.initial_seed()
