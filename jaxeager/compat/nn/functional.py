"""paddle.compat.nn.functional: functions with PyTorch's argument names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.core.further_names import without
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError, RefusedArgumentError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.compat.nn.types import Sizes
    from jaxeager.core.types import DTypeLike

__all__ = ["linear", "pad", "scaled_dot_product_attention", "softmax", "unfold"]

F = paddle.nn.functional


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``input @ weight.T + bias``.

    Args:
        input: float[..., k].
        weight: float[n, k].
        bias: float[n], or None.

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.ones([1, 2])
        >>> paddle.compat.nn.functional.linear(one, one).tolist()
        [[2.0]]
    """
    found = paddle.matmul(input, weight, transpose_y=True)
    return found if bias is None else found + bias


@without("_stacklevel", 2, int)
def softmax(
    input: Tensor,
    dim: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the softmax along an axis.

    Args:
        input: float[...].
        dim: the axis; None for the first of tensors with 0, 1 or 3 axes, the second of others.
        dtype: the dtype that the input is cast to first, or None. An int in front of it, or
            ``_stacklevel=``, is dropped, as in Paddle.
        out: a tensor that becomes the result.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.functional.softmax(paddle.zeros([2]), dim=0).tolist()
        [0.5, 0.5]
    """
    return paddle.softmax(input, dim, dtype, out=out)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return the values, weighted by the match of keys and queries; heads precede the length.

    Args:
        query: float[..., heads, length, n].
        key: float[..., heads, other, n].
        value: float[..., heads, other, n].
        attn_mask: added to the scores, or bool, where False masks out; or None.
        dropout_p: the probability that a weight is dropped.
        is_causal: whether a query sees only keys that are not later.
        scale: the factor of the products; 1 / sqrt(n) by default.
        enable_gqa: whether keys and values may have fewer heads.

    Raises:
        PreconditionNotMetError: for a mask with ``is_causal``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 2, 3, 4])
        >>> paddle.compat.nn.functional.scaled_dot_product_attention(x, x, x).shape
        paddle.Size([1, 2, 3, 4])
    """
    if is_causal and attn_mask is not None:
        raise PreconditionNotMetError("Explicit attn_mask should not be set when is_causal=True")
    q, k, v = (each.swapaxes(-3, -2) for each in (query, key, value))
    found = F.scaled_dot_product_attention(
        q, k, v, attn_mask, dropout_p, is_causal, True, None, scale, enable_gqa
    )
    return found.swapaxes(-3, -2)


def as_numbers(value: object) -> Any:
    """Return an argument that may be a tensor of sizes as Python numbers."""
    return value.tolist() if isinstance(value, Tensor) else value


def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Return the windows of images as columns.

    Args:
        input: float[batch, channels, height, width].
        kernel_size: the window size: an int, or two.
        dilation: the spacing of a window's elements: an int, or two.
        padding: zeros around the image: an int, or two.
        stride: the distance between windows: an int, or two.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.functional.unfold(paddle.ones([1, 1, 3, 3]), 2).shape
        paddle.Size([1, 4, 4])
    """
    kernel, dilation, padding, stride = map(as_numbers, (kernel_size, dilation, padding, stride))
    return F.unfold(input, kernel, stride, padding, dilation)


_MODES = ("constant", "reflect", "replicate", "circular")


def pad(
    input: Tensor, pad: Sequence[int] | Tensor, mode: str = "constant", value: float = 0.0
) -> Tensor:
    """Return a tensor padded along its last axes.

    Args:
        input: of any dtype and shape.
        pad: sizes before and after the last axis, then the one before it, and so on.
        mode: "constant", "reflect", "replicate" or "circular".
        value: the value of the constant.

    Raises:
        RefusedArgumentError: for another mode.
        InvalidArgumentError: for more numbers than the axes take.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.functional.pad(paddle.ones([2]), [1, 0]).tolist()
        [0.0, 1.0, 1.0]
    """
    if mode not in _MODES:
        raise RefusedArgumentError(f"mode should be one of {', '.join(_MODES)}, but got {mode}.")
    sides = [int(each) for each in as_numbers(pad)]
    most = 2 * input.ndim - (0 if mode == "constant" else 2)
    if len(sides) > most:
        raise InvalidArgumentError(
            f"len(pad) is bounded by input.ndim: expect len(pad) <= {most}, got: {len(sides)}"
        )
    if not sides:
        return input.clone()
    if mode == "constant":
        sides += [0] * (2 * input.ndim - len(sides))
        ordered = [sides[i + j] for i in range(len(sides) - 2, -1, -2) for j in (0, 1)]
        return F.pad(input, ordered, value=value)
    sides += [0] * (6 - len(sides))
    whole = input.reshape([1] * (5 - input.ndim) + list(input.shape))
    found = F.pad(whole, sides, mode, data_format="NCDHW")
    return found.reshape(found.shape[5 - input.ndim :])
