"""paddle.base.core: what is compiled in Paddle."""

from jaxeager.base.core import eager

__all__ = ["eager"]
