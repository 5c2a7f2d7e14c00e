"""paddle.distributed.launch: runs a script, in this process."""

from jaxeager.distributed.launch.main import launch

__all__ = ["launch"]
