"""paddle.incubate.tensor: copies between a device and the host."""

from jaxeager.incubate.tensor import manipulation

__all__ = ["manipulation"]
