"""paddle.nn.layer.distance: distances."""

from jaxeager.nn.layer.common import PairwiseDistance

__all__ = [
    "PairwiseDistance",
]  # fmt: skip
