"""Dropout combined with additions and layer normalisation."""

from __future__ import annotations

import jaxeager as paddle

F = paddle.nn.functional


def fused_dropout_add(
    x: paddle.Tensor,
    y: paddle.Tensor,
    p: float = 0.5,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> paddle.Tensor:
    """Return ``dropout(x) + y``.

    Args:
        x: float[...].
        y: a tensor of x's shape.
        p: the probability that an element of x is dropped.
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
    """Return ``layer_norm(residual + dropout(x + bias))`` along the last axis.

    Args:
        x: float[..., n].
        residual: a tensor of x's shape.
        bias: float[n], or None.
        ln_scale: float[n], or None.
        ln_bias: float[n], or None.
        dropout_rate: the probability that an element is dropped.
        ln_epsilon: added to the variance.
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
