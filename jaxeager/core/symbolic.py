"""Sizes that stand for any number: those of shapes while ``jit.save`` traces a program.

They are JAX's own (``jax.export.symbolic_shape``). Most of what is done with a size can be done
with one of them; what is decided by a size cannot be, and JAX says so.
"""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.export import is_symbolic_dim


def is_symbolic(size: Any) -> bool:
    """Says whether a size stands for any number; to type checkers it is an int all the same."""
    return is_symbolic_dim(size)


def has_symbols(shape) -> bool:
    """Says whether a size of a shape stands for any number."""
    return is_symbolic(math.prod(shape))


def broadcast_shapes(*shapes) -> tuple:
    """Returns the shape that shapes broadcast to.

    Raises:
        ValueError: when they do not.
    """
    if any(map(has_symbols, shapes)):
        return jnp.broadcast_shapes(*shapes)
    return np.broadcast_shapes(*shapes)


def known_size(shape) -> int:
    """Returns the product of the sizes that are numbers.

    Example:
        >>> from jax.export import symbolic_shape
        >>> from jaxeager.core.symbolic import known_size
        >>> known_size((3, 4)), known_size(symbolic_shape("batch, 3, 4"))
        (12, 12)
    """
    size = math.prod(shape)
    return math.prod([n for n in shape if not is_symbolic(n)]) if is_symbolic(size) else size
