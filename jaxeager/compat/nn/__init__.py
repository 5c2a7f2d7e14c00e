"""paddle.compat.nn: layers with PyTorch's argument names."""

from jaxeager.compat.nn import functional
from jaxeager.compat.nn.attention import MultiheadAttention
from jaxeager.compat.nn.layers import (
    AvgPool1D,
    AvgPool1d,
    AvgPool2D,
    AvgPool2d,
    AvgPool3D,
    AvgPool3d,
    Linear,
    Softmax,
    Unfold,
)

__all__ = [
    "AvgPool1D", "AvgPool1d", "AvgPool2D", "AvgPool2d", "AvgPool3D", "AvgPool3d", "Linear",
    "MultiheadAttention", "Softmax", "Unfold", "functional",
]  # fmt: skip
