"""The kernels of the calls: functions of one rank's arrays in a ``shard_map`` over all ranks.

Each kernel maps the arrays of its rank to those that the rank keeps. Data is sent from device to
device: over gloo's sockets for CPUs, over NCCL for GPUs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.ops.rules.wide_sums import adds_in_float32

AXIS = "ranks"
Arrays = tuple[jax.Array, ...]


def _as_numbers(function: Callable, *arrays: jax.Array) -> Arrays:
    """Call a function with bools as int8, and convert the results back to bools."""
    found = function(*(a.astype(jnp.int8) if a.dtype == bool else a for a in arrays))
    return tuple(f.astype(a.dtype) for f, a in zip(found, arrays, strict=True))


def reduce_sum(x: jax.Array) -> jax.Array:
    """Return the sum over the ranks; for bools, whether any is True."""
    return lax.pmax(x.astype(jnp.int8), AXIS).astype(bool) if x.dtype == bool else lax.psum(x, AXIS)


def reduce_max(x: jax.Array) -> jax.Array:
    """Return the largest of the ranks' values."""
    return _as_numbers(lambda each: (lax.pmax(each, AXIS),), x)[0]


def reduce_min(x: jax.Array) -> jax.Array:
    """Return the smallest of the ranks' values."""
    return _as_numbers(lambda each: (lax.pmin(each, AXIS),), x)[0]


def reduce_prod(x: jax.Array) -> jax.Array:
    """Return the product of the ranks' values, multiplied in the order of the ranks."""
    if x.dtype == bool:
        return reduce_min(x)
    return _reduced(lax.all_gather(x, AXIS), op=3)


def reduce_avg(x: jax.Array) -> jax.Array:
    """Return the mean of the ranks' values, for integers truncated towards 0."""
    return mean_of(reduce_sum(x))


def mean_of(total: jax.Array) -> jax.Array:
    """Return a sum over the ranks, divided by the number of ranks."""
    count = lax.axis_size(AXIS)
    if jnp.issubdtype(total.dtype, jnp.integer):
        return lax.div(total, jnp.asarray(count, total.dtype))
    return total if total.dtype == bool else total / count


REDUCTIONS = (reduce_sum, reduce_max, reduce_min, reduce_prod, reduce_avg)  # ReduceOp's order


def all_reduce(*arrays: jax.Array, op: int) -> Arrays:
    """Reduce each array over the ranks; send several arrays of one dtype together."""
    if len(arrays) == 1:
        return (REDUCTIONS[op](arrays[0]),)
    found: list = [None] * len(arrays)
    for dtype in dict.fromkeys(a.dtype for a in arrays):
        places = [i for i, a in enumerate(arrays) if a.dtype == dtype]
        flat = REDUCTIONS[op](jnp.concatenate([arrays[i].ravel() for i in places]))
        ends = list(_running([arrays[i].size for i in places]))
        for i, part in zip(places, jnp.split(flat, ends[:-1]), strict=True):
            found[i] = part.reshape(arrays[i].shape)
    return tuple(found)


def _running(sizes: Sequence[int]) -> Sequence[int]:
    """Return the cumulative sums of sizes."""
    return [sum(sizes[: i + 1]) for i in range(len(sizes))]


def all_gather(x: jax.Array) -> Arrays:
    """Return the array of each rank."""
    every = lax.all_gather(x, AXIS)
    return tuple(every[i] for i in range(lax.axis_size(AXIS)))


def all_gather_one(x: jax.Array, axis: int) -> Arrays:
    """Return the arrays of all ranks, concatenated along an axis."""
    return (lax.all_gather(x, AXIS, axis=axis, tiled=True),)


def reduce_scatter(*parts: jax.Array, op: int) -> Arrays:
    """Reduce each of the n parts over the ranks, and return this rank's part."""
    if op not in (0, 4) or parts[0].dtype == bool:
        return (_reduced(jnp.stack(_exchanged(parts)), op=op),)
    total = lax.psum_scatter(jnp.stack(parts), AXIS)
    return (total if op == 0 else mean_of(total),)


def reduce_scatter_one(x: jax.Array, axis: int, op: int) -> Arrays:
    """Sum over the ranks, and return the rank's piece along an axis."""
    if op not in (0, 4) or x.dtype == bool:
        return reduce_scatter(*jnp.split(x, lax.axis_size(AXIS), axis), op=op)
    total = lax.psum_scatter(x, AXIS, scatter_dimension=axis, tiled=True)
    return (total if op == 0 else mean_of(total),)


@adds_in_float32
def _reduced(stacked: jax.Array, *, op: int) -> jax.Array:
    """Reduce the arrays that all ranks have sent to this one."""
    if stacked.dtype == bool:
        return jnp.any(stacked, 0) if op in (0, 1, 4) else jnp.all(stacked, 0)
    if op in (0, 4):
        total = jnp.sum(stacked, 0, dtype=stacked.dtype)
        return total if op == 0 else mean_of(total)
    if op == 3:
        return jnp.prod(stacked, 0, dtype=stacked.dtype)
    return (jnp.max if op == 1 else jnp.min)(stacked, 0)


def _exchanged(parts: Sequence[jax.Array]) -> list[jax.Array]:
    found = lax.all_to_all(jnp.stack(parts), AXIS, 0, 0, tiled=True)
    return [found[i] for i in range(len(parts))]


def alltoall(*parts: jax.Array) -> Arrays:
    """Send part i to rank i, and return the received parts, in the order of the ranks."""
    return tuple(_exchanged(parts))


def alltoall_single(x: jax.Array) -> Arrays:
    """Send the n equal pieces of the rows to the ranks, and return the received pieces."""
    return (lax.all_to_all(x, AXIS, 0, 0, tiled=True),)


def broadcast(*arrays: jax.Array, src: int) -> Arrays:
    """Return the arrays of one rank on all; each step doubles the ranks that have them.

    A sum with zeros would be one call, but changes -0.0 to 0.0; a gather sends n times as much.
    """
    count = lax.axis_size(AXIS)
    place = (lax.axis_index(AXIS) - src) % count
    for step in range(math.ceil(math.log2(count))):
        have = 2**step
        pairs = [
            ((i + src) % count, (i + have + src) % count)
            for i in range(have)
            if i + have < count
        ]  # fmt: skip
        is_new = (place >= have) & (place < 2 * have)
        arrays = tuple(jnp.where(is_new, lax.ppermute(a, AXIS, pairs), a) for a in arrays)
    return arrays


def scatter(x: jax.Array, *parts: jax.Array, src: int) -> Arrays:
    """Return each rank's part of those of the source rank; the others' parts are ignored."""
    place = lax.axis_index(AXIS)
    found = parts[src]
    for i in range(lax.axis_size(AXIS)):
        if i != src:
            found = jnp.where(place == i, lax.ppermute(parts[i], AXIS, [(src, i)]), found)
    return (found.astype(x.dtype),)


def gather(x: jax.Array, dst: int) -> Arrays:
    """Return the arrays of all ranks on one rank; the results of the others are meaningless."""
    return tuple(
        x if i == dst else lax.ppermute(x, AXIS, [(i, dst)]) for i in range(lax.axis_size(AXIS))
    )


def transfer(x: jax.Array, src: int) -> Arrays:
    """Send the array of one rank of two to the other."""
    return (lax.ppermute(x, AXIS, [(src, 1 - src)]),)


def barrier(x: jax.Array) -> Arrays:
    """Return a sum that no rank can have before all ranks have joined."""
    return (lax.psum(x, AXIS),)


KERNELS: dict[str, Callable] = {
    f.__name__: f
    for f in (
        all_reduce, all_gather, all_gather_one, reduce_scatter, reduce_scatter_one, alltoall,
        alltoall_single, broadcast, scatter, gather, transfer, barrier,
    )
}  # fmt: skip
