"""paddle.pir: its ways to name a dtype; there are no programs."""

from jaxeager.legacy.pir import core

__all__ = ["core"]
