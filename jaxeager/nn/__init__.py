"""paddle.nn: layers, their base class, initializers, gradient clipping."""

import importlib
from typing import TYPE_CHECKING

from jaxeager.nn import functional, initializer, utils
from jaxeager.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from jaxeager.nn.decode import BeamSearchDecoder, dynamic_decode
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
from jaxeager.nn.layer.adaptive_pooling import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
    FractionalMaxPool2D,
    FractionalMaxPool3D,
)
from jaxeager.nn.layer.attention import (
    MultiHeadAttention,
)
from jaxeager.nn.layer.common import (
    Bilinear,
    CosineSimilarity,
    Embedding,
    Flatten,
    Fold,
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
    Conv3D,
)
from jaxeager.nn.layer.conv_transpose import (
    Conv1DTranspose,
    Conv2DTranspose,
    Conv3DTranspose,
)
from jaxeager.nn.layer.dropout import (
    AlphaDropout,
    Dropout,
    Dropout2D,
    Dropout3D,
    FeatureAlphaDropout,
)
from jaxeager.nn.layer.embedding_loss import (
    CosineEmbeddingLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from jaxeager.nn.layer.further_names import add_further_names as _add_further_names
from jaxeager.nn.layer.instance_norm import (
    InstanceNorm1D,
    InstanceNorm2D,
    InstanceNorm3D,
)
from jaxeager.nn.layer.interpolate import (
    Upsample,
    UpsamplingBilinear2D,
    UpsamplingNearest2D,
)
from jaxeager.nn.layer.layer import (
    Layer,
)
from jaxeager.nn.layer.likelihood_loss import (
    GaussianNLLLoss,
    PoissonNLLLoss,
)
from jaxeager.nn.layer.local_response_norm import (
    LocalResponseNorm,
)
from jaxeager.nn.layer.lp_pooling import (
    LPPool1D,
    LPPool2D,
)
from jaxeager.nn.layer.many_classes_loss import (
    AdaptiveLogSoftmaxWithLoss,
    HSigmoidLoss,
)
from jaxeager.nn.layer.margin_loss import (
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
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
from jaxeager.nn.layer.plain_loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from jaxeager.nn.layer.pooling import (
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
)
from jaxeager.nn.layer.rnn import (
    GRU,
    LSTM,
    SimpleRNN,
)
from jaxeager.nn.layer.rnn_cells import (
    GRUCell,
    LSTMCell,
    RNNCellBase,
    SimpleRNNCell,
)
from jaxeager.nn.layer.rnn_loops import (
    RNN,
    BiRNN,
)
from jaxeager.nn.layer.sequence_loss import (
    CTCLoss,
    RNNTLoss,
)
from jaxeager.nn.layer.spectral_norm import (
    SpectralNorm,
)
from jaxeager.nn.layer.sync_batch_norm import (
    SyncBatchNorm,
)
from jaxeager.nn.layer.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from jaxeager.nn.layer.unpooling import (
    MaxUnPool1D,
    MaxUnPool2D,
    MaxUnPool3D,
)
from jaxeager.nn.layer.vision import (
    ChannelShuffle,
    PixelShuffle,
    PixelUnshuffle,
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
AdaptiveAvgPool3d = AdaptiveAvgPool3D
AdaptiveMaxPool3d = AdaptiveMaxPool3D
Conv3d = Conv3D
LPPool1d = LPPool1D
LPPool2d = LPPool2D
MaxUnpool1d = MaxUnPool1D
MaxUnpool2d = MaxUnPool2D
MaxUnpool3d = MaxUnPool3D
UpsamplingBilinear2d = UpsamplingBilinear2D
UpsamplingNearest2d = UpsamplingNearest2D

if TYPE_CHECKING:
    from jaxeager.nn import init
    from jaxeager.nn.layer import loss

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3D",
    "AdaptiveAvgPool3d",
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3D",
    "AdaptiveMaxPool3d",
    "AlphaDropout",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "BeamSearchDecoder",
    "BiRNN",
    "Bilinear",
    "CTCLoss",
    "ChannelShuffle",
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
    "Conv3D",
    "Conv3DTranspose",
    "Conv3d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "Embedding",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "FractionalMaxPool2D",
    "FractionalMaxPool3D",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "HSigmoidLoss",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "KLDivLoss",
    "L1Loss",
    "LPPool1D",
    "LPPool1d",
    "LPPool2D",
    "LPPool2d",
    "LSTMCell",
    "Layer",
    "LayerDict",
    "LayerList",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Maxout",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiHeadAttention",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
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
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RNNCellBase",
    "RNNTLoss",
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
    "SimpleRNN",
    "SimpleRNNCell",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2D",
    "Softplus",
    "Softshrink",
    "Softsign",
    "SpectralNorm",
    "Swish",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2D",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2D",
    "UpsamplingNearest2d",
    "ZeroPad1D",
    "ZeroPad1d",
    "ZeroPad2D",
    "ZeroPad2d",
    "ZeroPad3D",
    "ZeroPad3d",
    "dynamic_decode",
    "functional",
    "init",
    "initializer",
    "loss",
    "utils",
]

_add_further_names(globals())


def __getattr__(name: str):
    """Import a submodule on first use."""
    if name == "attention":
        return importlib.import_module("jaxeager.nn.attention")
    if name == "init":
        return importlib.import_module("jaxeager.nn.init")
    if name == "quant":
        return importlib.import_module("jaxeager.nn.quant")
    if name == "loss":
        return importlib.import_module("jaxeager.nn.layer.loss")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
