"""paddle.distributed: so far recompute, which needs no second device."""

from jaxeager.distributed import fleet

__all__ = ["fleet"]
