"""Type promotion as in Paddle: the casts of operands before an op runs.

A cast is a separate op (a CastGradNode), so gradients have the operand's dtype again.
"""

from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import InvalidTypeError
from jaxeager.kernels.tracing import plain_settings

NUMBERS = frozenset(
    [int, float, bool, complex, np.bool_]
    + [np.dtype(n).type for n in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")]
    + [np.dtype(n).type for n in ("uint64", "float16", "float32", "float64")]
    + [np.dtype(n).type for n in ("complex64", "complex128")]
)

# Numbers that ``scale`` accepts: not bools, not complex ones.
SCALES = NUMBERS - {bool, complex, np.bool_, np.complex64, np.complex128}


def category(dtype: np.dtype) -> str:
    """Return "float", "complex" or "int" (bool counts as int)."""
    if dtype in dtypes.FLOATS:
        return "float"
    return "complex" if dtype in dtypes.COMPLEX else "int"


def common_dtype(x: jax.Array, y: jax.Array, zero_dim_rule: bool = True) -> np.dtype:
    """Return the dtype that two tensors of different dtypes are promoted to.

    Args:
        x: array of any shape.
        y: array of any shape.
        zero_dim_rule: whether a 0-D operand adopts the dtype of one with dimensions.

    Raises:
        InvalidTypeError: for int with float, and ints of different width, both with dimensions.
    """
    a, b = x.dtype, y.dtype
    kinds = category(a), category(b)
    if zero_dim_rule and (x.ndim == 0 or y.ndim == 0):
        if x.ndim == y.ndim or kinds[0] != kinds[1] or np.bool_ in (a, b):
            return _table(a, b)
        return b if x.ndim == 0 else a
    if kinds == ("float", "float") or "complex" in kinds:
        return _table(a, b)
    raise InvalidTypeError(
        "Type promotion only support calculations between floating-point numbers and between "
        f"complex and real numbers. But got different data type x: {a.name}, y: {b.name}."
    )


def _table(a: np.dtype, b: np.dtype) -> np.dtype:
    """Promote by the usual lattice, independent of values and widths: int + float is the float."""
    kinds = category(a), category(b)
    if kinds == ("int", "float") or kinds == ("int", "complex"):
        return b
    if kinds == ("float", "int") or kinds == ("complex", "int"):
        return a
    return _least_upper(a, b)


@lru_cache
def _least_upper(a: np.dtype, b: np.dtype) -> np.dtype:
    with plain_settings():
        return np.dtype(jnp.promote_types(a, b))


def number_dtype(value: object, dtype: np.dtype) -> np.dtype:
    """Return the dtype of a Python number that is combined with a tensor of ``dtype``."""
    if isinstance(value, (complex, np.complexfloating)):
        if dtype in dtypes.COMPLEX:
            return dtype
        return np.dtype("complex128" if dtype == np.float64 else "complex64")
    if isinstance(value, (float, np.floating)):
        return (
            dtype if dtype in dtypes.FLOATS or dtype in dtypes.COMPLEX else dtypes.default_float()
        )
    if dtype == np.bool_ and not isinstance(value, (bool, np.bool_)):
        return np.dtype("int64")
    return dtype
