"""Reports of each rank's activity for the others and the launcher; see Note [Who is missing]."""

from __future__ import annotations

import atexit
import contextlib
import mmap
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import jax

from jaxeager.core import user_lines
from jaxeager.debug.hangs.sections import sections
from jaxeager.distributed.communication import world

_LIBRARY = os.path.dirname(os.__file__) + os.sep
SLOT_BYTES, SLOTS = 512, 16
_PERIOD_SECONDS = 1.0
ENDED = "has ended"
_slots: dict[tuple, int] = {}  # the line of each lane in the file
_lines: dict[tuple, tuple[float, str]] = {}  # the text of each lane, and its time
_file: list[Any] = []
_threads: list[threading.Thread] = []
_over = threading.Event()
each_second: list[Callable[[], None]] = []  # functions called each time this rank writes


def note(lane: tuple, text: str, is_over: bool = False) -> None:
    """Record what a lane does; this takes about 2 us."""
    _lines[lane] = time.time(), text
    if _file:
        slot = _slots.setdefault(lane, len(_slots) % SLOTS)
        line = f"{'ended' if is_over else 'runs'} {text}".encode()[: SLOT_BYTES - 1]
        start = slot * SLOT_BYTES
        _file[0][start : start + SLOT_BYTES] = line.ljust(SLOT_BYTES - 1) + b"\n"


def _shown_lanes() -> list[str]:
    """Return the lines about each lane for ``python -m jaxeager attach``."""
    now = time.time()
    return [
        f"Call between ranks, {now - began:.1f} s ago: {text}"
        for began, text in sorted(_lines.values())
    ]


sections.append(_shown_lanes)


def start() -> None:
    """Start to record what this rank does."""
    path = os.environ.get("JAXEAGER_RANK_RECORD")
    if path and not _file:
        with open(path, "w+b") as file:
            file.truncate(SLOT_BYTES * SLOTS)
            _file.append(mmap.mmap(file.fileno(), SLOT_BYTES * SLOTS))
    if _threads:
        return
    main = threading.main_thread().ident
    _threads.append(threading.Thread(target=_publish, args=(main,), daemon=True))
    _threads[0].start()
    atexit.register(_say_end)  # before JAX's own end, which waits for the others


def _say_end() -> None:
    _over.set()
    _write(ENDED, "")


def _write(text: str, where: str) -> None:
    """Write this rank's state to the store; ignore that rank 0, which keeps it, may have ended."""
    with contextlib.suppress(jax.errors.JaxRuntimeError, AttributeError):
        world.store().key_value_set(
            f"jaxeager/state/{world.rank()}", f"{text}\n{where}\n{time.time():.1f}",
            allow_overwrite=True,
        )  # fmt: skip


def of_file(path: str) -> list[str]:
    """Return the calls that a rank's file lists as current, else its last one."""
    try:
        with open(path, "rb") as file:
            lines = [each.strip(b"\0 \n").decode(errors="replace") for each in file]
    except OSError:
        return []
    running = [each.removeprefix("runs ") for each in lines if each.startswith("runs ")]
    ended = [each.removeprefix("ended ") for each in lines if each.startswith("ended ")]
    return running or ended[:1]


def _publish(main: int) -> None:
    """Write this rank's state to the store once per second, as long as the store exists."""
    while world.is_connected() and not _over.is_set():
        rows = [f"{text} (for {time.time() - since:.0f} s)" for since, text in _lines.values()]
        rows = [each for each in rows if each.startswith("in ")] or rows[-1:]
        text = "; ".join(rows) or "in no call between ranks yet"
        where = _line_of(main)
        _write(text, where)
        for each in each_second:
            each()
        _over.wait(_PERIOD_SECONDS)


def _is_program(file: str) -> bool:
    """Return whether a file belongs to the program, not to Python or a package."""
    return user_lines.is_users(file) and not file.startswith((_LIBRARY, "<frozen"))


def _line_of(thread: int) -> str:
    """Return the user's line of code that a thread is in."""
    frame = sys._current_frames().get(thread)
    while frame is not None and not _is_program(frame.f_code.co_filename):
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def of_others(ranks: tuple[int, ...]) -> dict[int, str]:
    """Return, for each other rank, its current call and the position of its program."""
    time.sleep(1.5 * _PERIOD_SECONDS)  # until their current calls are written
    return {each: _of(each) for each in ranks if each != world.rank()}


def shown(states: dict[int, str]) -> str:
    """Return a line per rank."""
    return "".join(f"\n  Rank {rank}: {text}." for rank, text in states.items())


def _of(rank: int) -> str:
    try:
        found = world.store().key_value_try_get(f"jaxeager/state/{rank}")
    except (jax.errors.JaxRuntimeError, AttributeError):
        return "has reported nothing"
    text, where, when = found.split("\n")
    if text == ENDED:
        return text
    age = time.time() - float(when)
    silent = f"; it has reported nothing for {age:.0f} s" if age > 5 * _PERIOD_SECONDS else ""
    return f"{text}" + (f", its program is at {where}" if where else "") + silent
