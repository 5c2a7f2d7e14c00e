"""paddle.jit.dy2static: the class of functions marked by to_static."""

import importlib

from jaxeager.jit.static_function import StaticFunction

program_translator = importlib.import_module("jaxeager.jit.dy2static.program_translator")

__all__ = ["StaticFunction", "program_translator"]
