"""paddle.base.dygraph: the dynamic graph, which is the only mode."""

from jaxeager.legacy.base.dygraph import base
from jaxeager.legacy.base.dygraph.base import (
    disable_dygraph,
    enable_dygraph,
    enabled,
    grad,
    guard,
    no_grad,
    no_grad_,
    to_variable,
)
from jaxeager.legacy.base.dygraph.tracer import Tracer

__all__ = [
    "Tracer", "base", "disable_dygraph", "enable_dygraph", "enabled", "grad", "guard", "no_grad",
    "no_grad_", "to_variable",
]  # fmt: skip
