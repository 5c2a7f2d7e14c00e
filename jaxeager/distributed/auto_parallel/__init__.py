"""paddle.distributed.auto_parallel: one program over many devices."""

from jaxeager.distributed.auto_parallel import api

__all__ = ["api"]
