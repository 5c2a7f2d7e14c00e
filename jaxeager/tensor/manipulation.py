"""paddle.tensor.manipulation: functions that change shape and order."""

from __future__ import annotations

from collections.abc import Sequence

from jaxeager.tensor.names import functions
from jaxeager.tensor.tensor import Tensor, to_tensor

_TABLE = """
    as_complex as_real as_strided atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors
    broadcast_to cast cast_ chunk column_stack concat crop diagonal_scatter dsplit dstack expand
    expand_as fill_ fill_diagonal_ fill_diagonal_tensor fill_diagonal_tensor_ flatten flatten_
    flip gather gather_nd hsplit hstack index_add index_add_ index_fill index_fill_ index_put
    index_put_ masked_fill masked_fill_ masked_scatter masked_scatter_ moveaxis narrow
    put_along_axis put_along_axis_ ravel repeat repeat_interleave reshape reshape_ roll rot90
    row_stack scatter scatter_ scatter_add scatter_add_ scatter_nd scatter_nd_add scatter_reduce
    select_scatter shard_index slice slice_scatter split squeeze squeeze_ stack strided_slice
    take_along_axis tensor_split tensordot tile tolist transpose unbind unflatten unfold unique
    unique_consecutive unsqueeze unsqueeze_ unstack view view_as view_as_complex view_as_real
    vsplit vstack zero_ zeros
""".split()

__all__ = [*_TABLE, "infer_broadcast_shape", "non_negative_axis", "tensor_array_to_tensor"]

_FOUND = functions(_TABLE)
globals().update(_FOUND)


def tensor_array_to_tensor(
    input: Sequence[Tensor], axis: int = 1, use_stack: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return the tensors of a list joined into one, and the length of each along the axis.

    Args:
        input: the tensors.
        axis: the axis along which they are joined.
        use_stack: whether the axis is a new one.
        name: a name.

    Returns:
        the tensor; int64[number of tensors].

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.tensor.manipulation import tensor_array_to_tensor
        >>> joined, lengths = tensor_array_to_tensor([paddle.ones([2]), paddle.ones([1])], 0)
        >>> joined.shape, lengths.tolist()
        (paddle.Size([3]), [2, 1])
    """
    found = list(input)
    joined = _FOUND["stack" if use_stack else "concat"](found, axis)
    return joined, to_tensor([each.shape[axis] for each in found], "int64")


def non_negative_axis(arr: Tensor, axis: int) -> int:
    """Return an axis of a tensor, counted from the first.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.manipulation.non_negative_axis(paddle.ones([2, 3]), -1)
        1
    """
    return axis + arr.ndim if axis < 0 else axis


def infer_broadcast_shape(arr: Tensor, indices: Tensor, axis: int) -> tuple[int, ...] | None:
    """Return the shape of indices along an axis that fits a tensor's; None if none does.

    Args:
        arr: the tensor.
        indices: int tensor with as many axes.
        axis: the axis of the indices.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.tensor.manipulation import infer_broadcast_shape
        >>> infer_broadcast_shape(paddle.ones([2, 3]), paddle.ones([1, 4], "int64"), 1)
        (2, 4)
    """
    wanted = list(arr.shape)
    wanted[axis] = indices.shape[axis]
    pairs = zip(wanted, indices.shape, strict=True)
    return tuple(wanted) if all(ours in (1, length) for length, ours in pairs) else None
