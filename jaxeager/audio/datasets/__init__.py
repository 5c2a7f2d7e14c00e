"""paddle.audio.datasets: recordings and their classes, from existing folders."""

from jaxeager.audio.datasets.esc50 import ESC50
from jaxeager.audio.datasets.tess import TESS

__all__ = ["ESC50", "TESS"]
