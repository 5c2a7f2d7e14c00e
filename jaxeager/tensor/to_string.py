"""paddle.tensor.to_string: the format of printed tensors."""

from jaxeager.tensor.printing import set_printoptions

__all__ = ["set_printoptions"]
