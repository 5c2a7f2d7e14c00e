"""Transposed convolutions."""

from __future__ import annotations

from jaxeager.onnx.converter import RowCall, row


@row("conv2d_transpose", "conv3d_transpose", "depthwise_conv2d_transpose")
def _conv_transpose(call: RowCall) -> str | None:
    attrs, count = call.attrs, len(call.shape) - 2
    if not attrs["data_format"].startswith("NC") or not call.is_of("float16", "float32"):
        return None
    pads = attrs["paddings"]
    pads = [pads] * count if isinstance(pads, int) else list(pads)
    if len(pads) == count:
        pads = pads * 2
    elif len(pads) == 2 * count:
        pads = pads[::2] + pads[1::2]
    else:
        return None
    strides, dilations, extra = (
        [attrs[name]] * count if isinstance(attrs[name], int) else list(attrs[name])
        for name in ("strides", "dilations", "output_padding")
    )
    if len(extra) != count or any(pad < 0 for pad in pads):
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
