"""paddle.incubate.distributed: its ``fleet`` package."""

from jaxeager.incubate.distributed import fleet

__all__ = ["fleet"]
