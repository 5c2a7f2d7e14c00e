"""paddle.jit.dy2static: the class of functions marked by to_static."""

from jaxeager.jit.dy2static import program_translator
from jaxeager.jit.static_function import StaticFunction

__all__ = ["StaticFunction", "program_translator"]
