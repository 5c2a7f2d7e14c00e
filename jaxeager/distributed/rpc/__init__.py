"""paddle.distributed.rpc: functions called in other processes by the names of the processes."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from jaxeager.distributed.ranks.environment import get_rank, get_world_size
from jaxeager.distributed.ranks.job_key import is_of_this_machine
from jaxeager.distributed.rpc import agents
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = [
    "WorkerInfo", "get_all_worker_infos", "get_current_worker_info", "get_worker_info",
    "init_rpc", "rpc_async", "rpc_sync", "shutdown",
]  # fmt: skip


class WorkerInfo(NamedTuple):
    """A process in which functions can be called.

    Attributes:
        name: its name.
        rank: its number.
        ip: its address.
        port: its port; 0 for the only process, which does not listen.
    """

    name: str
    rank: int
    ip: str
    port: int


class _Agent:
    """This process, the other processes it knows, and the threads in which calls run."""

    def __init__(self, info: WorkerInfo, infos: list[WorkerInfo]):
        self.info, self.infos = info, infos
        self.pool = ThreadPoolExecutor(8, thread_name_prefix="rpc")
        self.server: agents.Server | None = None
        self.meeting: agents.Meeting | None = None


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
    """Allow calls of functions in this process by its name, and in the others by theirs.

    Args:
        name: the name of this process.
        rank: its number; by default the launcher's, else 0.
        world_size: the number of processes; by default the launcher's, else 1.
        master_endpoint: the address where all meet, at process 0; required for several processes.
            With a launcher, by default a free port.

    Raises:
        InvalidArgumentError: for several processes without an address, or with the same name.
        UnavailableError: when process 0 does not answer.
        PermissionDeniedError: when the process at the endpoint does not know the key of this job.
        PreconditionNotMetError: when it was called before, or there is no key that other users do
            not know. Functions are sent as pickles, which can run any code, so processes
            authenticate each other by a key: that of the launcher, else JAXEAGER_JOB_KEY, else, on
            one machine, that of a file which only this user can read.

    Example:
        >>> import jaxeager as paddle
        >>> rpc = paddle.distributed.rpc
        >>> rpc.init_rpc("worker0", rank=0, world_size=1)
        >>> rpc.rpc_sync("worker0", max, args=(2, 3))
        3
        >>> rpc.shutdown()
    """
    if _agents:
        raise PreconditionNotMetError("init_rpc() was called before; call shutdown() first.")
    rank = get_rank() if rank is None else rank
    size = get_world_size() if world_size is None else world_size
    endpoint = master_endpoint or os.environ.get("PADDLE_MASTER_ENDPOINT", "")
    if not 0 <= rank < size:
        raise InvalidArgumentError(f"init_rpc(): rank {rank} is not one of {size} processes.")
    if size == 1:
        info = WorkerInfo(name, 0, "127.0.0.1", 0)
        _agents.append(_Agent(info, [info]))
        return
    if not endpoint:
        raise InvalidArgumentError(
            f"init_rpc(): {size} processes need a master_endpoint, an address and a free port "
            "of process 0."
        )
    host = endpoint.rpartition(":")[0]
    meeting = agents.Meeting(endpoint, rank, size)
    server = agents.Server(host if is_of_this_machine(host) else _own_address())
    info = WorkerInfo(name, rank, server.host, server.port)
    try:
        agent = _Agent(info, meeting.exchange(info, agents.MEET_SECONDS))
        names = [each.name for each in agent.infos]
        if len(set(names)) != size:
            raise InvalidArgumentError(f"init_rpc(): processes need distinct names, not {names}.")
    except BaseException:
        server.close()
        meeting.close()
        raise
    agent.server, agent.meeting = server, meeting
    _agents.append(agent)


def _own_address() -> str:
    return socket.gethostbyname(socket.gethostname())


class FutureWrapper:
    """The return value of ``rpc_async``: the result of a call that may still be pending."""

    def __init__(self, future: Future, timeout: float | None):
        self._future, self._timeout = future, timeout

    def wait(self) -> Any:
        """Return the result of the call, or raise its error."""
        return self._future.result(self._timeout)


def rpc_async(
    to: str,
    fn: Callable,
    args: tuple[object, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    timeout: float = -1,
) -> FutureWrapper:
    """Call a function in a process, and return immediately; it runs in a thread of that process.

    Args:
        to: the name of the process.
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        timeout: the seconds that ``wait`` waits at most; -1 waits indefinitely.

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
    info = get_worker_info(to)
    given = args or (), kwargs or {}
    if info == _agent().info:
        future = _agent().pool.submit(fn, *given[0], **given[1])
    else:
        future = _agent().pool.submit(agents.call, info.ip, info.port, fn, *given)
    return FutureWrapper(future, timeout if timeout > 0 else None)


_Result = TypeVar("_Result")


def rpc_sync(
    to: str,
    fn: Callable[..., _Result],
    args: tuple[object, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    timeout: float = -1,
) -> _Result:
    """Call a function in a process, and return its result.

    Args:
        to: the name of the process.
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        timeout: the seconds to wait at most; -1 waits indefinitely.

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
    """Return the description of a process.

    Args:
        name: the name of the process.

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
    infos = _agent().infos
    for each in infos:
        if each.name == name:
            return each
    names = ", ".join(repr(each.name) for each in infos)
    known = f"the only one is called {names}" if len(infos) == 1 else f"there are {names}"
    raise InvalidArgumentError(f"there is no process {name!r}; {known}.")


def get_all_worker_infos() -> list[WorkerInfo]:
    """Return the descriptions of all processes.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.rpc.init_rpc("worker0")
        >>> len(paddle.distributed.rpc.get_all_worker_infos())
        1
        >>> paddle.distributed.rpc.shutdown()
    """
    return list(_agent().infos)


def get_current_worker_info() -> WorkerInfo:
    """Return the description of this process.

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
    """Wait until all processes call it and their calls have run, and accept no more.

    Raises:
        PreconditionNotMetError: before ``init_rpc``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.rpc.init_rpc("worker0")
        >>> paddle.distributed.rpc.shutdown()
    """
    agent = _agent()
    agent.pool.shutdown()
    if agent.meeting is not None and agent.server is not None:
        agent.meeting.exchange("no more calls")
        agent.server.close()
        agent.meeting.close()
    _agents.clear()
