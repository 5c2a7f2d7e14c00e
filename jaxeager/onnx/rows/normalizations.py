"""Normalizations."""

from __future__ import annotations

import math

import numpy as np

from jaxeager.core.symbolic import has_symbols
from jaxeager.onnx.converter import RowCall, row


def _channels(call: RowCall, count: int) -> tuple[str, str]:
    """Return scale and bias of some channels; ones and zeros where the op has none."""
    b, dtype = call.builder, call.dtype
    scale, bias = call.operands.get("scale"), call.operands.get("bias")
    ones, zeros = np.ones(count), np.zeros(count)
    return scale or b.constant(ones, dtype), bias or b.constant(zeros, dtype)


@row("batch_norm")
def _batch_norm(call: RowCall) -> list[str] | None:
    """Write ``BatchNormalization`` of the running statistics, which stay as they are."""
    attrs, rank = call.attrs, len(call.shape)
    is_running = attrs["is_test"] or attrs["use_global_stats"]
    if not is_running or rank < 2 or np.dtype(call.dtype).kind != "f":
        return None
    if has_symbols(call.shapes["mean"]):
        return None
    if any(dtype != call.dtype for dtype in call.dtypes.values() if dtype is not None):
        return None
    b, is_last = call.builder, not attrs["data_format"].startswith("NC")
    axes = [0, rank - 1, *range(1, rank - 1)]
    x = b.transpose(call.x, axes) if is_last else call.x
    scale, bias = _channels(call, call.shapes["mean"][0])
    inputs = [x, scale, bias, call.operands["mean"], call.operands["variance"]]
    found = b.node("BatchNormalization", inputs, epsilon=attrs["epsilon"])
    found = b.transpose(found, np.argsort(axes).tolist()) if is_last else found
    return [found, call.operands["mean"], call.operands["variance"]]


@row("layer_norm")
def _layer_norm(call: RowCall) -> str | None:
    axis = call.attrs["begin_norm_axis"]
    inner = call.shape[axis:]
    if not call.is_of("float16", "float32", "float64") or not inner or has_symbols(inner):
        return None
    if any(dtype != call.dtype for dtype in call.dtypes.values() if dtype is not None):
        return None
    b = call.builder
    vector = b.integers(*inner)
    scale, bias = _channels(call, math.prod(inner))
    inputs = [call.x, b.reshape(scale, vector), b.reshape(bias, vector)]
    return b.node("LayerNormalization", inputs, axis=axis, epsilon=call.attrs["epsilon"])


@row("instance_norm")
def _instance_norm(call: RowCall) -> str | None:
    if not call.is_of("float16", "float32") or len(call.shape) < 3 or has_symbols(call.shape[1:2]):
        return None
    inputs = [call.x, *_channels(call, call.shape[1])]
    return call.builder.node("InstanceNormalization", inputs, epsilon=call.attrs["epsilon"])
