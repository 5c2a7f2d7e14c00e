"""Transposed convolutions."""

from __future__ import annotations

from jaxeager.onnx.converter import RowCall, row
from jaxeager.onnx.rows.pools import pads_of, per_axis


@row("conv2d_transpose", "conv3d_transpose", "depthwise_conv2d_transpose")
def _conv_transpose(call: RowCall) -> str | None:
    attrs, count = call.attrs, len(call.shape) - 2
    if not attrs["data_format"].startswith("NC") or not call.is_of("float16", "float32"):
        return None
    pads = pads_of(attrs["paddings"], count)
    strides, dilations, extra = (
        per_axis(attrs[name], count) for name in ("strides", "dilations", "output_padding")
    )
    if pads is None or len(extra) != count or any(pad < 0 for pad in pads):
        return None
    return call.builder.node(
        "ConvTranspose",
        [call.x, call.operands["filter"]],
        strides=strides,
        dilations=dilations,
        pads=pads,
        output_padding=extra,
        group=attrs["groups"],
        kernel_shape=list(call.shapes["filter"][2:]),
    )
