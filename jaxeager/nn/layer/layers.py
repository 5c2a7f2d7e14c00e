"""paddle.nn.layer.layers: what every layer is."""

from jaxeager.nn.layer.layer import Layer

__all__ = [
    "Layer",
]  # fmt: skip
