"""paddle.nn.layer.layers: what every layer is."""

from jaxeager.nn.layer.hooks import HookRemoveHelper
from jaxeager.nn.layer.layer import Layer

__all__ = [
    "HookRemoveHelper", "Layer",
]  # fmt: skip
