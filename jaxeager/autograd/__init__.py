"""paddle.autograd: running the graph backward."""

from jaxeager.autograd.backward_mode import backward

__all__ = ["backward"]
