"""Task: what a call between processes returns."""

from __future__ import annotations

from jaxeager.distributed.communication.calls import Call, settle


class Task:
    """A call between processes, which may be under way still.

    Args:
        is_sync: whether it was called with ``sync_op``.
        call: the call; None for one that is done, as all are with one process.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> task = paddle.distributed.all_reduce(paddle.ones([2]), sync_op=False)
        >>> task.wait(), task.is_completed()
        (True, True)
        >>> paddle.distributed.destroy_process_group()
    """

    def __init__(self, is_sync: bool, call: Call | None = None):
        self._is_sync = is_sync
        self._call = call

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is done, on a CPU; on an accelerator XLA orders what depends on it.

        Args:
            timeout: seconds after which it raises; those of the group by default.

        Raises:
            UnavailableError: when it has not ended in time, or a rank it needs has gone; the
                message has the call, its line, and what the other ranks are doing.
            InvalidArgumentError: when ranks called different things.
        """
        if self._call is not None:
            settle(self._call, timeout)
        return True

    def synchronize(self) -> None:
        """Wait until it is done; see ``wait``."""
        self.wait()

    def is_completed(self) -> bool:
        """Says whether it is done."""
        return self._call is None or self._call.done.is_set()

    def is_sync(self) -> bool:
        """Says whether it was called with ``sync_op``."""
        return self._is_sync
