"""The cost of a kernel by XLA's analysis, and the peak rates of the device.

Note [Roofline]
    A kernel can be no faster than its arithmetic at the device's peak rate, and no faster than its
    bytes at the peak rate of its memory; the longer of the two times is its roof. The efficiency of
    a kernel is that time over its actual time. The arithmetic is the count of XLA's cost analysis
    for the kernel's program. Its count of bytes assumes that nothing is fused, so it is limited to
    the bytes of the operands and results: each has to be moved at least once.
"""

from __future__ import annotations

import functools
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxeager.core.symbolic import known_size
from jaxeager.kernels import compilations
from jaxeager.kernels.tracing import jit


class Cost(NamedTuple):
    """The operations and bytes of a kernel.

    Attributes:
        flops: operations on floating-point numbers.
        bytes: bytes read and written.
    """

    flops: float
    bytes: float


class Peaks(NamedTuple):
    """The peak rates of a device.

    Attributes:
        flops: operations per second.
        bytes: bytes read and written per second.
    """

    flops: float
    bytes: float

    def least_seconds(self, cost: Cost) -> float:
        """Return the roof of a kernel: see Note [Roofline].

        Example:
            >>> Peaks(flops=1e12, bytes=1e11).least_seconds(Cost(flops=1e9, bytes=1e6))
            0.001
        """
        return max(cost.flops / self.flops, cost.bytes / self.bytes)


_NONE = Cost(0.0, 0.0)
_peaks: dict[Any, Peaks] = {}


def cost_of(kernel: Any, operands: tuple) -> Cost:
    """Return the cost of a kernel for operands of these shapes; zero if JAX cannot tell.

    Args:
        kernel: a jitted function.
        operands: ``jax.ShapeDtypeStruct`` for each array, nested like the kernel's arguments.

    Example:
        >>> import jax
        >>> import jax.numpy as jnp
        >>> x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
        >>> cost = cost_of(jax.jit(jnp.dot), (x, x))
        >>> cost.flops == 2 * 64**3, cost.bytes == 3 * 64 * 64 * 4
        (True, True)
    """
    try:
        # This trace is not of an upcoming kernel; JAX counts on a CPU alone.
        with compilations.compiling("full"), jax.default_device(_counter()):
            lowered = kernel.lower(*operands)
            found = lowered.cost_analysis() or {}
        results = jax.tree.leaves(lowered.out_info)
    except Exception:  # a rule that cannot be traced outside its call
        return _NONE
    if isinstance(found, list):
        found = found[0]
    moved = sum([_bytes_of(each) for each in [*jax.tree.leaves(operands), *results]])
    counted = float(found.get("bytes accessed", moved))
    return Cost(max(float(found.get("flops", 0.0)), 0.0), min(moved, counted))


@functools.cache
def _counter():
    """Return a CPU device, None if there is none."""
    try:
        return jax.local_devices(backend="cpu")[0]
    except RuntimeError:
        return None


def _bytes_of(struct) -> float:
    size = known_size(getattr(struct, "shape", ()))  # an unknown dimension counts as 1
    dtype = getattr(struct, "dtype", None)
    return float(size * getattr(dtype, "itemsize", 8))


def peaks(device: Any = None) -> Peaks:
    """Return the peak rates of a device, measured once per process (0.2 s on a CPU).

    Arithmetic is measured by a product of two float32 matrices, bytes by a copy.

    Args:
        device: a jax.Device; None for the first.
    """
    device = device or jax.local_devices()[0]
    if device not in _peaks:
        size = 1024 if device.platform == "cpu" else 8192
        with jax.default_device(device):
            matrix = jnp.ones((size, size), jnp.float32)
            long = jnp.ones(2**24 if device.platform == "cpu" else 2**28, jnp.float32)
            product = _best(jit(jnp.dot), matrix, matrix)
            copied = _best(jit(lambda x: x + 1), long)
        _peaks[device] = Peaks(2.0 * size**3 / product, 2.0 * long.nbytes / copied)
    return _peaks[device]


def _best(kernel, *operands) -> float:
    """Return the shortest of several run times of a kernel, in seconds."""
    jax.block_until_ready(kernel(*operands))
    took = []
    for _ in range(5):
        began = time.perf_counter()
        jax.block_until_ready(kernel(*operands))
        took.append(time.perf_counter() - began)
    return min(took)
