"""paddle.distributed.rpc: functions called in other processes, of which there is one, this."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from jaxeager.errors import (
    InvalidArgumentError,
    PreconditionNotMetError,
    UnavailableError,
)

__all__ = [
    "WorkerInfo", "get_all_worker_infos", "get_current_worker_info", "get_worker_info",
    "init_rpc", "rpc_async", "rpc_sync", "shutdown",
]  # fmt: skip


class WorkerInfo(NamedTuple):
    """A process that functions can be called in.

    Attributes:
        name: its name.
        rank: its number.
        ip: its address.
        port: its port; 0, as nothing listens.
    """

    name: str
    rank: int
    ip: str
    port: int


class _Agent:
    """This process, and the threads that calls run in."""

    def __init__(self, info: WorkerInfo):
        self.info = info
        self.pool = ThreadPoolExecutor(8, thread_name_prefix="rpc")


_agents: list[_Agent] = []


def _agent() -> _Agent:
    if not _agents:
        raise PreconditionNotMetError("Call paddle.distributed.rpc.init_rpc() first.")
    return _agents[0]


def init_rpc(
    name: str,
    rank: int | None = None,
    world_size: int | None = None,
    master_endpoint: str | None = None,
) -> None:
    """Lets functions be called in this process by its name.

    Args:
        name: of this process.
        rank: its number; 0.
        world_size: how many processes there are; 1.
        master_endpoint: ignored, as nothing is sent.

    Raises:
        UnavailableError: for more than one process.
        PreconditionNotMetError: when it was called before.

    Example:
        >>> import jaxeager as paddle
        >>> rpc = paddle.distributed.rpc
        >>> rpc.init_rpc("worker0", rank=0, world_size=1)
        >>> rpc.rpc_sync("worker0", max, args=(2, 3))
        3
        >>> rpc.shutdown()
    """
    if (rank or 0) != 0 or (world_size or 1) != 1:
        raise UnavailableError(
            f"init_rpc(): there is one process, but received rank={rank}, world_size={world_size}."
        )
    if _agents:
        raise PreconditionNotMetError("init_rpc() was called before; call shutdown() first.")
    _agents.append(_Agent(WorkerInfo(name, 0, "127.0.0.1", 0)))


class FutureWrapper:
    """What ``rpc_async`` returns: the result of a call that may not be there yet."""

    def __init__(self, future: Future, timeout: float | None):
        self._future, self._timeout = future, timeout

    def wait(self) -> Any:
        """Returns the result, or raises what the call raised."""
        return self._future.result(self._timeout)


def rpc_async(
    to: str,
    fn: Callable[..., Any],
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    timeout: float = -1,
) -> FutureWrapper:
    """Calls a function in a process, and returns at once; it runs in a thread.

    Args:
        to: the name of the process: this one's.
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        timeout: seconds that ``wait`` waits at most; -1 for ever.

    Returns:
        An object whose ``wait()`` returns the result.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.
        InvalidArgumentError: for a process that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> rpc = paddle.distributed.rpc
        >>> rpc.init_rpc("worker0")
        >>> rpc.rpc_async("worker0", paddle.add, (paddle.ones([1]), paddle.ones([1]))).wait().item()
        2.0
        >>> rpc.shutdown()
    """
    get_worker_info(to)
    future = _agent().pool.submit(fn, *(args or ()), **(kwargs or {}))
    return FutureWrapper(future, timeout if timeout > 0 else None)


def rpc_sync(
    to: str,
    fn: Callable[..., Any],
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    timeout: float = -1,
) -> Any:
    """Calls a function in a process, and returns what it gives.

    Args:
        to: the name of the process: this one's.
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        timeout: seconds that are waited at most; -1 for ever.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.
        InvalidArgumentError: for a process that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.rpc.init_rpc("worker0")
        >>> paddle.distributed.rpc.rpc_sync("worker0", min, (2, 3))
        2
        >>> paddle.distributed.rpc.shutdown()
    """
    return rpc_async(to, fn, args, kwargs, timeout).wait()


def get_worker_info(name: str) -> WorkerInfo:
    """Returns what is known of a process.

    Args:
        name: of the process: this one's.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.
        InvalidArgumentError: for a process that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.rpc.init_rpc("worker0")
        >>> paddle.distributed.rpc.get_worker_info("worker0").rank
        0
        >>> paddle.distributed.rpc.shutdown()
    """
    info = _agent().info
    if name != info.name:
        raise InvalidArgumentError(
            f"there is no process {name!r}; the one there is is called {info.name!r}."
        )
    return info


def get_all_worker_infos() -> list[WorkerInfo]:
    """Returns what is known of all processes.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.rpc.init_rpc("worker0")
        >>> len(paddle.distributed.rpc.get_all_worker_infos())
        1
        >>> paddle.distributed.rpc.shutdown()
    """
    return [_agent().info]


def get_current_worker_info() -> WorkerInfo:
    """Returns what is known of this process.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.rpc.init_rpc("worker0")
        >>> paddle.distributed.rpc.get_current_worker_info().name
        'worker0'
        >>> paddle.distributed.rpc.shutdown()
    """
    return _agent().info


def shutdown() -> None:
    """Waits for the calls that run, and takes no more.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.rpc.init_rpc("worker0")
        >>> paddle.distributed.rpc.shutdown()
    """
    _agent().pool.shutdown()
    _agents.clear()
