"""Task: what a call between processes returns; with one process it is done when it is returned."""


class Task:
    """A call between processes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> task = paddle.distributed.all_reduce(paddle.ones([2]), sync_op=False)
        >>> task.wait(), task.is_completed()
        (True, True)
        >>> paddle.distributed.destroy_process_group()
    """

    def __init__(self, is_sync: bool):
        self._is_sync = is_sync

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it is done, as it is."""
        return True

    def synchronize(self) -> None:
        """Waits until it is done, as it is."""

    def is_completed(self) -> bool:
        """Says whether it is done."""
        return True

    def is_sync(self) -> bool:
        """Says whether it was called with ``sync_op``."""
        return self._is_sync
