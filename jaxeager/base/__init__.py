"""paddle.base: names that programs written for Paddle reach into."""

from jaxeager.base import core, framework

__all__ = ["core", "framework"]
