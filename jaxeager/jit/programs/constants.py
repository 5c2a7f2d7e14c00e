"""Constants of programs, which XLA is kept from combining.

Note [Opaque constants]
    XLA rewrites ``(1 - x) + 1e-8`` as ``(1 + 1e-8) - x`` where it knows both numbers, and in
    float32 that is 0 where x is 1. Op by op the numbers are operands of kernels, whose values XLA
    does not know. A program has the same results only if it hides them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
from jax import lax, tree
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

if TYPE_CHECKING:
    import numpy as np


def with_opaque_constants(function: Callable) -> Callable:
    """Return a function of arrays, with the constants in it opaque; see the note."""

    def run(*arguments):
        closed, form = jax.make_jaxpr(function, return_shape=True)(*arguments)
        hidden = ClosedJaxpr(closed.jaxpr, [opaque(each) for each in closed.consts])
        outs = jaxpr_as_fun(hidden)(*tree.leaves(arguments))
        return tree.unflatten(tree.structure(form), outs)

    return run


def opaque(constant: jax.Array | np.ndarray) -> jax.Array | np.ndarray:
    """Return a constant whose value XLA does not know, if it has floating-point numbers."""
    if jnp.issubdtype(constant.dtype, jnp.inexact):
        return lax.optimization_barrier(constant)
    return constant
