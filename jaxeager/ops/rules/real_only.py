"""Refusal of complex operands, mostly because complex numbers have no order."""

import functools
from typing import Any, cast

import jax.numpy as jnp

from jaxeager.ops.rules.precision import Rule


def real_only(forward: Rule) -> Rule:
    """Make a forward kernel refuse complex operands, before anything is computed or recorded.

    XLA would compare complex numbers by their real parts first, and return a value and a gradient
    without meaning.

    Args:
        forward: function of arrays; keyword arguments are passed on untouched.

    Returns:
        a function of the same signature, which raises ValueError for a complex operand.
    """

    @functools.wraps(forward)
    def kernel(*arrays: Any, **attributes: Any) -> Any:
        for array in arrays:
            if getattr(array, "dtype", None) is not None and jnp.iscomplexobj(array):
                raise ValueError(f"this takes real numbers only, not {array.dtype.name}.")
        return forward(*arrays, **attributes)

    return cast(Rule, kernel)
