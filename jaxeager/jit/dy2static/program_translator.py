"""paddle.jit.dy2static.program_translator: what a function marked by to_static is."""

from jaxeager.jit.static_function import StaticFunction

__all__ = ["StaticFunction"]
