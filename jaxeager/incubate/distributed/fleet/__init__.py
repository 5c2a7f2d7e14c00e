"""paddle.incubate.distributed.fleet: recompute_sequential."""

from jaxeager.distributed.fleet.recompute import recompute_sequential

__all__ = ["recompute_sequential"]
