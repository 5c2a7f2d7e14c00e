"""paddle.distribution.transform: invertible functions of draws."""

from jaxeager.distribution.combined_transforms import (
    ChainTransform,
    IndependentTransform,
    StackTransform,
)
from jaxeager.distribution.elementwise_transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    TanhTransform,
)
from jaxeager.distribution.transform_base import Transform, Type
from jaxeager.distribution.vector_transforms import (
    ReshapeTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform", "AffineTransform", "ChainTransform", "ExpTransform", "IndependentTransform",
    "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "Type",
]  # fmt: skip
