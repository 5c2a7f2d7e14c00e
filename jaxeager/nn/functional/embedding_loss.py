"""Losses of pairs and triplets of embeddings, which pull matching ones together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.loss_reduction import check_reduction_briefly, reduced
from jaxeager.ops.register import composite
from jaxeager.ops.rules.domains import NOT_NEGATIVE, check_values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _check_triplet(input, positive, negative, margin: float) -> None:
    if margin < 0:
        raise InvalidArgumentError(
            "The margin between positive samples and negative samples should be greater than 0, "
            f"but is {margin}."
        )
    if not input.shape == positive.shape == negative.shape:
        raise InvalidArgumentError(
            "input's shape must equal to positive's shape and negative's shape, but they are "
            f"{list(input.shape)}, {list(positive.shape)} and {list(negative.shape)}."
        )


def _distances(distance, input, positive, negative, swap: bool) -> tuple:
    """Return (positive distance, negative distance); with swap, the latter from the nearer end."""
    near, far = distance(input, positive), distance(input, negative)
    if swap:
        far = paddle.minimum(far, distance(positive, negative))
    return near, far


@composite(public="functional", method=False)
def triplet_margin_loss(
    input: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    epsilon: float = 1e-06,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return by how much the negatives fail to be further away than the positives plus a margin.

    Each sample is ``max(0, d(input, positive) - d(input, negative) + margin)``, where d is the
    p-norm of the difference.

    Args:
        input: float[N, D], or [D].
        positive: of the same shape, should be near.
        negative: of the same shape, should be far.
        margin: by how much the negative should be further away.
        p: exponent of the norm.
        epsilon: added to the difference.
        swap: whether to measure the negative from the positive where that is nearer.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, or a negative margin.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> round(paddle.nn.functional.triplet_margin_loss(x, y, x).item(), 3)
        6.0
    """
    check_reduction_briefly(reduction, "triplet_margin_loss")
    _check_triplet(input, positive, negative, margin)

    def distance(x, y):
        return paddle.nn.functional.pairwise_distance(x, y, p, epsilon)

    near, far = _distances(distance, input, positive, negative, swap)
    return reduced(paddle.clip(near - far + margin, min=0.0), reduction)


@composite(public="functional", method=False)
def triplet_margin_with_distance_loss(
    input: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return by how much the negatives fail to be further away than the positives, by any distance.

    Args:
        input: float[N, D].
        positive: of the same shape, should be near.
        negative: of the same shape, should be far.
        distance_function: maps two tensors to distances; the 2-norm of the difference if None.
        margin: by how much the negative should be further away.
        swap: whether to measure the negative from the positive where that is nearer.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per distance.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, a negative margin, or a
            negative distance, on a CPU. An accelerator is not waited for: it is used unchanged
            there; with FLAGS_check_index=1 the error is raised later.

    Example:
        >>> import jaxeager as paddle
        >>> def distance(x, y):
        ...     return (x - y).abs().sum(-1)
        >>> x, y = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> F = paddle.nn.functional
        >>> F.triplet_margin_with_distance_loss(x, y, x, distance_function=distance).item()
        8.0
    """
    check_reduction_briefly(reduction, "triplet_margin_with_distance_loss")
    _check_triplet(input, positive, negative, margin)
    distance = distance_function or paddle.nn.functional.pairwise_distance
    near, far = _distances(distance, input, positive, negative, swap)
    for each in (near, far):
        check_values(each, NOT_NEGATIVE, _no_distance)
    return reduced(paddle.clip(near - far + margin, min=0.0), reduction)


def _no_distance(found) -> InvalidArgumentError:
    return InvalidArgumentError(
        "The positive distance or negative distance should be greater than 0, The distance "
        f"functions should be checked: received {found}."
    )


@composite(public="functional", method=False)
def npair_loss(anchor: Tensor, positive: Tensor, labels: Tensor, l2_reg: float = 0.002) -> Tensor:
    """Return the cross entropy of identifying each anchor's positives, plus a penalty.

    Args:
        anchor: float[N, D].
        positive: float[N, D]; row i belongs to anchor i.
        labels: [N]: rows of the same label are positives of each other.
        l2_reg: weight of the penalty on the embeddings' squared lengths.

    Returns:
        a 0-D float tensor.

    Raises:
        InvalidArgumentError: if there are no embeddings.

    Example:
        >>> import jaxeager as paddle
        >>> x, labels = paddle.to_tensor([[0.0], [0.0]]), paddle.to_tensor([0, 1])
        >>> round(paddle.nn.functional.npair_loss(x, x, labels).item(), 4)
        0.6931
    """
    for what, tensor in (("anchor", anchor), ("positive", positive)):
        if tensor.size == 0:
            raise InvalidArgumentError(f"The dims of {what} should be greater than 0.")
    count = labels.shape[0]
    labels = paddle.tile(labels.reshape([count, 1]), [1, count])
    same = paddle.equal(labels, paddle.transpose(labels, [1, 0])).astype(anchor.dtype)
    shares = same / paddle.sum(same, axis=1, keepdim=True)
    lengths = paddle.mean(paddle.sum(paddle.square(anchor), 1)) + paddle.mean(
        paddle.sum(paddle.square(positive), 1)
    )
    similarity = paddle.matmul(anchor, positive, transpose_y=True)
    entropy = paddle.nn.functional.softmax_with_cross_entropy(similarity, shares, soft_label=True)
    return lengths * 0.25 * l2_reg + paddle.mean(paddle.sum(shares * entropy, 0))


@composite(public="functional", method=False)
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    label: Tensor,
    margin: float = 0,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return the loss of pairs that should be parallel (label 1) or dissimilar (label -1).

    Each sample is ``1 - cos`` where the label is 1 and ``max(0, cos - margin)`` where it is -1.

    Args:
        input1: float[N, D], or [D].
        input2: of the same shape.
        label: 1 or -1, [N].
        margin: the cosine allowed for pairs of label -1, in [-1, 1].
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for shapes or dtypes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.to_tensor([[4.0, -3.0]])
        >>> paddle.nn.functional.cosine_embedding_loss(x, y, paddle.to_tensor([1])).item()
        1.0
    """
    _check_cosine(input1, input2, label)
    product = (input1 * input2).sum(axis=-1)
    square1 = paddle.square(input1).sum(axis=-1) + 1e-11
    square2 = paddle.square(input2).sum(axis=-1) + 1e-11
    cosine = product / paddle.sqrt(square1 * square2)
    zeros = paddle.zeros_like(cosine)
    near = paddle.where(label == 1, 1 - cosine, zeros)
    far = paddle.where(label == -1, paddle.clip(cosine - margin, min=0), zeros)
    check_reduction_briefly(reduction, "cosine_embedding_loss")
    return reduced(near + far, reduction)


def _check_cosine(input1, input2, label) -> None:
    if label.ndim != 1:
        raise InvalidArgumentError(
            f"1D target tensor expected, multi-target not supported: the label has {label.ndim} "
            "dimensions."
        )
    if input1.shape != input2.shape:
        raise InvalidArgumentError(
            "the shape of input tensor 1 should be equal to input tensor 2, but found inputs with "
            f"different sizes: {list(input1.shape)} and {list(input2.shape)}."
        )
    if input1.ndim > 2:
        raise InvalidArgumentError(
            "1D target tensor expects 1D or 2D input tensors, but found inputs with different "
            f"sizes: {list(input1.shape)}."
        )
    if input1.dtype not in (paddle.float32, paddle.float64):
        raise InvalidArgumentError(
            f"The data type of input Variable must be 'float32' or 'float64', not {input1.dtype}."
        )
    if label.dtype not in (paddle.int32, paddle.int64, paddle.float32, paddle.float64):
        raise InvalidArgumentError(
            "The data type of label Variable must be 'int32', 'int64', 'float32', 'float64', not "
            f"{label.dtype}."
        )
