"""Weights stored as 8- or 4-bit integers, and products with them.

Note [The layout of integer weights]
``weight_quantize`` returns the transposed weight, row by row. On a GPU, Paddle permutes the bytes
for the kernels of a specific chip (and on a CPU it requires the chip, ``arch``). So its bytes
differ from those here; the scales are the same. ``weight_dequantize`` and the products read the
layout that ``weight_quantize`` writes here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor

_HIGHEST = {"weight_only_int8": 127, "llm.int8": 127, "weight_only_int4": 7}


def weight_quantize(
    x: Tensor, algo: str = "weight_only_int8", arch: int | None = None, group_size: int = -1
) -> tuple[Tensor, Tensor]:
    """Quantize a weight to integers; return them and their scales.

    Args:
        x: float[k, n].
        algo: "weight_only_int8", "llm.int8", or "weight_only_int4" (two numbers per byte).
        arch: the chip for which Paddle permutes the bytes; ignored.
        group_size: number of rows that share a scale, 64 or 128; -1 for all.

    Returns:
        int8[n, k], or [n / 2, k] of 4-bit integers: rows 2i and 2i + 1 in the low and the high
        half. The scales, in x's dtype, [n] or [k / group_size, n]: the value of one step.

    Raises:
        InvalidArgumentError: for any other algo or group size, and for sizes that do not divide.

    Paddle: the bytes are permuted (Note [The layout of integer weights]).

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, -4.0], [0.5, 2.0]])
        >>> paddle.nn.quant.weight_quantize(x)[0].tolist()
        [[127, 64], [-127, 64]]
    """
    top = _highest(algo)
    groups = _groups(x.shape[0], group_size)
    split = x.astype("float32").reshape([groups, -1, x.shape[1]])
    scale = split.abs().max(1) / top
    steps = paddle.round(split / paddle.clip(scale, min=1e-30).unsqueeze(1))
    steps = paddle.clip(steps, -top, top).reshape(x.shape).T.astype("int8")
    if top == 7:
        if x.shape[1] % 2:
            raise InvalidArgumentError(
                f"weight_quantize(): 4-bit integers need an even number of columns, but received "
                f"{x.shape[1]}."
            )
        low, high = steps[0::2].astype("int32"), steps[1::2].astype("int32")
        steps = ((high * 16) + low % 16).astype("int8")
    return steps, (scale[0] if group_size == -1 else scale).astype(x.dtype)


def weight_dequantize(
    x: Tensor,
    scale: Tensor,
    algo: str = "weight_only_int8",
    out_dtype: DTypeLike = "float16",
    group_size: int = -1,
) -> Tensor:
    """Return the weight that ``weight_quantize`` rounded.

    Args:
        x: int8[n, k], or [n / 2, k] of 4-bit integers.
        scale: float[n], or [k / group_size, n].
        algo: as for ``weight_quantize``.
        out_dtype: ignored, as in Paddle: the result has the scale's dtype.
        group_size: as for ``weight_quantize``.

    Returns:
        float[k, n].

    Raises:
        InvalidArgumentError: for any other algo or group size.

    Example:
        >>> import jaxeager as paddle
        >>> rounded, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[1.27], [0.5]]))
        >>> paddle.nn.quant.weight_dequantize(rounded, scale).round(2).tolist()
        [[1.2699999809265137], [0.5]]
    """
    steps = x.astype("int32")
    if _highest(algo) == 7:
        low, high = (steps + 8) % 16 - 8, (steps - steps % 16) // 16
        steps = paddle.stack([low, high], 1).reshape([-1, x.shape[1]])
    groups = _groups(steps.shape[1], group_size)
    split = steps.T.astype("float32").reshape([groups, -1, steps.shape[0]])
    scales = scale.astype("float32").reshape([groups, 1, -1])
    return (split * scales).reshape([steps.shape[1], steps.shape[0]]).astype(scale.dtype)


def weight_only_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    weight_dtype: DTypeLike = "int8",
    arch: int | None = None,
    group_size: int = -1,
) -> Tensor:
    """Return ``x @ weight + bias`` with an integer weight.

    Args:
        x: float[..., k].
        weight: int8[n, k], or [n / 2, k] of 4-bit integers, from ``weight_quantize``.
        bias: float[n], or None.
        weight_scale: float[n], or [k / group_size, n].
        weight_dtype: "int8" or "int4".
        arch: the chip for which Paddle permuted the bytes; ignored.
        group_size: as for ``weight_quantize``.

    Returns:
        float[..., n].

    Raises:
        InvalidArgumentError: without a scale, and for any other dtype or group size.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> weight, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[1.0], [2.0]]))
        >>> one = paddle.ones([1, 2])
        >>> paddle.nn.quant.weight_only_linear(one, weight, None, scale).round(1).tolist()
        [[3.0]]
    """
    if weight_scale is None:
        raise InvalidArgumentError("weight_only_linear() needs weight_scale.")
    if str(weight_dtype) not in ("int8", "int4"):
        raise InvalidArgumentError(
            f"weight_only_linear(): weight_dtype is 'int8' or 'int4', not {weight_dtype!r}."
        )
    algo = f"weight_only_{weight_dtype}"
    whole = weight_dequantize(weight, weight_scale, algo, group_size=group_size)
    return paddle.nn.functional.linear(x, whole.astype(x.dtype), bias)


def llm_int8_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    threshold: float = 6.0,
) -> Tensor:
    """Return ``x @ weight + bias`` with an integer weight and an input rounded to integers.

    Columns of x in which a number exceeds the threshold are not rounded.

    Args:
        x: float[..., k].
        weight: int8[n, k], from ``weight_quantize``.
        bias: float[n], or None.
        weight_scale: float[n].
        threshold: absolute value above which numbers are not rounded.

    Returns:
        float[..., n].

    Raises:
        InvalidArgumentError: without a scale.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> weight, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[1.0], [2.0]]))
        >>> one = paddle.ones([1, 2])
        >>> paddle.nn.quant.llm_int8_linear(one, weight, None, scale).round(1).tolist()
        [[3.0]]
    """
    if weight_scale is None:
        raise InvalidArgumentError("llm_int8_linear() needs weight_scale.")
    rows = x.reshape([-1, x.shape[-1]]).astype("float32")
    is_large = (rows.abs() > threshold).any(0, keepdim=True)
    kept = paddle.where(is_large, rows, paddle.zeros_like(rows))
    rest = rows - kept
    step = paddle.clip(rest.abs().max(-1, keepdim=True), min=1e-30) / 127
    found = kept + paddle.round(rest / step) * step
    whole = weight_dequantize(weight, weight_scale.astype("float32"), "llm.int8")
    out = paddle.matmul(found, whole).astype(x.dtype)
    out = out if bias is None else out + bias
    return out.reshape([*x.shape[:-1], out.shape[-1]])


def apply_per_channel_scale(x: Tensor, scales: Tensor) -> Tensor:
    """Multiply each column of x by its scale.

    Args:
        x: float[..., n].
        scales: float[n].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.nn.quant import apply_per_channel_scale
        >>> apply_per_channel_scale(paddle.ones([1, 2]), paddle.to_tensor([2.0, 3.0])).tolist()
        [[2.0, 3.0]]
    """
    return x * scales


def _highest(algo: str) -> int:
    if algo not in _HIGHEST:
        raise InvalidArgumentError(f"algo is one of {', '.join(_HIGHEST)}, but received {algo!r}.")
    return _HIGHEST[algo]


def _groups(rows: int, group_size: int) -> int:
    if group_size not in (-1, 64, 128):
        raise RefusedArgumentError(
            f"Currently group_size only support -1/64/128. but got {group_size} "
        )
    if group_size != -1 and rows % group_size:
        raise InvalidArgumentError(f"group_size={group_size} does not divide {rows} rows.")
    return 1 if group_size == -1 else rows // group_size


def _get_arch_info() -> int:
    """Return the compute capability of the GPU as a number, such as 80; 0 on a CPU."""
    if not paddle.is_compiled_with_cuda():
        return 0
    major, minor = paddle.device.get_device_capability()
    return major * 10 + minor
