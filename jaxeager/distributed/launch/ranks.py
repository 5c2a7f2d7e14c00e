"""The common parts of both launchers: the environment of a rank, and the report of its failure."""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from jaxeager.distributed.communication import rank_status
from jaxeager.distributed.ranks.job_key import VARIABLE, is_of_this_machine

_TERM_SECONDS = 5.0  # between SIGTERM and SIGKILL
_KEY = secrets.token_hex(32)  # the secret that ranks of this launcher share
_TOGETHER_SECONDS = 0.3  # ranks that fail within this time count as one event


def free_ports(count: int) -> list[int]:
    """Return free ports of this machine."""
    taken = [socket.socket() for _ in range(count)]
    try:
        for each in taken:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in taken]
    finally:
        for each in taken:
            each.close()


def environment(
    rank: int, local_rank: int, endpoints: Sequence[str], master: str, record: str, device: str
) -> dict[str, str]:
    """Return the environment variables of a rank, with Paddle's names.

    Args:
        rank: the number of the rank.
        local_rank: the number of the rank on this machine.
        endpoints: the addresses of the ranks.
        master: the address where rank 0 waits for the others.
        record: the file in which it records what it is doing.
        device: the numbers of its accelerators, "" for all visible ones.
    """
    chosen = {"FLAGS_selected_gpus": device} if device else {}
    if is_of_this_machine(master.rpartition(":")[0]):  # another machine's launcher has another key
        chosen[VARIABLE] = os.environ.get(VARIABLE) or _KEY
    return chosen | {
        "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_TRAINERS_NUM": str(len(endpoints)),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints),
        "PADDLE_CURRENT_ENDPOINT": endpoints[rank],
        "PADDLE_RANK_IN_NODE": str(local_rank),
        "PADDLE_MASTER": master,
        "JAXEAGER_RANK_RECORD": record,
        "PYTHONUNBUFFERED": "1",  # so that a killed rank's output is in its log
    }


def die_with_parent() -> None:
    """Make this process end together with its parent, on Linux."""
    if sys.platform == "linux":
        death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(death_signal, signal.SIGTERM)


def ending(code: int) -> str:
    """Return how a process ended, as text."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def exit_code(code: int) -> int:
    """Return the exit code that a shell reports for a process's."""
    return code if code >= 0 else 128 - code


def wait_for_all(
    codes: Callable[[], dict[int, int | None]],
    limit: float | None = None,
    follows: Callable[[int], bool] = lambda _: False,
) -> tuple[int, int] | None:
    """Wait until all ranks are done, or one has failed.

    A failing rank makes others fail, with the error that it is gone. So ranks that fail within a
    short time count together: a rank that was killed by a signal is reported before one that
    raised, and that before one that JAX ended because it had lost another.

    Args:
        codes: returns the exit code of each rank, None for a running one.
        limit: seconds; None waits indefinitely.
        follows: returns whether an aborted rank had lost another.

    Returns:
        (rank, exit code) of the one that failed first, None when all have succeeded or time is up.
    """
    began = time.monotonic()
    while True:
        found = codes()
        if any(found.values()):
            time.sleep(_TOGETHER_SECONDS)
            failed = [(rank, code) for rank, code in codes().items() if code]
            return min(failed, key=lambda each: (_order(*each, follows), not found[each[0]]))
        if None not in found.values():
            return None
        if limit is not None and time.monotonic() - began >= limit:
            return None
        time.sleep(0.05)


def _order(rank: int, code: int, follows: Callable[[int], bool]) -> int:
    """Return the priority of a rank among those that have failed together; lowest is reported."""
    if code == -signal.SIGABRT and follows(rank):
        return 2
    return 0 if code < 0 else 1


def what_each_was_doing(records: dict[int, str]) -> str:
    """Return a line per rank: its current call, or its last one.

    Args:
        records: the files in which the ranks recorded it.
    """
    rows = []
    for rank, path in sorted(records.items()):
        found = rank_status.of_file(path) or ["in no call between ranks yet"]
        rows += [f"  rank {rank}: {each}" for each in found]
    return "What each rank was doing:\n" + "\n".join(rows)


def end_all(processes: Sequence[Any]) -> None:
    """End processes that still run: SIGTERM, then SIGKILL for those that ignore it.

    Args:
        processes: objects with ``pid``, and ``poll`` that returns an exit code or None.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        running = [each for each in processes if each.poll() is None]
        for each in running:
            try:
                os.kill(each.pid, number)
            except ProcessLookupError:
                continue
        until = time.monotonic() + _TERM_SECONDS
        while any(each.poll() is None for each in running) and time.monotonic() < until:
            time.sleep(0.02)
