"""Functions from ids to vectors: embedding and one_hot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidIndexError,
    UnsupportedAttributeError,
)
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.nn import embedding as rows
from jaxeager.ops.register import composite
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import as_whole
from jaxeager.ops.rules.domains import POSITIVE, check_domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite(public="functional", method=False)
def embedding(
    x: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    sparse: bool = False,
    scale_grad_by_freq: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the rows of a table selected by ids.

    Args:
        x: int32 or int64 ids of any shape.
        weight: float[n, d], the table.
        padding_idx: an id that reads as zeros and gets no gradient; negative counts from the end.
        max_norm: a number above 0: the rows of ``weight`` that are looked up and have a larger
            norm are first scaled down to it, in place and without a gradient.
        norm_type: the p of that norm.
        sparse: whether the gradient of a leaf table is SelectedRows, with only the rows that
            were read, including that of ``padding_idx``. Optimizers that update just those
            rows need it (``Adam(lazy_mode=True)``); it saves no memory here.
        scale_grad_by_freq: whether to divide each row's gradient by the number of its uses.
        name: ignored.

    Returns:
        float[*x.shape, d].

    Raises:
        InvalidArgumentError: for an id outside [0, n) when the tensors are on a CPU. An
            accelerator is not waited for: its vector is nan there. Also for a max_norm that is
            not above 0, with which Paddle reverses rows, or takes 0 for None.
        UnsupportedAttributeError: if sparse and scale_grad_by_freq are both given.

    Example:
        >>> import jaxeager as paddle
        >>> table = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.nn.functional.embedding(paddle.to_tensor([1, 0]), table).tolist()
        [[3.0, 4.0], [1.0, 2.0]]
    """
    count = raw(weight).shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif not -count <= padding_idx < count:
        raise InvalidArgumentError(
            f"padding_idx must be within [-{count}, {count}), but received {padding_idx}."
        )
    else:
        padding_idx %= count
    _check_range("Variable value (input) of OP(embedding)", x, count)
    if max_norm is not None:
        check_domain("embedding: max_norm", max_norm, POSITIVE)
        with paddle.no_grad():
            ROWS["embedding_renorm"].inplace_function(weight, x, max_norm, norm_type)
    if sparse:
        if scale_grad_by_freq:
            raise UnsupportedAttributeError(
                "scale_grad_by_freq = True is not supported with sparse update."
            )
        return rows.embedding_of_rows(x, weight, padding_idx)
    return rows.embedding(x, weight, padding_idx, scale_grad_by_freq)


@composite(public="functional", method=False)
def one_hot(x: Tensor, num_classes: int = -1, name: str | None = None) -> Tensor:
    """Return vectors that are 1 at the id and 0 elsewhere, in float32.

    Args:
        x: int32 or int64 ids of any shape.
        num_classes: length of the vectors; -1 means the largest id + 1, which has to wait for
            the ids.
        name: ignored.

    Returns:
        float32[*x.shape, num_classes], which has no gradient.

    Raises:
        InvalidArgumentError: for an id outside [0, num_classes) on a CPU. On an accelerator its
            vector is zeros.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.one_hot(paddle.to_tensor([1, 0]), 3).tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    num_classes = as_whole(num_classes, "num_classes")
    if num_classes == -1:
        num_classes = int(x.numpy().max()) + 1
    _check_range("Illegal index value, Input(input) value", x, num_classes)
    return rows.one_hot(x, num_classes)


def _check_range(what: str, ids, count: int) -> None:
    """Raise if an id is outside [0, count); see ``check_within``. About 2 us.

    Raises:
        InvalidIndexError: names the id.
    """

    def error(bad: int) -> InvalidIndexError:
        return InvalidIndexError(
            f"{what} expected >= 0 and < {count}, but got {bad}. Please check input value."
        )

    check_within(ids._array, 0, count, error)
