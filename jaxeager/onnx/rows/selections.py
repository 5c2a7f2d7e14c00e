"""Ops that select elements, or clip them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.onnx.converter import RowCall, row
from jaxeager.onnx.steps.elementwise import where

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


def is_clipped(dtype: DTypeLike) -> bool:
    """Return whether onnxruntime clips numbers of a dtype."""
    return np.dtype(dtype).name not in ("bool", "int16", "uint16", "bfloat16")


@row("clip")
def _clip(call: RowCall) -> str | None:
    """Write ``Clip`` between numbers."""
    low, high = call.attrs["min"], call.attrs["max"]
    if not is_clipped(call.dtype) or (None not in (low, high) and low > high):
        return None
    b = call.builder
    bounds = ["" if each is None else b.constant(each, call.dtype) for each in (low, high)]
    return b.node("Clip", [call.x, *bounds])


@row("embedding")
def _embedding(call: RowCall) -> str | None:
    """Write ``Gather`` of rows; that of the padding is zeros."""
    b, dtype, padding = call.builder, call.dtypes["weight"], call.attrs["padding_idx"]
    places = call.x if call.dtype in (np.int32, np.int64) else b.cast(call.x, "int64")
    rows = b.node("Gather", [call.operands["weight"], places], axis=0)
    if padding < 0:
        return rows
    is_padding = b.node("Equal", [call.x, b.constant(padding, call.dtype)])
    zero = b.constant(0, dtype)
    return where(b, b.unsqueeze(is_padding, len(call.shape)), zero, rows, dtype)


@row("det", dtypes=("float32",))
def _det(call: RowCall) -> str:
    return call.builder.node("Det", [call.x])
