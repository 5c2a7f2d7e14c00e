"""paddle.autograd: running the graph backward. The engine itself is graph/engine.py."""

from jaxeager.autograd.jacobian import hessian, jacobian
from jaxeager.autograd.lazy_mode import LazyReport, lazy, lazy_report
from jaxeager.autograd.py_layer import PyLayer, PyLayerContext
from jaxeager.autograd.saved_tensors_hooks import saved_tensors_hooks
from jaxeager.graph.mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from jaxeager.jax_bridge.from_jax import from_jax
from jaxeager.jax_bridge.tape_program import TapeProgram, TapeStep
from jaxeager.jax_bridge.tape_tracing import tape_to_jaxpr
from jaxeager.jax_bridge.to_jax import to_jax
from jaxeager.tensor.backward import backward, grad

Function = PyLayer

__all__ = [
    "Function",
    "LazyReport",
    "PyLayer",
    "PyLayerContext",
    "TapeProgram",
    "TapeStep",
    "backward",
    "enable_grad",
    "from_jax",
    "grad",
    "hessian",
    "inference_mode",
    "is_grad_enabled",
    "jacobian",
    "lazy",
    "lazy_report",
    "no_grad",
    "saved_tensors_hooks",
    "set_grad_enabled",
    "tape_to_jaxpr",
    "to_jax",
]
