"""paddle.utils.dlpack: tensors to and from other libraries, in the same memory."""

from jaxeager.tensor.sources import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
