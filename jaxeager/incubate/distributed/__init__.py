"""paddle.incubate.distributed: its fleet."""

from jaxeager.incubate.distributed import fleet

__all__ = ["fleet"]
