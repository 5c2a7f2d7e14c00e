"""paddle.distributed.launch: runs a script, in the requested number of processes."""

from jaxeager.distributed.launch.main import launch

__all__ = ["launch"]
