"""The choice between ways to compute a convolution, even if the number of images is unknown.

Note [Ways that are chosen late]
    Some ways to compute a convolution are faster for few images only. A program for any number of
    images (``jit.save``) contains both ways, chosen by a condition on that number. XLA knows the
    number when it compiles the program for a batch, and keeps one of them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
from jax import lax

from jaxeager.core.symbolic import is_symbolic

Condition = Any  # a bool, or an array of one bool if it depends on an unknown size


def at_most(count: int, limit: int) -> Condition:
    """Return whether a count is no more than a limit, now or when the sizes are known."""
    return jnp.asarray(count) <= limit if is_symbolic(count) else count <= limit


def first_way(ways: Sequence[tuple[Condition, Callable]], plain: Callable) -> Callable | None:
    """Return the first way whose condition holds, None for ``plain``.

    Args:
        ways: pairs of a condition and a function of (*arrays, g).
        plain: the way that is always available.
    """
    possible = [(condition, way) for condition, way in ways if condition is not False]
    if not possible:
        return None
    return possible[0][1] if possible[0][0] is True else partial(_late, possible, plain)


def _late(ways: list, plain: Callable, *arrays, g):
    """Run the first way whose condition holds; see Note [Ways that are chosen late]."""
    if not ways:
        return plain(*arrays, g=g)
    (condition, way), *others = ways
    if condition is True:
        return way(*arrays, g=g)
    otherwise = partial(_late, others, plain, g=g)
    return lax.cond(condition, partial(way, g=g), otherwise, *arrays)
