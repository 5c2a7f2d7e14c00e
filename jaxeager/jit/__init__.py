"""paddle.jit: functions compiled as a whole, and models written into files.

``to_static`` runs a function in lazy mode, or captures what it does (capture/) as one program.
``save`` writes a Layer or a function as a program of StableHLO, and ``load`` reads it.
``paddle.compiled_backward`` compiles whole backwards, and ``paddle.autograd.to_jax`` gives a
function to ``jax.jit``.
"""

from jaxeager.jit import api, dy2static
from jaxeager.jit.capture import flow
from jaxeager.jit.saved_model.saving import save
from jaxeager.jit.static_function import (
    enable_to_static,
    ignore_module,
    not_to_static,
    set_code_level,
    set_verbosity,
    to_static,
)
from jaxeager.jit.translated_layer import TranslatedLayer, load

__all__ = [
    "TranslatedLayer", "api", "dy2static", "enable_to_static", "ignore_module", "load",
    "not_to_static", "save", "set_code_level", "set_verbosity", "to_static",
]  # fmt: skip
