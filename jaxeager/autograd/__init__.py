"""paddle.autograd: running the graph backward."""

from jaxeager.backward import backward

__all__ = ["backward"]
