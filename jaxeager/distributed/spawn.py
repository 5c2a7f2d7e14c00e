"""paddle.distributed.spawn: calls a function in a process of its own; here in this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jaxeager.errors import InvalidArgumentError, UnimplementedError


class MultiprocessContext:
    """What ``spawn`` returns: nothing is left to wait for.

    Attributes:
        processes: the processes: none, as this one has run the function.
        return_queues: what the function has returned, in a list.
    """

    def __init__(self, returned: Any):
        self.processes: list = []
        self.return_queues = [returned]

    def join(self, timeout: float | None = None) -> bool:
        """Waits until all processes are done, as they are."""
        return True


def spawn(
    func: Callable,
    args: Iterable[Any] = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> MultiprocessContext:
    """Calls a function, here and now.

    In JAX one process drives all devices, and two processes cannot share a GPU whose memory one of
    them has taken; so the function is called by this process, as that of rank 0 of 1.

    Args:
        func: the function.
        args: its arguments.
        nprocs: how many processes; -1, as many as there is use for, is 1.
        join: whether to wait; the function is done in either case.
        daemon: whether the process ends with this one.
        **options: Paddle's further settings (start_method, gpus, ips, backend); nothing here hangs
            on them.

    Raises:
        UnimplementedError: for more than one process.
        InvalidArgumentError: for less than one.

    Paddle: the function is called in a new process, and an error in it is an Exception with the
    text of its traceback.

    Example:
        >>> import jaxeager as paddle
        >>> def train(epochs):
        ...     print("rank", paddle.distributed.get_rank(), "epochs", epochs)
        >>> context = paddle.distributed.spawn(train, (3,), nprocs=1)
        rank 0 epochs 3
    """
    if nprocs > 1:
        raise UnimplementedError(
            f"spawn(nprocs={nprocs}): one process drives all devices in JAX, and calls between "
            "processes are not there yet. Use nprocs=1."
        )
    if nprocs not in (-1, 1):
        raise InvalidArgumentError(f"spawn(): nprocs is -1 or at least 1, but received {nprocs}.")
    return MultiprocessContext(func(*args))
