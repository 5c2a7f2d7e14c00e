"""Backward functions of operations, for programs that write their own gradients."""

from __future__ import annotations

import jaxeager as paddle

F = paddle.nn.functional


def embedding_grad_add_to_(
    token_indices: paddle.Tensor,
    main_grad_: paddle.Tensor,
    out_grad: paddle.Tensor,
    name: str | None = None,
) -> paddle.Tensor:
    """Add the gradient of looked-up rows to that of the whole table, in place.

    Args:
        token_indices: int[...], the rows that were looked up.
        main_grad_: float[rows, n], written in place.
        out_grad: float[..., n].
        name: a name.

    Returns:
        main_grad_.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> rows = paddle.to_tensor([1, 1])
        >>> F.embedding_grad_add_to_(rows, paddle.zeros([2, 1]), paddle.ones([2, 1])).tolist()
        [[0.0], [2.0]]
    """
    given = out_grad.reshape([-1, out_grad.shape[-1]]).astype(main_grad_.dtype)
    return main_grad_.index_add_(token_indices.flatten(), 0, given)


def cross_entropy_with_softmax_bwd_w_downcast(
    label: paddle.Tensor,
    softmax: paddle.Tensor,
    loss_grad: paddle.Tensor,
    name: str | None = None,
) -> paddle.Tensor:
    """Return the gradient of cross entropy to its logits, in bfloat16.

    Args:
        label: int[..., 1] or int[...], the classes.
        softmax: float32[..., classes], the softmax of the logits.
        loss_grad: float32 of the loss, one number for each label.
        name: a name.

    Returns:
        bfloat16[..., classes].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> half, one = paddle.full([1, 2], 0.5), paddle.ones([1, 1])
        >>> label = paddle.zeros([1, 1], "int64")
        >>> F.cross_entropy_with_softmax_bwd_w_downcast(label, half, one).tolist()
        [[-0.5, 0.5]]
    """
    wanted = F.one_hot(label.reshape(softmax.shape[:-1]), softmax.shape[-1])
    given = loss_grad.reshape([*softmax.shape[:-1], 1])
    return ((softmax - wanted) * given).astype("bfloat16")


def fused_swiglu_weighted_bwd(
    o1: paddle.Tensor,
    do2_s: paddle.Tensor,
    unzipped_probs: paddle.Tensor,
    name: str | None = None,
) -> tuple[paddle.Tensor, paddle.Tensor, paddle.Tensor]:
    """Return the gradients of ``swiglu(o1) * unzipped_probs``, and its value.

    Args:
        o1: float[..., 2 * n].
        do2_s: float[..., n], the gradient of the product.
        unzipped_probs: float32[..., 1].
        name: a name.

    Returns:
        float[..., 2 * n], the gradient of o1; float32[..., 1], that of the weights; float[..., n],
        the product.

    Paddle: computes this on a GPU only, in bfloat16.

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.ones([1, 1])
        >>> found = paddle.incubate.nn.functional.fused_swiglu_weighted_bwd(
        ...     paddle.to_tensor([[0.0, 2.0]]), one, one
        ... )
        >>> found[0].tolist()
        [[1.0, 0.0]]
    """
    gate, value = (each.astype("float32") for each in o1.chunk(2, axis=-1))
    grad, weights = do2_s.astype("float32"), unzipped_probs.astype("float32")
    weights = weights.reshape([*gate.shape[:-1], 1])
    sigmoid = F.sigmoid(gate)
    out = gate * sigmoid * value
    inner = grad * weights
    slope = sigmoid * (1.0 + gate * (1.0 - sigmoid))
    o1_grad = paddle.concat([inner * value * slope, inner * gate * sigmoid], axis=-1)
    weights_grad = (grad * out).sum(-1, keepdim=True).reshape(unzipped_probs.shape)
    return o1_grad.astype(o1.dtype), weights_grad, (out * weights).astype(o1.dtype)
