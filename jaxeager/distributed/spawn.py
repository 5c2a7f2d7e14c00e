"""paddle.distributed.spawn: calls a function in several processes that communicate."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from jaxeager.distributed.communication import world
from jaxeager.distributed.launch import ranks
from jaxeager.errors import InvalidArgumentError, UnavailableError

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess
    from multiprocessing.queues import SimpleQueue


class MultiprocessContext:
    """The result of ``spawn``: the processes, to wait for.

    Attributes:
        processes: the processes; empty when this process has run the function.
        return_queues: a queue per process, with the result of the function; a list of the result
            itself when this process has run it.
    """

    def __init__(self, return_queues: list, processes: list | None = None, records: str = ""):
        self.processes = processes or []
        self.return_queues = return_queues
        self._records = records

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all processes are done; when one fails, end the others.

        Args:
            timeout: the seconds to wait at most; None waits indefinitely.

        Returns:
            Whether all are done.

        Raises:
            UnavailableError: when one has failed, with its traceback, or the signal that killed it.
        """
        if not self.processes:
            return True
        failed = ranks.wait_for_all(self._codes, timeout, follows=lambda _: True)
        if failed is None:
            is_over = None not in self._codes().values()
            if is_over:
                shutil.rmtree(self._records, ignore_errors=True)
            return is_over
        rank, code = failed
        doing = ranks.what_each_was_doing(
            {each: os.path.join(self._records, str(each)) for each in range(len(self.processes))}
        )
        ranks.end_all([_Polled(each) for each in self.processes])
        raised = os.path.join(self._records, f"{rank}.error")
        why = f"{ranks.ending(code)}.\n{doing}"
        if os.path.exists(raised):
            with open(raised, encoding="utf-8") as file:
                why = f"terminated with the following error:\n\n{file.read()}\n{doing}"
        shutil.rmtree(self._records, ignore_errors=True)
        raise UnavailableError(f"Process {rank} {why}")

    def _codes(self) -> dict[int, int | None]:
        return {rank: each.exitcode for rank, each in enumerate(self.processes)}


class _Polled:
    """A process of ``multiprocessing``, with the interface of one of ``subprocess``."""

    def __init__(self, process: BaseProcess):
        self.pid, self._process = process.pid, process

    def poll(self) -> int | None:
        """Return its exit code, None while it runs."""
        return self._process.exitcode


def _run(
    func: Callable,
    args: tuple,
    rank: int,
    environment: dict[str, str],
    records: str,
    returned: SimpleQueue,
) -> None:
    """Run the function in a separate process."""
    os.environ.update(environment)
    ranks.die_with_parent()
    try:
        world.connect()
        returned.put(func(*args))
    except BaseException as error:
        if isinstance(error, SystemExit) and error.code in (None, 0):
            raise
        with open(os.path.join(records, f"{rank}.error"), "w", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        world.leave(1)


def spawn(
    func: Callable,
    args: Iterable[object] = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> MultiprocessContext:
    """Call a function in several processes, which communicate with each other.

    Args:
        func: the function; for several processes it must be picklable, so defined in a module.
        args: its arguments.
        nprocs: the number of processes; -1 means one per device of the option ``gpus``, else 1. A
            single process is this one.
        join: whether to wait for them.
        daemon: whether the processes end with this one.
        **options: Paddle's other settings: ``gpus``, the numbers of the devices as "0,1". The
            others (start_method, ips, backend) have no effect.

    Raises:
        UnavailableError: when a process fails: with its traceback, and what all were doing.
        InvalidArgumentError: for fewer than one process, or unequal numbers of devices and
            processes.

    Example:
        >>> import jaxeager as paddle
        >>> def train(epochs):
        ...     print("rank", paddle.distributed.get_rank(), "epochs", epochs)
        >>> context = paddle.distributed.spawn(train, (3,), nprocs=1)
        rank 0 epochs 3
    """
    devices = [each for each in str(options.get("gpus") or "").split(",") if each]
    count = (len(devices) or 1) if nprocs == -1 else nprocs
    if count < 1:
        raise InvalidArgumentError(f"spawn(): nprocs is -1 or at least 1, but received {nprocs}.")
    if devices and len(devices) != count:
        raise InvalidArgumentError(
            f"spawn(): each process needs one device, but received nprocs={nprocs} and "
            f"gpus={options['gpus']!r}."
        )
    if count == 1:
        return MultiprocessContext([func(*args)])
    context = multiprocessing.get_context("spawn")
    records = tempfile.mkdtemp(prefix="jaxeager_ranks")
    ports = ranks.free_ports(count + 1)
    endpoints = [f"127.0.0.1:{port}" for port in ports[:count]]
    queues = [context.SimpleQueue() for _ in range(count)]
    processes = []
    for rank in range(count):
        added = ranks.environment(
            rank, rank, endpoints, f"127.0.0.1:{ports[-1]}", os.path.join(records, str(rank)),
            devices[rank] if devices else "",
        )  # fmt: skip
        given = (func, tuple(args), rank, added, records, queues[rank])
        processes.append(context.Process(target=_run, args=given, daemon=daemon))
        processes[-1].start()
    made = MultiprocessContext(queues, processes, records)
    if join:
        made.join()
    return made
