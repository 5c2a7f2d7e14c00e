"""paddle.distributed.fleet.utils: recompute."""

from jaxeager.distributed.fleet.recompute import recompute

__all__ = ["recompute"]
