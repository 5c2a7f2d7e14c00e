"""Matrix products with a bias and an activation."""

from __future__ import annotations

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError

F = paddle.nn.functional


def fused_matmul_bias(
    x: paddle.Tensor,
    y: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: str | None = None,
) -> paddle.Tensor:
    """Return a matrix product plus a bias.

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
    """Return ``x @ weight + bias``.

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
    """Return an activation of a matrix product plus a bias.

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


def _halves(function):
    """Return an activation of the first half of the last axis, times the second half."""

    def gated(x: paddle.Tensor) -> paddle.Tensor:
        gate, value = x.chunk(2, axis=-1)
        return function(gate) * value

    return gated


ACTIVATIONS = {
    "gelu": F.gelu, "relu": F.relu, "silu": F.silu, "swish": F.silu, "sigmoid": F.sigmoid,
    "geglu": _halves(F.gelu), "swiglu": F.swiglu,
}  # fmt: skip


def activate(x: paddle.Tensor, name: str) -> paddle.Tensor:
    """Return an activation by its name; "geglu" and "swiglu" halve the last axis."""
    if name not in ACTIVATIONS:
        raise InvalidArgumentError(
            f"the activation is one of {', '.join(ACTIVATIONS)}, but received {name!r}."
        )
    return ACTIVATIONS[name](x)


_COMPUTED = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}


def fused_bias_act(
    x: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    dequant_scales: paddle.Tensor | None = None,
    shift: paddle.Tensor | None = None,
    smooth: paddle.Tensor | None = None,
    act_method: str = "gelu",
    compute_dtype: str = "default",
    quant_scale: float = -1,
    quant_round_type: int = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> paddle.Tensor:
    """Return an activation of a tensor plus a bias.

    Args:
        x: float[..., n]; int32 with ``dequant_scales``.
        bias: float[n], or None.
        dequant_scales: float[n] that integers are multiplied by, or None.
        shift: added after the activation, or None.
        smooth: the factor applied after that, or None.
        act_method: "gelu", "relu", "silu", or "geglu" and "swiglu", which halve the last axis.
        compute_dtype: "fp16", "bf16" or "fp32", the dtype of integers; "default" is float32.
        quant_scale: the scale of 8-bit integers, which are not supported; -1 for none.
        quant_round_type: how Paddle rounds to them.
        quant_max_bound: the largest of them.
        quant_min_bound: the smallest of them.

    Raises:
        InvalidArgumentError: for another activation.
        UnimplementedError: for a scale of integers.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([-3.0, 1.0])
        >>> paddle.incubate.nn.functional.fused_bias_act(x, x, act_method="relu").tolist()
        [0.0, 2.0]
    """
    if quant_scale > 0:
        raise UnimplementedError("fused_bias_act(): quant_scale, for integers, is not there.")
    if dequant_scales is not None:
        x = (x.astype("float32") * dequant_scales).astype(_COMPUTED.get(compute_dtype, "float32"))
    found = activate(x if bias is None else x + bias, act_method)
    found = found if shift is None else found + shift
    return found if smooth is None else found * smooth
