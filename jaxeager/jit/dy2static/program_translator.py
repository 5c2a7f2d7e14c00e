"""paddle.jit.dy2static.program_translator: the class of functions marked by to_static."""

from jaxeager.jit.static_function import StaticFunction

__all__ = ["StaticFunction"]
