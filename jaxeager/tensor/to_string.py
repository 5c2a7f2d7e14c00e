"""paddle.tensor.to_string: how tensors are printed."""

from jaxeager.tensor.printing import set_printoptions

__all__ = ["set_printoptions"]
