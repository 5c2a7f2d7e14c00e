"""Activations."""

from __future__ import annotations

import numpy as np

from jaxeager.onnx.converter import RowCall, row
from jaxeager.onnx.rows.selections import is_clipped


def _is_float(call: RowCall) -> bool:
    """Return whether the first operand is of a dtype that ONNX's activations take."""
    return call.is_of("float16", "float32", "float64")


@row("relu")
def _relu(call: RowCall) -> str | None:
    return call.builder.node("Relu", [call.x]) if np.dtype(call.dtype).kind in "fV" else None


@row("relu6")
def _relu6(call: RowCall) -> str | None:
    if not is_clipped(call.dtype):
        return None
    low, high = (call.builder.constant(n, call.dtype) for n in (0, 6))
    return call.builder.node("Clip", [call.x, low, high])


@row("leaky_relu")
def _leaky_relu(call: RowCall) -> str | None:
    if not _is_float(call):
        return None
    return call.builder.node("LeakyRelu", [call.x], alpha=call.attrs["negative_slope"])


@row("elu", "celu")
def _elu(call: RowCall) -> str | None:
    if not _is_float(call) or call.attrs["alpha"] == 0:
        return None
    operator = "Elu" if call.name == "elu" else "Celu"
    if operator == "Celu" and np.dtype(call.dtype) != np.float32:
        return None
    return call.builder.node(operator, [call.x], alpha=call.attrs["alpha"])


@row("selu")
def _selu(call: RowCall) -> str | None:
    if not _is_float(call):
        return None
    scale, alpha = call.attrs["scale"], call.attrs["alpha"]
    return call.builder.node("Selu", [call.x], alpha=alpha, gamma=scale)


@row("gelu")
def _gelu(call: RowCall) -> str | None:
    if not _is_float(call):
        return None
    form = "tanh" if call.attrs["approximate"] else "none"
    return call.builder.node("Gelu", [call.x], approximate=form)


_PLAIN = {"mish": "Mish", "softsign": "Softsign", "hardswish": "HardSwish", "sinh": "Sinh"}


@row(*_PLAIN)
def _plain(call: RowCall) -> str | None:
    return call.builder.node(_PLAIN[call.name], [call.x]) if _is_float(call) else None


@row("softshrink", "hardshrink")
def _shrink(call: RowCall) -> str | None:
    if not _is_float(call):
        return None
    threshold = call.attrs["threshold"]
    bias = threshold if call.name == "softshrink" else 0.0
    return call.builder.node("Shrink", [call.x], lambd=threshold, bias=bias)


@row("hardsigmoid")
def _hardsigmoid(call: RowCall) -> str | None:
    if not _is_float(call):
        return None
    slope, offset = call.attrs["slope"], call.attrs["offset"]
    return call.builder.node("HardSigmoid", [call.x], alpha=slope, beta=offset)


@row("softplus")
def _softplus(call: RowCall) -> str | None:
    """Write ``Softplus``; its sum does not overflow, so that no threshold is needed."""
    if not _is_float(call) or call.attrs["beta"] != 1 or call.attrs["threshold"] < 15:
        return None
    return call.builder.node("Softplus", [call.x])


@row("prelu")
def _prelu(call: RowCall) -> str | None:
    shape, weight = call.shapes["weight"], call.operands["weight"]
    if call.attrs["data_format"] != "NCHW" or not _is_float(call) or not call.shape:
        return None
    if shape != (1,):
        weight = call.builder.unsqueeze(weight, *range(1, len(call.shape) - 1))
    return call.builder.node("PRelu", [call.x, weight])


@row("softmax", "log_softmax")
def _softmax(call: RowCall) -> str | None:
    if not _is_float(call) or not call.shape:
        return None
    operator = "Softmax" if call.name == "softmax" else "LogSoftmax"
    return call.builder.node(operator, [call.x], axis=call.attrs["axis"])
