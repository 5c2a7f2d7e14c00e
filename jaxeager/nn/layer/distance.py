"""paddle.nn.layer.distance: distance layers."""

from jaxeager.nn.layer.common import PairwiseDistance

__all__ = [
    "PairwiseDistance",
]  # fmt: skip
