"""Conversions between arrays and the Tensors that nodes and hooks receive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import jax.numpy as jnp

from jaxeager.core import ports
from jaxeager.graph import rows
from jaxeager.graph.meta import LentMeta

if TYPE_CHECKING:
    import jax
    from jax.core import ShapedArray

    from jaxeager.graph.types import Gradient


def as_arrays(tensors: Iterable[Gradient | None]) -> list[jax.Array | None]:
    """Return the arrays of Tensors; None stays None."""
    return [None if tensor is None else rows.array_of(tensor) for tensor in tensors]


def as_constants(arrays: Iterable[jax.Array | None]) -> list[Gradient | None]:
    """Return Tensors of arrays that are not part of a graph; None stays None."""
    wrap = ports.as_tensor if not rows.seen else rows.as_gradient
    return [None if array is None else wrap(array, True) for array in arrays]


def as_gradients(arrays: Iterable[jax.Array | None]) -> list[Gradient | None]:
    """Return Tensors of arrays for hooks, which may write to them."""
    return [None if array is None else _lent(array) for array in arrays]


def _lent(array: jax.Array) -> Gradient:
    tensor = rows.as_gradient(array, True)
    tensor._meta = LentMeta(False)
    return tensor


def zeros_of(aval: ShapedArray) -> Gradient:
    """Return the Tensor that replaces a missing gradient."""
    zeros = jnp.zeros(aval.shape, aval.dtype)  # pyright: ignore[reportUnknownMemberType]  # of JAX
    return ports.as_tensor(zeros, True)
