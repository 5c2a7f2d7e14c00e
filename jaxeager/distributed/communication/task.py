"""Task: the result of a call between processes."""

from __future__ import annotations

from jaxeager.distributed.communication.pending_calls import Call, settle


class Task:
    """A call between processes, which may still be running.

    Args:
        is_sync: whether it was called with ``sync_op``.
        call: the call; None for one that is done, as are all calls of one process.

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
        """Wait until the call is done, on a CPU; on an accelerator XLA orders the dependent ops.

        Args:
            timeout: the seconds after which it raises; those of the group by default.

        Raises:
            UnavailableError: when it has not ended in time, or a rank it needs has ended; the
                message contains the call, its line, and what the other ranks are doing.
            InvalidArgumentError: when ranks made different calls.
        """
        if self._call is not None:
            settle(self._call, timeout)
        return True

    def synchronize(self) -> None:
        """Wait until the call is done; see ``wait``."""
        self.wait()

    def is_completed(self) -> bool:
        """Return whether the call is done."""
        return self._call is None or self._call.done.is_set()

    def is_sync(self) -> bool:
        """Return whether the call was made with ``sync_op``."""
        return self._is_sync
