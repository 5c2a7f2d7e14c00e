"""paddle.nn: layers, their base class, initializers, gradient clipping."""

from jaxeager.nn import functional, initializer, utils
from jaxeager.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from jaxeager.nn.layer.activation import (
    GELU,
    GLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    Sigmoid,
    Silu,
    Softmax,
    Softmax2D,
    Softplus,
    Softsign,
    Swish,
    Tanh,
    Tanhshrink,
)
from jaxeager.nn.layer.attention import (
    MultiHeadAttention,
)
from jaxeager.nn.layer.common import (
    CosineSimilarity,
    Embedding,
    Flatten,
    Identity,
    Linear,
    PairwiseDistance,
    Unflatten,
    Unfold,
)
from jaxeager.nn.layer.container import (
    LayerDict,
    LayerList,
    ParameterDict,
    ParameterList,
    Sequential,
)
from jaxeager.nn.layer.conv import (
    Conv1D,
    Conv2D,
)
from jaxeager.nn.layer.conv_transpose import (
    Conv1DTranspose,
    Conv2DTranspose,
)
from jaxeager.nn.layer.dropout import (
    Dropout,
    Dropout2D,
    Dropout3D,
)
from jaxeager.nn.layer.instance_norm import (
    InstanceNorm1D,
    InstanceNorm2D,
    InstanceNorm3D,
)
from jaxeager.nn.layer.layer import (
    Layer,
)
from jaxeager.nn.layer.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from jaxeager.nn.layer.norm import (
    BatchNorm,
    BatchNorm1D,
    BatchNorm2D,
    BatchNorm3D,
    GroupNorm,
    LayerNorm,
)
from jaxeager.nn.layer.padding import (
    CircularPad1D,
    CircularPad2D,
    CircularPad3D,
    ConstantPad1D,
    ConstantPad2D,
    ConstantPad3D,
    Pad1D,
    Pad2D,
    Pad3D,
    ReflectionPad1D,
    ReflectionPad2D,
    ReflectionPad3D,
    ReplicationPad1D,
    ReplicationPad2D,
    ReplicationPad3D,
    ZeroPad1D,
    ZeroPad2D,
    ZeroPad3D,
)
from jaxeager.nn.layer.piecewise import (
    CELU,
    ELU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    Maxout,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Softshrink,
    ThresholdedReLU,
)
from jaxeager.nn.layer.pooling import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AvgPool1D,
    AvgPool2D,
    MaxPool1D,
    MaxPool2D,
)
from jaxeager.nn.layer.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from jaxeager.nn.param_attr import ParamAttr
from jaxeager.tensor import Parameter

HuberLoss = SmoothL1Loss
Module, ModuleDict, ModuleList = Layer, LayerDict, LayerList
AdaptiveAvgPool1d = AdaptiveAvgPool1D
AdaptiveAvgPool2d = AdaptiveAvgPool2D
AdaptiveMaxPool1d = AdaptiveMaxPool1D
AdaptiveMaxPool2d = AdaptiveMaxPool2D
CircularPad1d = CircularPad1D
CircularPad2d = CircularPad2D
CircularPad3d = CircularPad3D
ConstantPad1d = ConstantPad1D
ConstantPad2d = ConstantPad2D
ConstantPad3d = ConstantPad3D
Conv1d = Conv1D
Conv2d = Conv2D
ReflectionPad1d = ReflectionPad1D
ReflectionPad2d = ReflectionPad2D
ReflectionPad3d = ReflectionPad3D
ReplicationPad1d = ReplicationPad1D
ReplicationPad2d = ReplicationPad2D
ReplicationPad3d = ReplicationPad3D
SiLU = Silu
ZeroPad1d = ZeroPad1D
ZeroPad2d = ZeroPad2D
ZeroPad3d = ZeroPad3D

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool2d",
    "AvgPool1D",
    "AvgPool2D",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "CircularPad1D",
    "CircularPad1d",
    "CircularPad2D",
    "CircularPad2d",
    "CircularPad3D",
    "CircularPad3d",
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "ConstantPad1D",
    "ConstantPad1d",
    "ConstantPad2D",
    "ConstantPad2d",
    "ConstantPad3D",
    "ConstantPad3d",
    "Conv1D",
    "Conv1DTranspose",
    "Conv1d",
    "Conv2D",
    "Conv2DTranspose",
    "Conv2d",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "KLDivLoss",
    "L1Loss",
    "Layer",
    "LayerDict",
    "LayerList",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1D",
    "MaxPool2D",
    "Maxout",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiHeadAttention",
    "NLLLoss",
    "PReLU",
    "Pad1D",
    "Pad2D",
    "Pad3D",
    "PairwiseDistance",
    "ParamAttr",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1D",
    "ReflectionPad1d",
    "ReflectionPad2D",
    "ReflectionPad2d",
    "ReflectionPad3D",
    "ReflectionPad3d",
    "ReplicationPad1D",
    "ReplicationPad1d",
    "ReplicationPad2D",
    "ReplicationPad2d",
    "ReplicationPad3D",
    "ReplicationPad3d",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Silu",
    "SmoothL1Loss",
    "Softmax",
    "Softmax2D",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Swish",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Unflatten",
    "Unfold",
    "ZeroPad1D",
    "ZeroPad1d",
    "ZeroPad2D",
    "ZeroPad2d",
    "ZeroPad3D",
    "ZeroPad3d",
    "functional",
    "initializer",
    "utils",
]
