"""paddle.distributed.flex_checkpoint: parts of tensors, and where a checkpoint has them."""

from jaxeager.distributed.flex_checkpoint import dcp

__all__ = ["dcp"]
