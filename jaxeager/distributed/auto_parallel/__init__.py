"""paddle.distributed.auto_parallel: one program over many devices."""

import importlib

api = importlib.import_module("jaxeager.distributed.auto_parallel.api")

__all__ = ["api"]
