"""paddle.nn.layer.layers: the base class of all layers."""

from jaxeager.nn.layer.hooks import HookRemoveHelper
from jaxeager.nn.layer.layer import Layer

__all__ = [
    "HookRemoveHelper", "Layer",
]  # fmt: skip
