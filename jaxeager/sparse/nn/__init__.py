"""paddle.sparse.nn: layers of sparse tensors."""

from jaxeager.sparse.nn import functional
from jaxeager.sparse.nn.activation import LeakyReLU, ReLU, ReLU6, Softmax
from jaxeager.sparse.nn.conv import Conv2D, Conv3D, MaxPool3D, SubmConv2D, SubmConv3D
from jaxeager.sparse.nn.norm import BatchNorm, SyncBatchNorm

__all__ = [
    "BatchNorm", "Conv2D", "Conv3D", "LeakyReLU", "MaxPool3D", "ReLU", "ReLU6", "Softmax",
    "SubmConv2D", "SubmConv3D", "SyncBatchNorm",
]  # fmt: skip
