"""Random numbers for first values.

Note [Draws in chunks]
A jitted random kernel costs 0.1 to 0.5 s to compile, and a network has a new shape in nearly every
layer. So the kernels here exist in only two sizes, 4,096 and 1,048,576 numbers. A draw of any shape
fills host memory chunk by chunk (each with its own key, folded from one draw of the generator), and
the scaling happens there. Each kind of draw compiles at most twice, whatever the network.
"""

import functools
import math

import jax
import numpy as np

from jaxeager.arrays import random
from jaxeager.arrays.as_array import on_device
from jaxeager.kernels.tracing import jit

_SMALL, _LARGE = 4096, 1 << 20


@functools.partial(jit, static_argnames=("count", "dtype"))
def _uniform_kernel(key, index, *, count, dtype):
    return jax.random.uniform(jax.random.fold_in(random.as_key(key), index), (count,), dtype)


@functools.partial(jit, static_argnames=("count", "dtype"))
def _normal_kernel(key, index, *, count, dtype):
    return jax.random.normal(jax.random.fold_in(random.as_key(key), index), (count,), dtype)


@functools.partial(jit, static_argnames=("count", "dtype"))
def _truncated_kernel(key, index, lower, upper, *, count, dtype):
    key = jax.random.fold_in(random.as_key(key), index)
    return jax.random.truncated_normal(key, lower, upper, (count,), dtype)


def _fill(kernel, shape: tuple[int, ...], dtype: np.dtype, *bounds: float) -> np.ndarray:
    """Return an array of the shape, in float64 if dtype is float64, else in float32."""
    dtype = np.dtype("float64" if dtype == np.float64 else "float32")
    size = math.prod(shape)
    out = np.empty(size, dtype)
    count = _SMALL if size <= 16 * _SMALL else _LARGE
    key, given = random.next_key(), [on_device(bound, dtype) for bound in bounds]
    for index, start in enumerate(range(0, size, count)):
        part = out[start : start + count]
        numbers = kernel(key, on_device(index, np.uint32), *given, count=count, dtype=dtype.name)
        part[:] = np.asarray(numbers)[: part.size]
    return out.reshape(shape)


def uniform(shape, dtype, low: float, high: float) -> np.ndarray:
    """Return numbers drawn uniformly from [low, high)."""
    return _fill(_uniform_kernel, shape, dtype) * (high - low) + low


def normal(shape, dtype, mean: float, std: float) -> np.ndarray:
    """Return numbers of a normal distribution."""
    return _fill(_normal_kernel, shape, dtype) * std + mean


def truncated_normal(shape, dtype, mean: float, std: float, low: float, high: float) -> np.ndarray:
    """Return numbers of a normal distribution cut off at ``low`` and ``high``."""
    if std == 0:
        return np.full(shape, np.clip(mean, low, high))
    bounds = (low - mean) / std, (high - mean) / std
    return np.clip(_fill(_truncated_kernel, shape, dtype, *bounds) * std + mean, low, high)
