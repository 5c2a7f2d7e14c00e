"""Conversions between arrays and the Tensors that nodes and hooks receive."""

import jax.numpy as jnp

from jaxeager.core import ports
from jaxeager.graph import rows
from jaxeager.graph.meta import LentMeta


def as_arrays(tensors) -> list:
    """Return the arrays of Tensors; None stays None."""
    return [None if tensor is None else rows.array_of(tensor) for tensor in tensors]


def as_constants(arrays) -> list:
    """Return Tensors of arrays that are not part of a graph; None stays None."""
    wrap = ports.as_tensor if not rows.known else rows.as_gradient
    return [None if array is None else wrap(array, True) for array in arrays]


def as_gradients(arrays) -> list:
    """Return Tensors of arrays for hooks, which may write to them."""
    return [None if array is None else _lent(array) for array in arrays]


def _lent(array):
    tensor = rows.as_gradient(array, True)
    tensor._meta = LentMeta(False)
    return tensor


def zeros_of(aval):
    """Return the Tensor that replaces a missing gradient."""
    return ports.as_tensor(jnp.zeros(aval.shape, aval.dtype), True)
