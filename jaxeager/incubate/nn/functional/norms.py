"""Normalisation combined with additions before it."""

from __future__ import annotations

import math

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError

F = paddle.nn.functional


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
    """Divide by the root of the mean square along the last axes, and multiply by a weight.

    Args:
        x: float[...].
        norm_weight: of the shape of the axes.
        norm_bias: added last, or None.
        epsilon: added to the mean square.
        begin_norm_axis: the first of the axes.
        bias: added to x first, or None.
        residual: added to x first, or None.
        quant_scale: the scale of integers in Paddle; -1 for none.
        quant_round_type: how it rounds to them.
        quant_max_bound: the largest of them.
        quant_min_bound: the smallest of them.

    Returns:
        The result; and the sum that was divided, None without a residual.

    Raises:
        UnimplementedError: for a scale of integers.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> x = paddle.to_tensor([[3.0, 3.0]])
        >>> F.fused_rms_norm(x, paddle.ones([2]), None, 0.0)[0].round(6).tolist()
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


def fused_layer_norm(
    x: paddle.Tensor,
    norm_weight: paddle.Tensor | None,
    norm_bias: paddle.Tensor | None,
    epsilon: float,
    residual_alpha: float = 1.0,
    begin_norm_axis: int = 1,
    bias: paddle.Tensor | None = None,
    residual: paddle.Tensor | None = None,
    quant_scale: float = -1,
    quant_round_type: float = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> tuple[paddle.Tensor, paddle.Tensor | None, paddle.Tensor | None, paddle.Tensor | None]:
    """Return ``layer_norm(x + bias + residual_alpha * residual)`` along the last axes.

    Args:
        x: float[...].
        norm_weight: float, as many numbers as the axes have, or None.
        norm_bias: of the same size, or None; without both only the sum is computed.
        epsilon: added to the variance.
        residual_alpha: the factor of the residual.
        begin_norm_axis: the first of the axes.
        bias: added to x first, or None.
        residual: added to x first, or None.
        quant_scale: the scale of integers in Paddle; -1 for none.
        quant_round_type: how it rounds to them.
        quant_max_bound: the largest of them.
        quant_min_bound: the smallest of them.

    Returns:
        The result; the sum that was normalised, None without a residual; the means and the inverse
        standard deviations, float[rows], None when only the sum is computed.

    Raises:
        InvalidArgumentError: when weight or bias have another size than the axes.
        UnimplementedError: for a scale of integers.

    Paddle: on a CPU float32 only, and without gradients.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 3.0]])
        >>> F = paddle.incubate.nn.functional
        >>> F.fused_layer_norm(x, paddle.ones([2]), None, 0.0)[0].tolist()
        [[-1.0, 1.0]]
    """
    if quant_scale > 0:
        raise UnimplementedError("fused_layer_norm(): quant_scale, for integers, is not there.")
    x = x if bias is None else x + bias
    x = x if residual is None else x + residual_alpha * residual
    if norm_weight is None and norm_bias is None:
        return x, None, None, None
    summed = None if residual is None else x
    first = begin_norm_axis % x.ndim
    rows = x.reshape([-1, math.prod(x.shape[first:])])
    for each in (norm_weight, norm_bias):
        if each is not None and each.size != rows.shape[1]:
            raise InvalidArgumentError(
                f"fused_layer_norm(): the axes from {begin_norm_axis} on have {rows.shape[1]} "
                f"elements, but received {each.size} numbers of weight or bias."
            )
    found, mean, inverse = _normalised(rows, epsilon)
    found = found if norm_weight is None else found * norm_weight.flatten()
    found = found if norm_bias is None else found + norm_bias.flatten()
    return found.reshape(x.shape), summed, mean, inverse


def _normalised(rows: paddle.Tensor, epsilon: float) -> tuple[paddle.Tensor, ...]:
    """Return rows of mean 0 and variance 1, their means and inverse standard deviations."""
    mean = rows.mean(-1, keepdim=True)
    apart = rows - mean
    inverse = paddle.rsqrt((apart * apart).mean(-1, keepdim=True) + epsilon)
    return apart * inverse, mean.flatten(), inverse.flatten()


def fast_ln(
    x: paddle.Tensor, scale: paddle.Tensor, bias: paddle.Tensor, epsilon: float = 1e-5
) -> tuple[paddle.Tensor, paddle.Tensor, paddle.Tensor]:
    """Normalise along the last axis.

    Args:
        x: float[..., n].
        scale: float[n].
        bias: float[n].
        epsilon: added to the variance.

    Returns:
        float[..., n]; the means, float[rows]; the inverse standard deviations, float[rows].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> F.fast_ln(paddle.to_tensor([[1.0, 3.0]]), paddle.ones([2]), paddle.zeros([2]))[1].item()
        2.0
    """
    found, mean, inverse = _normalised(x.reshape([-1, x.shape[-1]]), epsilon)
    return found.reshape(x.shape) * scale + bias, mean, inverse


def fast_rms_norm(
    x: paddle.Tensor, scale: paddle.Tensor, epsilon: float = 1e-5
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Divide by the root of the mean square along the last axis.

    Args:
        x: float[..., n].
        scale: float[n].
        epsilon: added to the mean square.

    Returns:
        float[..., n]; the inverse roots, float[rows].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> F.fast_rms_norm(paddle.to_tensor([[2.0, 2.0]]), paddle.ones([2]))[1].round(2).item()
        0.5
    """
    inverse = paddle.rsqrt((x * x).mean(-1, keepdim=True) + epsilon)
    return x * inverse * scale, inverse.flatten()


def fused_rms_norm_ext(
    x: paddle.Tensor, scale: paddle.Tensor, epsilon: float = 1e-5, name: str | None = None
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Divide by the root of the mean square along the last axis, as in ``fast_rms_norm``.

    Args:
        x: float[..., n].
        scale: float[n].
        epsilon: added to the mean square.
        name: a name.

    Returns:
        float[..., n]; the inverse roots, float[rows].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> x = paddle.to_tensor([[2.0, 2.0]])
        >>> F.fused_rms_norm_ext(x, paddle.ones([2]), 0.0)[0].round(6).tolist()
        [[1.0, 1.0]]
    """
    return fast_rms_norm(x, scale, epsilon)
