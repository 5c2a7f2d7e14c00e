"""paddle.sparse.nn.functional."""

from jaxeager.sparse.nn.functional.activation import leaky_relu, relu, relu6, softmax
from jaxeager.sparse.nn.functional.conv import (
    conv2d,
    conv3d,
    subm_conv2d,
    subm_conv2d_igemm,
    subm_conv3d,
    subm_conv3d_igemm,
)
from jaxeager.sparse.nn.functional.pooling import max_pool3d
from jaxeager.sparse.nn.functional.transformer import attention

__all__ = [
    "attention", "conv2d", "conv3d", "leaky_relu", "max_pool3d", "relu", "relu6", "softmax",
    "subm_conv2d", "subm_conv2d_igemm", "subm_conv3d", "subm_conv3d_igemm",
]  # fmt: skip
