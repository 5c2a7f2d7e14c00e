"""Reductions of windows: pooling."""

from __future__ import annotations

import numpy as np

from jaxeager.onnx.converter import Step, refused, step
from jaxeager.onnx.steps.shapes import padded


@step("reduce_window_max", "reduce_window_min", "reduce_window_sum")
def _reduce_window(step: Step, x: str) -> str:
    """Write a reduction of windows over all axes but the first two as a pool."""
    b, p, name = step.builder, step.params, step.eqn.primitive.name
    window, strides, padding = p["window_dimensions"], p["window_strides"], list(p["padding"])
    dilations = p["window_dilation"]
    if (
        len(window) not in (3, 4, 5)
        or any(size != 1 for size in (*window[:2], *strides[:2], *p["base_dilation"]))
        or any(pair != (0, 0) for pair in padding[:2])
        or np.dtype(step.dtypes[0]).kind != "f"
    ):
        raise refused(f"{name} of windows {tuple(window)}")
    if any(amount < 0 for pair in padding for amount in pair):
        raise refused(f"{name} with negative padding")
    windows = {
        "kernel_shape": [int(n) for n in window[2:]],
        "strides": [int(n) for n in strides[2:]],
        "dilations": [int(n) for n in dilations[2:]],
    }
    pads = [int(low) for low, _ in padding[2:]] + [int(high) for _, high in padding[2:]]
    if name == "reduce_window_sum":
        x = padded(b, x, padding)
        mean = b.node("AveragePool", [x], **windows)
        return b.node("Mul", [mean, b.constant(np.prod(window[2:]), step.dtypes[0])])
    if name == "reduce_window_max":
        return b.node("MaxPool", [x], pads=pads, **windows)
    return b.node("Neg", [b.node("MaxPool", [b.node("Neg", [x])], pads=pads, **windows)])
