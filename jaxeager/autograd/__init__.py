"""paddle.autograd: running the graph backward."""

from jaxeager.autograd.saved_tensors_hooks import saved_tensors_hooks
from jaxeager.backward import backward, grad
from jaxeager.graph.mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "backward",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "no_grad",
    "saved_tensors_hooks",
    "set_grad_enabled",
]
