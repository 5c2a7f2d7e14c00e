"""paddle.incubate.nn.functional: several operations in one call, made of the plain ones.

XLA fuses what can be fused; where Paddle needs a GPU for such a call, these run everywhere.
"""

from __future__ import annotations

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError

__all__ = [
    "fused_bias_dropout_residual_layer_norm", "fused_dropout_add", "fused_linear",
    "fused_linear_activation", "fused_matmul_bias", "fused_rms_norm", "swiglu",
]  # fmt: skip

F = paddle.nn.functional
swiglu = F.swiglu


def fused_matmul_bias(
    x: paddle.Tensor,
    y: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: str | None = None,
) -> paddle.Tensor:
    """Returns a product of matrices, plus a bias.

    Args:
        x: float[..., n, k].
        y: float[..., k, m].
        bias: float[m], or None.
        transpose_x: whether x is transposed first.
        transpose_y: whether y is transposed first.
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> F.fused_matmul_bias(paddle.ones([1, 2]), paddle.ones([2, 1]), paddle.ones([1])).item()
        3.0
    """
    product = paddle.matmul(x, y, transpose_x, transpose_y)
    return product if bias is None else product + bias


def fused_linear(
    x: paddle.Tensor,
    weight: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    transpose_weight: bool = False,
    name: str | None = None,
) -> paddle.Tensor:
    """Returns ``x @ weight + bias``.

    Args:
        x: float[..., k].
        weight: float[k, m]; float[m, k] with ``transpose_weight``.
        bias: float[m], or None.
        transpose_weight: whether the weight is transposed first.
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> F.fused_linear(paddle.ones([1, 2]), paddle.ones([2, 1])).item()
        2.0
    """
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


def fused_linear_activation(
    x: paddle.Tensor,
    y: paddle.Tensor,
    bias: paddle.Tensor,
    trans_x: bool = False,
    trans_y: bool = False,
    activation: str | None = None,
) -> paddle.Tensor:
    """Returns an activation of a product of matrices plus a bias.

    Args:
        x: float[..., n, k].
        y: float[..., k, m].
        bias: float[m].
        trans_x: whether x is transposed first.
        trans_y: whether y is transposed first.
        activation: "gelu", "relu", or None and "none" for none.

    Raises:
        InvalidArgumentError: for another activation.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> one = paddle.ones([1, 1])
        >>> F.fused_linear_activation(one, -one, paddle.zeros([1]), activation="relu").item()
        0.0
    """
    found = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    if activation in (None, "none"):
        return found
    if activation not in ("gelu", "relu"):
        raise InvalidArgumentError(f"activation is 'gelu' or 'relu', but received {activation!r}.")
    return getattr(F, activation)(found)


def fused_dropout_add(
    x: paddle.Tensor,
    y: paddle.Tensor,
    p: float = 0.5,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> paddle.Tensor:
    """Returns ``dropout(x) + y``.

    Args:
        x: float[...].
        y: a tensor of x's shape.
        p: how likely an element of x is dropped.
        training: whether anything is dropped.
        mode: "upscale_in_train" or "downscale_in_infer".
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.ones([1])
        >>> paddle.incubate.nn.functional.fused_dropout_add(one, one, p=0.0).item()
        2.0
    """
    return F.dropout(x, p, training=training, mode=mode) + y


def fused_bias_dropout_residual_layer_norm(
    x: paddle.Tensor,
    residual: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    ln_scale: paddle.Tensor | None = None,
    ln_bias: paddle.Tensor | None = None,
    dropout_rate: float = 0.5,
    ln_epsilon: float = 1e-5,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> paddle.Tensor:
    """Returns ``layer_norm(residual + dropout(x + bias))`` along the last axis.

    Args:
        x: float[..., n].
        residual: a tensor of x's shape.
        bias: float[n], or None.
        ln_scale: float[n], or None.
        ln_bias: float[n], or None.
        dropout_rate: how likely an element is dropped.
        ln_epsilon: what is added to the variance.
        training: whether anything is dropped.
        mode: "upscale_in_train" or "downscale_in_infer".
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> x = paddle.to_tensor([[1.0, 3.0]])
        >>> y = F.fused_bias_dropout_residual_layer_norm(x, x, dropout_rate=0.0)
        >>> y.round().tolist()
        [[-1.0, 1.0]]
    """
    x = x if bias is None else x + bias
    summed = residual + F.dropout(x, dropout_rate, training=training, mode=mode)
    return F.layer_norm(summed, [summed.shape[-1]], ln_scale, ln_bias, ln_epsilon)


def fused_rms_norm(
    x: paddle.Tensor,
    norm_weight: paddle.Tensor,
    norm_bias: paddle.Tensor | None,
    epsilon: float,
    begin_norm_axis: int = 1,
    bias: paddle.Tensor | None = None,
    residual: paddle.Tensor | None = None,
    quant_scale: float = -1,
    quant_round_type: float = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> tuple[paddle.Tensor, paddle.Tensor | None]:
    """Divides by the root of the mean square along the last axes, and multiplies by a weight.

    Args:
        x: float[...].
        norm_weight: of the shape of the axes.
        norm_bias: added at last, or None.
        epsilon: what is added to the mean square.
        begin_norm_axis: the first of the axes.
        bias: added to x first, or None.
        residual: added to x first, or None.
        quant_scale: the scale of integers in Paddle; -1 for none.
        quant_round_type: how it rounds to them.
        quant_max_bound: the largest of them.
        quant_min_bound: the smallest of them.

    Returns:
        The result; and what was divided, None without a residual.

    Raises:
        UnimplementedError: for a scale of integers.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> x = paddle.to_tensor([[3.0, 3.0]])
        >>> F.fused_rms_norm(x, paddle.ones([2]), None, 0.0)[0].tolist()
        [[1.0, 1.0]]
    """
    if quant_scale > 0:
        raise UnimplementedError("fused_rms_norm(): quant_scale, for integers, is not there.")
    for each in (bias, residual):
        x = x if each is None else x + each
    axes = list(range(begin_norm_axis % x.ndim, x.ndim))
    found = x * paddle.rsqrt((x * x).mean(axes, keepdim=True) + epsilon)
    shape = [x.shape[axis] for axis in axes]
    found = found * norm_weight.reshape(shape)
    found = found if norm_bias is None else found + norm_bias.reshape(shape)
    return found, (None if residual is None else x)
