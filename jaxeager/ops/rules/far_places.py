"""Positions on axes that are longer than int32 counts.

Note [Far places]
    An int32 index works as well as int64 and takes half the memory, until an axis has more than
    2^31 - 1 places: XLA clamps a start to the size of the axis, and JAX counts a negative index
    from its end, both in the dtype of the index. So while they are traced, kernels convert their
    indices to int64 if an axis is that long. Other axes cost nothing at run time.
"""

from typing import Any, Protocol

import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

FARTHEST = 2**31 - 1


class _Row(Protocol):
    """What is read here of a row: the names of its operands without gradient."""

    nondiff: frozenset[str]


def is_long(size: object) -> bool:
    """Return whether an axis has places that int32 does not reach; a symbolic size is not long."""
    return isinstance(size, int | np.integer) and bool(size > FARTHEST)


def place_dtype(*sizes: object) -> np.dtype:
    """Return the dtype to count the places of some axes in: int32 if it is sufficient."""
    return np.dtype(np.int64 if any(map(is_long, sizes)) else np.int32)


def with_far_places(
    row: _Row, values: dict[str, Any], grads: tuple[object, ...] = ()
) -> dict[str, Any]:
    """Return values by operand name, indices as int64 where an axis is long; Note [Far places].

    The indices of a row are its integer operands that never get a gradient by its ``nondiff``. In a
    VJP the axis may be one of ``grads``, the gradients of the outputs.
    """
    if not any(map(_has_long_axis, (*values.values(), *grads))):
        return values
    return {name: _far(each) if name in row.nondiff else each for name, each in values.items()}


def _has_long_axis(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_long_axis, value))  # pyright: ignore[reportUnknownArgumentType]  # any
    return any(map(is_long, getattr(value, "shape", ())))


def _far(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_far(each) for each in value]  # pyright: ignore[reportUnknownVariableType]  # any
    is_index = hasattr(value, "astype") and jnp.issubdtype(value.dtype, jnp.signedinteger)
    return value.astype(np.int64) if is_index else value


def check_reach(dtype: DTypeLike, size: object) -> None:
    """Check that positions among ``size`` elements fit into the requested dtype.

    Raises:
        ValueError: when they do not.
    """
    if is_long(size) and np.dtype(dtype) == np.int32:
        raise ValueError(
            f"the positions of {size} elements do not fit in int32, which reaches {FARTHEST}: use "
            "int64."
        )
