"""paddle.incubate's softmax functions with a mask, and identity_loss."""

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.losses.identity_loss import identity_loss as _identity_loss
from jaxeager.ops.nn import masked_softmax
from jaxeager.tensor import Tensor

REDUCTIONS = {"sum": 0, "mean": 1, "none": 2}


@names_operands
def softmax_mask_fuse(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """Return the softmax of scores plus a mask along the last axis.

    Args:
        x: float[batch, heads, length, other].
        mask: added to the scores, float[batch, 1, length, other].
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: for shapes that do not fit.

    Paddle: a mask that requires a gradient gets none there.

    Example:
        >>> import jaxeager as paddle
        >>> mask = paddle.to_tensor([0.0, -1e9]).reshape([1, 1, 1, 2])
        >>> paddle.incubate.softmax_mask_fuse(paddle.ones([1, 1, 1, 2]), mask).flatten().tolist()
        [1.0, 0.0]
    """
    out = masked_softmax.fused_softmax_mask(x, mask)
    if mask.stop_gradient or not paddle.is_grad_enabled():
        return out
    return paddle.nn.functional.softmax(paddle.add(x, mask))


@names_operands
def softmax_mask_fuse_upper_triangle(x: Tensor) -> Tensor:
    """Return the softmax along the last axis of the elements that are not above the diagonal.

    Paddle: computes this on a GPU only.

    Args:
        x: float[batch, heads, length, length].

    Returns:
        float, shaped as x, 0 above the diagonal.

    Raises:
        InvalidArgumentError: for other shapes.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.incubate.softmax_mask_fuse_upper_triangle(paddle.ones([1, 1, 2, 2]))
        >>> out.flatten().tolist()
        [1.0, 0.0, 0.5, 0.5]
    """
    return masked_softmax.fused_softmax_mask_upper_triangle(x)


def identity_loss(x: Tensor, reduction: str | int = "none") -> Tensor:
    """Return a loss unchanged, its sum or its mean, marked as the training loss.

    Args:
        x: float tensor.
        reduction: "sum" or 0, "mean" or 1, "none" or 2.

    Returns:
        a 0-D float tensor; without reduction float, shaped as x.

    Raises:
        InvalidTypeError: for another name.
        InvalidArgumentError: for another number.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.identity_loss(paddle.to_tensor([1.0, 3.0]), "mean").item()
        2.0
    """
    if isinstance(reduction, str):
        if reduction.lower() not in REDUCTIONS:
            raise InvalidTypeError(
                f"Unsupported reduction type. It must be one of {list(REDUCTIONS)}, not "
                f"{reduction!r}."
            )
        reduction = REDUCTIONS[reduction.lower()]
    return _identity_loss(x, reduction)
