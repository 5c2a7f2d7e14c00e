"""paddle.distributed.fleet.recompute: less memory at the cost of another forward pass."""

from jaxeager.distributed.fleet.recompute.recompute import (
    recompute,
    recompute_hybrid,
    recompute_sequential,
)

__all__ = ["recompute", "recompute_hybrid", "recompute_sequential"]
