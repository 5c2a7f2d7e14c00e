"""Which way a convolution takes, also while the number of images is not known.

Note [Ways that are chosen late]
    Some ways to compute a convolution win for few images only. In a program for any number of them
    (``jit.save``) both are written down, behind a condition on that number. XLA knows it when it
    compiles the program for a batch, and keeps the one.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
from jax import lax

from jaxeager.core.symbolic import is_symbolic

Condition = Any  # a bool; where it depends on an unknown size an array of one


def at_most(count: int, limit: int) -> Condition:
    """Says whether a count is no more than a limit, now or when the sizes are known."""
    return jnp.asarray(count) <= limit if is_symbolic(count) else count <= limit


def first_way(ways: Sequence[tuple[Condition, Callable]], plain: Callable) -> Callable | None:
    """Return the first way whose condition holds, None for ``plain``.

    Args:
        ways: functions of (*arrays, g), each behind its condition.
        plain: the way that is always there.
    """
    possible = [(condition, way) for condition, way in ways if condition is not False]
    if not possible:
        return None
    return possible[0][1] if possible[0][0] is True else partial(_late, possible, plain)


def _late(ways: list, plain: Callable, *arrays, g):
    """Run the first way whose condition holds: see Note [Ways that are chosen late]."""
    if not ways:
        return plain(*arrays, g=g)
    (condition, way), *others = ways
    if condition is True:
        return way(*arrays, g=g)
    otherwise = partial(_late, others, plain, g=g)
    return lax.cond(condition, partial(way, g=g), otherwise, *arrays)
