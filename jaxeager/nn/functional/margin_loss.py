"""Losses of pairs: what should be near is pulled together, what should not is pushed apart."""

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.reductions import (
    check_reduction,
    check_reduction_briefly,
    check_same_shape,
    reduced,
)
from jaxeager.ops.reduction import mean_all
from jaxeager.ops.row import composite


@composite(public="functional", method=False)
def margin_ranking_loss(input, other, label, margin=0.0, reduction="mean", name=None):
    """Returns by how much two scores are ranked against their label.

    Each element is ``max(0, -label * (input - other) + margin)``.

    Args:
        input: float tensor.
        other: float tensor that broadcasts with it.
        label: 1 where ``input`` should be the larger, -1 where ``other`` should; float.
        margin: by how much it should be larger.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none" one value an element.

    Raises:
        InvalidArgumentError: for another reduction, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.margin_ranking_loss(x, y, paddle.to_tensor([1.0, 1.0])).item()
        1.0
    """
    check_reduction(reduction, "MarginRankingLoss")
    out = paddle.multiply(paddle.subtract(other, input), label)
    if margin != 0.0:
        out = paddle.add(out, paddle.full([1], margin, out.dtype))
    return reduced(paddle.nn.functional.relu(out), reduction, mean_all)


@composite(public="functional", method=False)
def hinge_embedding_loss(input, label, margin=1.0, reduction="mean", name=None):
    """Returns distances of pairs that belong together, and how far the others are too near.

    Each element is ``input`` where the label is 1, ``max(0, margin - input)`` where it is -1, and
    0 elsewhere.

    Args:
        input: float tensor of distances.
        label: 1 or -1, of the same shape.
        margin: how far apart pairs of label -1 should be.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none" one value an element.

    Raises:
        InvalidArgumentError: for another reduction, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])
        >>> paddle.nn.functional.hinge_embedding_loss(x, label, reduction="none").tolist()
        [0.5, 0.75]
    """
    check_reduction_briefly(reduction, "hinge_embedding_loss")
    zero = paddle.zeros([1], dtype=input.dtype)
    near = paddle.where(label == 1.0, input, zero)
    far = paddle.where(label == -1.0, paddle.nn.functional.relu(margin - input), zero)
    return reduced(near + far, reduction)


@composite(public="functional", method=False)
def cosine_embedding_loss(input1, input2, label, margin=0, reduction="mean", name=None):
    """Returns how far vectors of label 1 are from parallel, and others from being apart.

    Each sample is ``1 - cos`` where the label is 1 and ``max(0, cos - margin)`` where it is -1.

    Args:
        input1: float[N, D], or [D].
        input2: of the same shape.
        label: 1 or -1, [N].
        margin: the cosine that pairs of label -1 may have, in [-1, 1].
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none" float[N].

    Raises:
        InvalidArgumentError: for shapes or dtypes that do not fit.

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


@composite(public="functional", method=False)
def soft_margin_loss(input, label, reduction="mean", name=None):
    """Returns ``log(1 + exp(-label * input))`` of each element.

    Paddle: exp overflows there when ``-label * input`` is above 88, and the gradient is nan; here
    the loss is that number.

    Args:
        input: float tensor.
        label: 1 or -1, of the same shape, of any number dtype.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none" one value an element.

    Raises:
        InvalidArgumentError: for another reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.soft_margin_loss(x, label).item(), 4)
        0.6931
    """
    check_reduction(reduction, "soft_margin_loss")
    check_same_shape(input, label)
    agreement = paddle.cast(label, input.dtype) * input
    return reduced(-paddle.nn.functional.log_sigmoid(agreement), reduction)


@composite(public="functional", method=False)
def multi_label_soft_margin_loss(input, label, weight=None, reduction="mean", name=None):
    """Returns the mean over the classes of each one's binary cross entropy.

    Args:
        input: float[N, C], logits.
        label: 0 or 1, float[N, C].
        weight: float[C], or None.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none" float[N].

    Raises:
        InvalidArgumentError: for another reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[1.0, 0.0]])
        >>> round(paddle.nn.functional.multi_label_soft_margin_loss(x, label).item(), 4)
        0.6931
    """
    check_reduction_briefly(reduction, "multi_label_soft_margin_loss")
    if input.shape != label.shape:
        raise InvalidArgumentError(
            "The input and label should have same dimension,but received "
            f"{list(input.shape)}!={list(label.shape)}"
        )
    log_sigmoid = paddle.nn.functional.log_sigmoid
    loss = -(label * log_sigmoid(input) + (1 - label) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.mean(axis=-1), reduction)
