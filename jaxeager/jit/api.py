"""paddle.jit.api: to_static and related functions, under Paddle's module name."""

from jaxeager.jit.saved_model.saving import save
from jaxeager.jit.static_function import (
    enable_to_static,
    ignore_module,
    not_to_static,
    set_code_level,
    set_verbosity,
    to_static,
)
from jaxeager.jit.translated_layer import load

__all__ = [
    "enable_to_static", "ignore_module", "load", "not_to_static", "save", "set_code_level",
    "set_verbosity", "to_static",
]  # fmt: skip
