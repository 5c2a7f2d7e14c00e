"""paddle.jit.dy2static: what a function marked by to_static is."""

from jaxeager.jit.dy2static import program_translator
from jaxeager.jit.static_function import StaticFunction

__all__ = ["StaticFunction", "program_translator"]
