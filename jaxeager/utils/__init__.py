"""paddle.utils: small things that layers and tools share."""

from jaxeager.utils import unique_name

__all__ = ["unique_name"]
