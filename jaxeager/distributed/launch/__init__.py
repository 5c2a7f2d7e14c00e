"""paddle.distributed.launch: runs a script, in as many processes as are asked for."""

from jaxeager.distributed.launch.main import launch

__all__ = ["launch"]
