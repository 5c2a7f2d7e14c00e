"""Sizes that represent any number: those of shapes while ``jit.save`` traces a program.

They are JAX's own (``jax.export.symbolic_shape``). Most operations on a size work with one of them.
A decision that depends on a size does not, and JAX raises an error.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import max_dim, min_dim
from jax.export import is_symbolic_dim


def is_symbolic(size: Any) -> bool:
    """Return whether a size represents any number; to type checkers it is still an int."""
    return is_symbolic_dim(size)


def has_symbols(shape: Sequence[int]) -> bool:
    """Return whether a size of a shape represents any number."""
    product = math.prod(shape)
    return is_symbolic(product) or (type(product) is int and not product and _has_one(shape))


def _has_one(shape: Sequence[int]) -> bool:
    """Return whether there is an open size; a 0 hides it in the product."""
    return any(map(is_symbolic, shape))


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to.

    Raises:
        ValueError: when they do not.
    """
    if any(map(has_symbols, shapes)):
        return jnp.broadcast_shapes(*shapes)  # pyright: ignore[reportUnknownMemberType]  # Tracer
    return np.broadcast_shapes(*shapes)


def known_size(shape: Sequence[int]) -> int:
    """Return the product of the sizes that are numbers.

    Example:
        >>> from jax.export import symbolic_shape
        >>> from jaxeager.core.symbolic import known_size
        >>> known_size((3, 4)), known_size(symbolic_shape("batch, 3, 4"))
        (12, 12)
    """
    size = math.prod(shape)
    return math.prod([n for n in shape if not is_symbolic(n)]) if is_symbolic(size) else size


def greater(first: Any, second: Any) -> Any:
    """Return the greater of two sizes, which may be open.

    Example:
        >>> from jax.export import symbolic_shape
        >>> from jaxeager.core.symbolic import greater, lesser
        >>> (batch,) = symbolic_shape("batch")
        >>> greater(2, 3), greater(batch, 1), lesser(batch - 1, batch)
        (3, batch, batch - 1)
    """
    return max_dim(first, second)


def lesser(first: Any, second: Any) -> Any:
    """Return the lesser of two sizes, which may be open."""
    return min_dim(first, second)


def typical(size: Any) -> Any:
    """Return one possible number for an open size; other sizes as they are.

    Example:
        >>> from jax.export import symbolic_shape
        >>> from jaxeager.core.symbolic import typical
        >>> (batch,) = symbolic_shape("batch")
        >>> typical(3), typical(2 * batch)
        (3, 10080)
    """
    if not is_symbolic(size):
        return size
    return int(size._evaluate(dict.fromkeys(size._get_vars(), 5040)))  # even, with many divisors
