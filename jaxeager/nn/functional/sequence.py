"""Functions for padded sequences and beam searches: sequence_mask and gather_tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidIndexError
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.nn import sequences
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_int

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


@composite(public="functional", method=False)
def sequence_mask(
    x: Tensor, maxlen: int | None = None, dtype: DTypeLike = "int64", name: str | None = None
) -> Tensor:
    """Return 1 at the positions of each sequence and 0 at its padding.

    Without ``maxlen`` it waits for the lengths, because the shape depends on them.

    Args:
        x: the lengths, of any shape and number dtype.
        maxlen: the padded size; the largest length if None or negative.
        dtype: dtype of the mask.
        name: ignored.

    Returns:
        dtype[*x.shape, maxlen], which has no gradient.

    Raises:
        InvalidArgumentError: for bool lengths.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 3])).tolist()
        [[1, 0, 0], [1, 1, 1]]
    """
    maxlen = -1 if maxlen is None else as_int(maxlen, "maxlen")
    if maxlen < 0:
        maxlen = int(x.max().item()) if x.size else 0
    return sequences.sequence_mask(x, maxlen=maxlen, dtype=dtypes.to_numpy(dtype))


@composite(public="functional", method=False)
def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """Return the complete sequences found by a beam search.

    Args:
        ids: int32 or int64[length, batch, beams], the choice of each beam at each step.
        parents: of the same shape and dtype, the beam that each one continues.

    Returns:
        of the same shape: beam k of the last step, traced back to the first.

    Raises:
        InvalidArgumentError: for shapes or dtypes that do not match, or, on a CPU, a parent that
            is not a beam. An accelerator is not waited for: the result is meaningless there.

    Example:
        >>> import jaxeager as paddle
        >>> ids = paddle.to_tensor([[[5, 6]], [[7, 8]]])
        >>> parents = paddle.to_tensor([[[0, 0]], [[1, 0]]])
        >>> paddle.nn.functional.gather_tree(ids, parents).tolist()
        [[[6, 5]], [[7, 8]]]
    """
    if ids.ndim != 3:
        raise InvalidArgumentError(
            "The input ids must be a 3D tensor with shape [length, batch_size, beam_size], not "
            f"{list(ids.shape)}."
        )
    if ids.ndim != parents.ndim:
        raise InvalidArgumentError("The ids's shape must be the same as parents' shape. ")

    def error(bad: int) -> InvalidIndexError:
        return InvalidIndexError(
            f"The parents must be less than beam size {ids.shape[2]} and not negative, but "
            f"received {bad}."
        )

    check_within(parents._array, 0, ids.shape[2], error)
    return sequences.gather_tree(ids, parents)
