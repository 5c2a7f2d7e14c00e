"""paddle.jit: functions that Paddle compiles into programs; here they run op by op, as they are.

``paddle.compiled_backward`` compiles whole backwards, and ``paddle.autograd.to_jax`` gives a
function to ``jax.jit``.
"""

from jaxeager.jit import api, dy2static
from jaxeager.jit.static_function import (
    enable_to_static,
    ignore_module,
    load,
    not_to_static,
    save,
    set_code_level,
    set_verbosity,
    to_static,
)

__all__ = [
    "api", "dy2static", "enable_to_static", "ignore_module", "load", "not_to_static", "save",
    "set_code_level", "set_verbosity", "to_static",
]  # fmt: skip
