"""shard_index: class ids relative to one shard of the classes."""

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidIndexError
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.axes import index_dtype
from jaxeager.ops.rules.samples import BadInput, Sample

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def shard_index_forward(
    input, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
):
    """Return the ids of a shard counted from 0, and ``ignore_value`` for those of others."""
    index_dtype(input)
    if input.ndim < 2 or input.shape[-1] != 1:
        raise ValueError(f"takes a tensor of shape [..., 1], but received {list(input.shape)}.")
    if index_num <= 0 or nshards <= 0 or not 0 <= shard_id < nshards:
        raise ValueError(
            "index_num and nshards must be above 0 and shard_id in [0, nshards), but are "
            f"{index_num}, {nshards} and {shard_id}."
        )
    size = -(-index_num // nshards)
    return jnp.where(input // size == shard_id, input % size, ignore_value).astype(input.dtype)


def shard_index_reference(input, index_num, nshards, shard_id, ignore_value=-1):
    """Compute the plain formula."""
    size = (index_num + nshards - 1) // nshards
    low = shard_id * size
    is_mine = (input >= low) & (input < low + size)
    return np.where(is_mine, input - low, ignore_value).astype(input.dtype)


def shard_index_samples():
    """Yield both shards of an even number of ids, the last of an odd one, and nothing."""
    ids = np.array([[16], [1], [0], [19]])
    yield Sample(ids, index_num=20, nshards=2, shard_id=0)
    yield Sample(ids.astype(np.int32), index_num=20, nshards=2, shard_id=1)
    yield Sample(ids, index_num=21, nshards=4, shard_id=3, ignore_value=-5)
    yield Sample(np.zeros((0, 1), np.int64), index_num=20, nshards=2, shard_id=0)


def shard_index_errors():
    """Yield another last dimension, floating ids, and shards that do not exist."""
    ids, bad = np.array([[1]]), InvalidArgumentError
    yield BadInput((ids[0], 20, 2, 0), {}, bad, "a tensor of shape [..., 1]")
    yield BadInput((ids * 1.0, 20, 2, 0), {}, bad, "must hold integers")
    yield BadInput((ids, 20, 2, 2), {}, bad, "shard_id in [0, nshards)")


_shard_index = op(
    "shard_index", shard_index_forward, vjp=NONDIFF, public=None, dtypes="int64",
    reference=shard_index_reference, samples=shard_index_samples, errors=shard_index_errors,
    doc="Count the ids of one shard from 0, and mark those of the others.",
)  # fmt: skip


@composite()
def shard_index(
    input: "Tensor", index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> "Tensor":
    """Return the ids of one shard counted from 0, and ``ignore_value`` for ids of other shards.

    Each shard holds ``ceil(index_num / nshards)`` consecutive ids.

    Args:
        input: int tensor [..., 1] of ids.
        index_num: the number of ids.
        nshards: the number of shards.
        shard_id: this shard.
        ignore_value: the value for ids of other shards.

    Returns:
        Tensor like ``input``.

    Raises:
        InvalidArgumentError: for another shape or dtype, a shard that does not exist, or an id
            outside [0, index_num); see ``FLAGS_check_index``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.shard_index(paddle.to_tensor([[16], [1]]), 20, 2, 0).tolist()
        [[-1], [1]]
    """

    def error(bad: int) -> InvalidIndexError:
        return InvalidIndexError(
            f"The input_index for Op(shard_index) must be in [0, {index_num}), but one is {bad}."
        )

    check_within(input._array, 0, index_num, error)
    return _shard_index(input, index_num, nshards, shard_id, ignore_value)
