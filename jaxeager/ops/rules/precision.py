"""The precision that kernels compute in.

Kernels compute 16-bit floats in float32 and round once, at the end. Matrix products inside a
decomposition keep the full precision of their dtype, which an accelerator reduces by default.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import DTypeLike

from jaxeager.core import dtypes
from jaxeager.core.open_size import as_array
from jaxeager.core.symbolic import is_symbolic

Rule = TypeVar("Rule", bound=Callable[..., Any])


def in_float32(rule: Rule) -> Rule:
    """Make a kernel or VJP rule compute (b)float16 operands in float32 and cast back.

    Args:
        rule: function of arrays; keyword arguments are passed on untouched.

    Returns:
        a function of the same signature.
    """

    @functools.wraps(rule)
    def kernel(*arrays: Any, **attributes: Any) -> Any:
        half = next((a.dtype for a in arrays if _is_half(a)), None)
        if half is None:
            return rule(*arrays, **attributes)
        out = rule(*[a.astype(jnp.float32) if _is_half(a) else a for a in arrays], **attributes)
        if isinstance(out, tuple):
            return tuple(_narrow(each, half) for each in out)  # pyright: ignore[reportUnknownVariableType]  # a tuple of anything
        return _narrow(out, half)

    return cast(Rule, kernel)


def _is_half(value: object) -> bool:
    return getattr(value, "dtype", None) in dtypes.HALF and hasattr(value, "astype")


def _narrow(array: Any, dtype: np.dtype) -> Any:
    return array.astype(dtype) if array is not None and array.dtype == jnp.float32 else array


def exact_products(rule: Rule) -> Rule:
    """Make a kernel or VJP rule multiply matrices in the full precision of their dtype.

    By default GPUs round the factors of a float32 product to 11 bits, and TPUs to 8. That is good
    enough for a layer, but ruins solvers and decompositions.

    Args:
        rule: function of arrays; keyword arguments are passed on untouched.

    Returns:
        a function of the same signature.
    """

    @functools.wraps(rule)
    def kernel(*arrays: Any, **attributes: Any) -> Any:
        with jax.default_matmul_precision("highest"):
            return rule(*arrays, **attributes)

    return cast(Rule, kernel)


def wide_dtype(dtype: DTypeLike) -> np.dtype:
    """Return the dtype that sums of many elements are computed in: float32, or the wider one."""
    return jnp.promote_types(dtype, jnp.float32)


def widened(x: jax.Array | None) -> Any:
    """Return x in the dtype that sums of many elements are computed in; None for None."""
    return None if x is None else x.astype(wide_dtype(x.dtype))


def quotient(x: jax.Array, divisor: Any) -> jax.Array:
    """Return x / divisor, correctly rounded, for a real divisor: a number, a size or an array.

    XLA multiplies by the reciprocal of a constant divisor, which can be off by one bit: 21 / 7 is
    3.0000002 then, and rounded up it is 4; the mean of 41 ones is less than 1.
    """
    if is_symbolic(divisor):
        divisor = as_array(divisor)
    if jnp.iscomplexobj(x):
        return lax.complex(quotient(x.real, divisor), quotient(x.imag, divisor))
    return x / jnp.where(x == x, divisor, 1)  # nan differs, so XLA folds nothing


def product(x: jax.Array, y: Any) -> jax.Array:
    """Return x * y, rounded before anything is added: on a CPU XLA rounds x * y + z once."""
    made = x * y
    return jnp.where(made == made, made, jnp.nan)  # nan differs: not folded


def mean_of(x: jax.Array, axes: tuple[int, ...], keepdims: bool = False) -> jax.Array:
    """Return the mean over axes, whose sum is correctly divided; half types add in float32."""
    total = jnp.sum(x, axes, keepdims=keepdims, dtype=wide_dtype(x.dtype))
    return quotient(total, math.prod([x.shape[axis] for axis in axes])).astype(x.dtype)


def copy_of(x: jax.Array) -> jax.Array:
    """Return x in a separate buffer: a jitted identity would share its input's."""
    return jnp.array(x, copy=True)  # pyright: ignore[reportUnknownMemberType]  # JAX's Device


def unless_integer(function: Callable[[jax.Array], jax.Array], x: jax.Array) -> jax.Array:
    """Apply a rounding function; copy integers and bools, which need no rounding."""
    return function(x) if jnp.issubdtype(x.dtype, jnp.inexact) else copy_of(x)
