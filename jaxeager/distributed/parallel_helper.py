"""paddle.distributed.parallel_helper: whether processes communicate, which PaddleFormers asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jaxeager.distributed.communication.groups import is_initialized
from jaxeager.distributed.communication.tensors import broadcast
from jaxeager.distributed.ranks.environment import get_world_size
from jaxeager.tensor import Tensor


def _is_parallel_ctx_initialized() -> bool:
    """Return whether ``init_parallel_env`` was called.

    Example:
        >>> _is_parallel_ctx_initialized()
        False
    """
    return is_initialized()


def _is_data_parallel_mode() -> bool:
    """Return whether there are several processes, and ``init_parallel_env`` was called.

    Example:
        >>> _is_data_parallel_mode()
        False
    """
    return is_initialized() and get_world_size() > 1


def _broadcast_parameters(parameters: Iterable[Tensor]) -> None:
    """Send the trainable parameters of process 0 to all processes, except divided ones.

    Args:
        parameters: the parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> _broadcast_parameters(paddle.nn.Linear(2, 2).parameters())
        >>> paddle.distributed.destroy_process_group()
    """
    for each in parameters:
        param: Any = each
        if param.trainable and not getattr(param, "is_distributed", False):
            broadcast(param, 0, sync_op=True)
