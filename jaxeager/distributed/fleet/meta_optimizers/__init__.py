"""paddle.distributed.fleet.meta_optimizers: optimizers of processes that share work."""

from jaxeager.distributed.fleet.meta_optimizers import dygraph_optimizer

__all__ = ["dygraph_optimizer"]
