"""paddle.distributed.fleet: recompute, and its place among the utils."""

from jaxeager.distributed.fleet import recompute, utils

__all__ = ["recompute", "utils"]
