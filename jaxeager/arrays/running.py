"""Running reductions by any associative operation along an axis.

Note [Running reductions on a CPU]
    ``lax.associative_scan`` and ``lax.cumlogsumexp`` combine strided halves, and halves of these,
    which a CPU does not vectorize: 262,144 elements in 256 lines take 90 ms for log-sums of
    exponentials. A loop along the axis that handles all lines at once takes 2. Where there are few
    lines, they are cut into pieces, up to as many as a piece has elements. The loop runs through
    all pieces at once, another one through the last elements of the pieces, and each piece is
    combined with what is before it. (One line of 262,144: 2.5 ms.)
"""

# The functions of JAX that take functions have no types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.arrays.ordering import has_mesh
from jaxeager.core.symbolic import is_symbolic, known_size

# An array, or a tuple of arrays of one shape; Any, as JAX's functions of trees have no types.
Values: TypeAlias = Any
Combine: TypeAlias = Callable[[Values, Values], Values]

_LINES = 256  # as many are enough for vectors


def running(
    combine: Combine, values: Values, axis: int, usual: Callable[[Values], Values]
) -> Values:
    """Return the values combined with all earlier ones along an axis.

    Args:
        combine: an associative function of earlier and later values that returns values of the
            same dtypes. It is called with arrays of any shape.
        values: an array, or a tuple of arrays of one shape.
        axis: the axis, not negative.
        usual: the function of ``values`` that computes the same on other devices than a CPU, along
            an axis of unknown size or without elements, and for arrays whose type has a mesh.

    Example:
        >>> import jax.numpy as jnp
        >>> from jax import lax
        >>> from jaxeager.arrays.running import running
        >>> running(jnp.maximum, jnp.array([2, 1, 3]), 0, usual=lax.cummax).tolist()
        [2, 2, 3]
    """
    first = jax.tree.leaves(values)[0]
    size = first.shape[axis]
    if is_symbolic(size) or not size or has_mesh(first):
        return usual(values)
    in_pieces = partial(_in_pieces, combine, axis)
    return lax.platform_dependent(values, cpu=in_pieces, default=usual)


def _in_pieces(combine: Combine, axis: int, values: Values) -> Values:
    """Return the running values: see Note [Running reductions on a CPU]."""
    shape = jax.tree.leaves(values)[0].shape
    size, lines = shape[axis], known_size((*shape[:axis], *shape[axis + 1 :]))
    pieces = max(min(math.isqrt(size), _LINES // max(lines, 1)), 1)
    length = -(-size // pieces)

    def cut(x: jax.Array) -> jax.Array:  # [length, pieces, ...]
        lines = jnp.moveaxis(x, axis, 0)
        lines = jnp.pad(lines, [(0, pieces * length - size)] + [(0, 0)] * (x.ndim - 1), "edge")
        return lines.reshape(pieces, length, *lines.shape[1:]).swapaxes(0, 1)

    def joined(x: jax.Array) -> jax.Array:
        lines = x.swapaxes(0, 1).reshape(pieces * length, *x.shape[2:])
        return jnp.moveaxis(lines[:size], 0, axis)

    found = _one_by_one(combine, jax.tree.map(cut, values))
    if pieces > 1:
        found = _with_earlier_pieces(combine, found)
    return jax.tree.map(joined, found)


def _with_earlier_pieces(combine: Combine, found: Values) -> Values:
    """Combine the running values of each piece with all earlier pieces: [length, pieces, ...]."""
    until = _one_by_one(combine, jax.tree.map(lambda x: x[-1], found))
    earlier = jax.tree.map(lambda x: x[None, :-1], until)
    later = combine(earlier, jax.tree.map(lambda x: x[:, 1:], found))
    later = lax.optimization_barrier(later)  # else XLA combines in the order of the result
    return jax.tree.map(lambda a, b: jnp.concatenate([a[:, :1], b], 1), found, later)


def _one_by_one(combine: Combine, values: Values) -> Values:
    """Return the running values along the first axis, by a loop."""

    def step(carry: Values, each: Values) -> tuple[Values, Values]:
        carry = combine(carry, each)
        return carry, carry

    first = jax.tree.map(lambda x: x[0], values)
    _, rest = lax.scan(step, first, jax.tree.map(lambda x: x[1:], values))
    return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, rest)
