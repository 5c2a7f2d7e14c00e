"""Ops that select elements, or clip them."""

from __future__ import annotations

import numpy as np

from jaxeager.onnx.converter import RowCall, row


@row("clip")
def _clip(call: RowCall) -> str | None:
    """Write ``Clip`` between numbers."""
    low, high = call.attrs["min"], call.attrs["max"]
    if np.dtype(call.dtype).kind == "b" or (None not in (low, high) and low > high):
        return None
    b = call.builder
    bounds = ["" if each is None else b.constant(each, call.dtype) for each in (low, high)]
    return b.node("Clip", [call.x, *bounds])


@row("embedding")
def _embedding(call: RowCall) -> str | None:
    """Write ``Gather`` of rows; that of the padding is zeros."""
    if call.attrs["padding_idx"] >= 0:
        return None
    return call.builder.node("Gather", [call.operands["weight"], call.x], axis=0)


@row("det")
def _det(call: RowCall) -> str | None:
    if np.dtype(call.dtype).name != "float32":
        return None
    return call.builder.node("Det", [call.x])
