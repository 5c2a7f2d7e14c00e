"""paddle.base.dygraph: the mode in which ops run when they are called, which is the only one."""

from jaxeager.base.dygraph import base
from jaxeager.base.dygraph.base import (
    disable_dygraph,
    enable_dygraph,
    enabled,
    grad,
    guard,
    no_grad,
    no_grad_,
    to_variable,
)
from jaxeager.base.dygraph.tracer import Tracer

__all__ = [
    "Tracer", "base", "disable_dygraph", "enable_dygraph", "enabled", "grad", "guard", "no_grad",
    "no_grad_", "to_variable",
]  # fmt: skip
