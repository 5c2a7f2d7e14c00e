"""Activations."""

from __future__ import annotations

import numpy as np

from jaxeager.onnx.converter import RowCall, row
from jaxeager.onnx.rows.selections import is_clipped

_FLOATS = ("float16", "float32", "float64")  # which ONNX's activations take


@row("relu")
def _relu(call: RowCall) -> str | None:
    return call.builder.node("Relu", [call.x]) if np.dtype(call.dtype).kind in "fV" else None


@row("relu6")
def _relu6(call: RowCall) -> str | None:
    if not is_clipped(call.dtype):
        return None
    low, high = (call.builder.constant(n, call.dtype) for n in (0, 6))
    return call.builder.node("Clip", [call.x, low, high])


@row("leaky_relu", dtypes=_FLOATS)
def _leaky_relu(call: RowCall) -> str:
    return call.builder.node("LeakyRelu", [call.x], alpha=call.attrs["negative_slope"])


@row("elu", "celu", dtypes=_FLOATS)
def _elu(call: RowCall) -> str | None:
    if call.attrs["alpha"] == 0:
        return None
    operator = "Elu" if call.name == "elu" else "Celu"
    if operator == "Celu" and np.dtype(call.dtype) != np.float32:
        return None
    return call.builder.node(operator, [call.x], alpha=call.attrs["alpha"])


@row("selu", dtypes=_FLOATS)
def _selu(call: RowCall) -> str:
    scale, alpha = call.attrs["scale"], call.attrs["alpha"]
    return call.builder.node("Selu", [call.x], alpha=alpha, gamma=scale)


@row("gelu", dtypes=_FLOATS)
def _gelu(call: RowCall) -> str:
    form = "tanh" if call.attrs["approximate"] else "none"
    return call.builder.node("Gelu", [call.x], approximate=form)


_PLAIN = {"mish": "Mish", "softsign": "Softsign", "hardswish": "HardSwish", "sinh": "Sinh"}


@row(*_PLAIN, dtypes=_FLOATS)
def _plain(call: RowCall) -> str:
    return call.builder.node(_PLAIN[call.name], [call.x])


@row("softshrink", "hardshrink", dtypes=_FLOATS)
def _shrink(call: RowCall) -> str:
    threshold = call.attrs["threshold"]
    bias = threshold if call.name == "softshrink" else 0.0
    return call.builder.node("Shrink", [call.x], lambd=threshold, bias=bias)


@row("hardsigmoid", dtypes=_FLOATS)
def _hardsigmoid(call: RowCall) -> str:
    slope, offset = call.attrs["slope"], call.attrs["offset"]
    return call.builder.node("HardSigmoid", [call.x], alpha=slope, beta=offset)


@row("softplus", dtypes=_FLOATS)
def _softplus(call: RowCall) -> str | None:
    """Write ``Softplus``; its sum does not overflow, so that no threshold is needed."""
    if call.attrs["beta"] != 1 or call.attrs["threshold"] < 15:
        return None
    return call.builder.node("Softplus", [call.x])


@row("prelu", dtypes=_FLOATS)
def _prelu(call: RowCall) -> str | None:
    shape, weight = call.shapes["weight"], call.operands["weight"]
    if call.attrs["data_format"] != "NCHW" or not call.shape:
        return None
    if shape != (1,):
        weight = call.builder.unsqueeze(weight, *range(1, len(call.shape) - 1))
    return call.builder.node("PRelu", [call.x, weight])


@row("softmax", "log_softmax", dtypes=_FLOATS)
def _softmax(call: RowCall) -> str | None:
    if not call.shape:
        return None
    operator = "Softmax" if call.name == "softmax" else "LogSoftmax"
    return call.builder.node(operator, [call.x], axis=call.attrs["axis"])
