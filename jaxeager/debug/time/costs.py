"""What a kernel costs, by XLA's own account, and what the device could do at its best.

Note [Roofline]
    A kernel can be no faster than its arithmetic at the device's best rate, and no faster than its
    bytes at the best rate of its memory; the later of the two is its roof. How near a kernel comes
    is that time over the one it took. The arithmetic is what XLA's cost analysis counts in the
    program of the kernel. Its bytes are counted there as if nothing were fused, so they are taken
    to be no more than the operands and results have: each has to be moved at least once.
"""

import functools
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxeager.core import compilations
from jaxeager.core.symbolic import known_size
from jaxeager.core.tracing import jit


class Cost(NamedTuple):
    """What a kernel computes and moves.

    Attributes:
        flops: operations on floating-point numbers.
        bytes: read and written.
    """

    flops: float
    bytes: float


class Peaks(NamedTuple):
    """What a device does at its best.

    Attributes:
        flops: operations in a second.
        bytes: read and written in a second.
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
    """Return what a kernel costs for operands of these shapes; nothing where JAX cannot say.

    Args:
        kernel: a jitted function.
        operands: ``jax.ShapeDtypeStruct`` for each array, nested as it takes them.

    Example:
        >>> import jax
        >>> import jax.numpy as jnp
        >>> x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
        >>> cost = cost_of(jax.jit(jnp.dot), (x, x))
        >>> cost.flops == 2 * 64**3, cost.bytes == 3 * 64 * 64 * 4
        (True, True)
    """
    try:
        # What is traced here is no kernel that is coming; JAX counts on a CPU alone.
        with compilations.compiling("full"), jax.default_device(_counter()):
            lowered = kernel.lower(*operands)
            found = lowered.cost_analysis() or {}
        results = jax.tree.leaves(lowered.out_info)
    except Exception:  # a rule that cannot be traced apart from its call
        return _NONE
    if isinstance(found, list):
        found = found[0]
    moved = sum([_bytes_of(each) for each in [*jax.tree.leaves(operands), *results]])
    counted = float(found.get("bytes accessed", moved))
    return Cost(max(float(found.get("flops", 0.0)), 0.0), min(moved, counted))


@functools.cache
def _counter():
    """Return a CPU where there is one."""
    try:
        return jax.local_devices(backend="cpu")[0]
    except RuntimeError:
        return None


def _bytes_of(struct) -> float:
    size = known_size(getattr(struct, "shape", ()))  # an open size counts as 1
    dtype = getattr(struct, "dtype", None)
    return float(size * getattr(dtype, "itemsize", 8))


def peaks(device: Any = None) -> Peaks:
    """Return what a device does at its best, measured once in a process (0.2 s on a CPU).

    The arithmetic is that of a product of two float32 matrices, the bytes those of a copy.

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
    """Return the least of some times that a kernel takes, in seconds."""
    jax.block_until_ready(kernel(*operands))
    took = []
    for _ in range(5):
        began = time.perf_counter()
        jax.block_until_ready(kernel(*operands))
        took.append(time.perf_counter() - began)
    return min(took)
