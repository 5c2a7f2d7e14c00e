"""``--profile FOLDER`` of the launcher: each rank profiles its program, one report is about all."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from jaxeager.core import termination
from jaxeager.debug.time.ranks.folder import records_in
from jaxeager.distributed.communication import shared_texts, world
from jaxeager.errors import JaxEagerError

_MEETINGS = 8  # barriers, for Note [Clocks of ranks] of debug/time/ranks/clocks.py
_MEETING_SECONDS = 60.0
_LATE_SECONDS = 10.0  # how long records of other machines may take to appear in a shared folder


@contextlib.contextmanager
def profiled(folder: str) -> Iterator[None]:
    """Profile a block as this rank, and write its record into a folder, also if it fails.

    SIGTERM, by which the launcher ends the other ranks when one has failed, ends the block first.
    """
    from jaxeager.debug.time.profile import profile  # only here: it costs time to import

    meetings = _meet()
    seen = profile()
    error, process = "", os.getpid()
    with termination.ended_by_sigterm():
        try:
            with seen:
                yield
        except BaseException as raised:
            error = _error_text(raised)
            raise
        finally:
            if os.getpid() == process:  # not in a child that the program has forked
                seen.save_rank(folder, error, meetings)


def _error_text(error: BaseException) -> str:
    if not isinstance(error, SystemExit):
        return f"{type(error).__name__}: {error}"
    if error.code in (None, 0):
        return ""
    return "SIGTERM" if error.code == termination.STATUS else f"exit code {error.code}"


def _meet() -> list[tuple[str, int, int]]:
    """Make barriers with the other ranks; return the name of each, and when it began and ended."""
    found = []
    for number in range(_MEETINGS if world.is_connected() else 0):
        began = time.perf_counter_ns()
        shared_texts.meet(f"profile {number}", _MEETING_SECONDS)
        found.append((f"profile {number}", began, time.perf_counter_ns()))
    return found


# ---- the launcher's part


def remove_old(folder: str, own: range, count: int) -> None:
    """Remove the records of an earlier run: those of some ranks, and of ranks that do not exist."""
    for rank, path in records_in(folder).items():
        if rank in own or rank >= count:
            path.unlink()


def report(folder: str, count: int, own: range, problems: Mapping[int, str]) -> None:
    """Write the report about all ranks, and print its text.

    Args:
        folder: the folder with their records.
        count: the number of ranks.
        own: the ranks of this machine; only that of rank 0 reports.
        problems: by rank, how it has failed.
    """
    from jaxeager.debug.time.ranks.compare import compare_ranks

    if 0 not in own:
        return
    if len(own) < count and not problems:
        _wait_for_records(folder, count)
    try:
        found: object = compare_ranks(folder, problems)
    except JaxEagerError as error:
        print(f"No report about the ranks: {error.message}", file=sys.stderr, flush=True)
        return
    print(f"\n{found}\n\nThe page is {Path(folder) / 'ranks.html'}.", flush=True)


def _wait_for_records(folder: str, count: int) -> None:
    """Wait until all ranks have written their records, but not for long."""
    until = time.monotonic() + _LATE_SECONDS
    while time.monotonic() < until:
        if records_in(folder).keys() >= set(range(count)):
            return
        time.sleep(0.1)
