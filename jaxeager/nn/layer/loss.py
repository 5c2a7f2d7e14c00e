"""paddle.nn.layer.loss, also available as paddle.nn.loss: the loss layers."""

from jaxeager.nn.layer.embedding_loss import (
    CosineEmbeddingLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from jaxeager.nn.layer.likelihood_loss import (
    GaussianNLLLoss,
    PoissonNLLLoss,
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
from jaxeager.nn.layer.sequence_loss import (
    CTCLoss,
    RNNTLoss,
)

__all__ = [
    "AdaptiveLogSoftmaxWithLoss", "BCELoss", "BCEWithLogitsLoss", "CTCLoss",
    "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss", "HSigmoidLoss",
    "HingeEmbeddingLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss",
    "PoissonNLLLoss", "RNNTLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]  # fmt: skip
