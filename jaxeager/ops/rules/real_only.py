"""Refusal of complex operands, mostly because complex numbers have no order."""

import functools
from typing import Any, cast

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.rules.precision import Rule


def check_real(value: Any, dtype: Any, what: str = "value") -> None:
    """Raise InvalidArgumentError for a complex number next to real ones of ``dtype``.

    One whose imaginary part is 0 counts as real, and any number may become a bool.
    """
    if np.iscomplexobj(value) and np.imag(value) != 0:
        refuse_complex(value, dtype, what)


def refuse_complex(value: Any, dtype: Any, what: str) -> None:
    """Raise InvalidArgumentError for something complex, unless ``dtype`` is complex or bool."""
    if jnp.issubdtype(dtype, jnp.number) and not jnp.issubdtype(dtype, jnp.complexfloating):
        raise InvalidArgumentError(
            f"{what} {value} is complex, and the tensor {np.dtype(dtype)}: the imaginary part "
            "would be lost. Give the real part."
        )


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
