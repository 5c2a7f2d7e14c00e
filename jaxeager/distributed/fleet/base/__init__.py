"""paddle.distributed.fleet.base: settings, roles of processes, and their topology."""

from jaxeager.distributed.fleet.base import (
    distributed_strategy,
    role_maker,
    topology,
    util_factory,
)

__all__ = ["distributed_strategy", "role_maker", "topology", "util_factory"]
