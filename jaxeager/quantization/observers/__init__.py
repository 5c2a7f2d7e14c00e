"""paddle.quantization.observers: the observers of tensors for PTQ."""

from jaxeager.quantization.observers.abs_max import AbsmaxObserver
from jaxeager.quantization.observers.groupwise import GroupWiseWeightObserver

__all__ = ["AbsmaxObserver", "GroupWiseWeightObserver"]
