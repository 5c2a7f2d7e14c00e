"""paddle.quantization.observers: what looks at tensors for PTQ."""

from jaxeager.quantization.observers.abs_max import AbsmaxObserver
from jaxeager.quantization.observers.groupwise import GroupWiseWeightObserver

__all__ = ["AbsmaxObserver", "GroupWiseWeightObserver"]
