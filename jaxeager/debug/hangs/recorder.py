"""FLAGS_flight_recorder: keeps the last events on disk, however the program ends.

Note [Flight recorder]
    Every op, node, PyLayer, hook, step and read of a value is a record, written when it begins and
    marked when it ends. Records are on a tape of fixed length, a file that is mapped into memory:
    writing a record needs no system call, and the record is in the file even if the process is
    killed in the next instruction.

    When the program ends normally the tape is removed. Otherwise a report is written: by the
    program itself after an exception; by a separate process (report.py) after a signal, because a
    process that has had a fault cannot do anything reliably. The stacks of its threads are written
    by Python's own fault handler, which needs neither the interpreter nor memory, so it works even
    while Python code waits for a lock. At SIGTERM it writes only the stack of the thread that
    receives the signal, the main one. The other threads continue to run, and a process that reads
    the frames of a running thread may itself fault and report that as the program's fault (one
    time in ten).
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import functools
import itertools
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from typing import Any, NamedTuple

from jaxeager.core import flags
from jaxeager.debug.common.output_files import check_writable
from jaxeager.debug.hangs import report
from jaxeager.debug.hangs.report import DONE, FAILED, RUNNING, WIDTH, Record
from jaxeager.debug.stacks import frames, stacks
from jaxeager.debug.stacks.lines import line_of_node, running_line
from jaxeager.graph import events

FLAG = "FLAGS_flight_recorder"
WATCH_NAME = "jaxeager op timeout"
OWN_THREADS = (WATCH_NAME, "jaxeager attach")  # that reports omit
_MARKS = {state: f"{state:<5}".encode() for state in (RUNNING, DONE, FAILED)}


class Open(NamedTuple):
    """A record that has not ended yet.

    Attributes:
        record: the record on the tape.
        key: the call, node, ... that it belongs to.
    """

    record: Record
    key: object


class _OfThread(threading.local):
    """The open records of a thread, the innermost last, and its number."""

    def __init__(self):
        self.open: list[Open] = []
        self.number = threading.get_native_id()
        running[self.number] = self.open


running: dict[int, list[Open]] = {}  # by the number of a thread
_thread = _OfThread()


class Recorder(events.Observer):
    """Writes records on a tape.

    Args:
        size: the number of records.
        path: the file of the tape; None keeps it only in memory.

    Attributes:
        size: the number of records.
        last: the record that was begun last; None before the first.
    """

    def __init__(self, size: int, path: str | None = None):
        self.size = size
        self.last: Record | None = None
        self._next = itertools.count()
        self._tape: bytearray | mmap.mmap = bytearray(size * WIDTH)
        if path is not None:
            with open(path, "wb+") as file:
                file.truncate(size * WIDTH)
                file.flush()
                self._tape = mmap.mmap(file.fileno(), size * WIDTH)

    def records(self) -> list[Record]:
        """Return the records on the tape, the oldest first."""
        return report.records_of(bytes(self._tape))

    # ---- records

    def begin(self, what: str, key, name: str, given: str = "", line: str | None = None) -> None:
        """Write that an operation begins in this thread."""
        opened = _thread.open
        if opened and opened[-1].record.what == "read":  # no event marks its end
            self.end(opened[-1].key)
        number = next(self._next)
        line = running_line() if line is None else line
        record = Record(RUNNING, number, time.time(), _thread.number, what, name, given, line)
        at = number % self.size * WIDTH
        self._tape[at : at + WIDTH] = report.packed(record)
        self.last = record
        opened.append(Open(record, key))

    def end(self, key, state: str = DONE) -> None:
        """Mark the record of a key, and records still open inside it, as ended."""
        opened = _thread.open
        if not opened or (opened[-1].key is not key and all(e.key is not key for e in opened)):
            return
        while opened:
            found = opened.pop()
            at = found.record.number % self.size * WIDTH
            if self._holds(at, found.record.number):
                self._tape[at : at + 5] = _MARKS[state]
            if found.key is key:
                return

    def _holds(self, at: int, number: int) -> bool:
        """Return whether a record is still on the tape."""
        head = f"\t{number}\t".encode()
        return self._tape[at + 5 : at + 5 + len(head)] == head

    # ---- ops

    def operands_ready(self, call):
        self.begin("op", call, call.row.api_name + "_" * call.is_inplace, _given(call.operands))

    def call_ended(self, call):
        self.end(call)

    def call_failed(self, call, error):
        self.end(call, FAILED)

    def layer_began(self, layer, inputs, node):
        self.begin("layer", layer, layer.__name__, _given(inputs))

    def layer_ended(self, layer, inputs, outputs, node):
        self.end(layer)

    def layer_failed(self, layer, error):
        self.end(layer, FAILED)

    # ---- backward

    def node_began(self, node, grads):
        self.begin("node", node, node.name(), _given(grads), str(line_of_node(node)))

    def node_ended(self, node, grads, results):
        self.end(node)

    def node_failed(self, node, error):
        self.end(node, FAILED)

    def hook_began(self, node, position, hook, grad):
        code = getattr(hook, "__code__", None)
        line = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
        name = getattr(hook, "__qualname__", type(hook).__name__)
        self.begin("hook", hook, name, _given([grad]), line)

    def hook_ended(self, node, position, hook, before, after):
        self.end(hook)

    # ---- the rest

    def step_began(self, rule, params):
        self.begin("step", rule, rule.name, f"{len(params)} parameters")

    def step_ended(self, rule, params, state):
        self.end(rule)

    def value_read(self, tensor):
        name = "the whole device" if tensor is None else "a value"
        self.begin("read", tensor, name, "" if tensor is None else _given([tensor]))


def _given(operands) -> str:
    """Return dtypes and shapes: "float32[2, 3], int64[]"."""
    return ", ".join(map(_kind, operands))


def _kind(value) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{_given(value[:4])}{', ...' * (len(value) > 4)}]"
    array = getattr(value, "_array", value)
    shape = getattr(array, "shape", None)
    if array is None or shape is None:
        return "None" if array is None else type(value).__name__
    return _kind_text(array.dtype, shape)


@functools.lru_cache(4096)
def _kind_text(dtype, shape: tuple) -> str:
    """Return "float32[2, 3]"; NumPy is slow at naming its dtypes."""
    return f"{dtype.name}{list(shape)}"


# ---- activation

_users = 0
_recorder: Recorder | None = None
_lock = threading.RLock()


def begin_use(path: str | None = None) -> Recorder:
    """Record events from now on, until ``end_use``; calls nest.

    Args:
        path: a file for the tape, for the first user that needs one.
    """
    global _users, _recorder
    with _lock:
        if _recorder is None or path is not None:
            before = _recorder
            _recorder = Recorder(int(flags.flag("FLAGS_flight_recorder_size")), path)
            if before is not None:
                events.unobserve(before)
            events.observe(_recorder)
            if before is None:
                stacks.begin_use()
        _users += 1
        return _recorder


def end_use() -> None:
    """Undo one ``begin_use``."""
    global _users, _recorder
    with _lock:
        _users -= 1
        if _users == 0 and _recorder is not None:
            events.unobserve(_recorder)
            stacks.end_use()
            _recorder = None
            for opened in running.values():
                opened.clear()


def current() -> Recorder | None:
    """Return the recorder that is in use, None without one."""
    return _recorder


def stacks_text() -> str:
    """Return the Python stacks of all threads, this one's first."""
    names = {each.ident: each.name for each in threading.enumerate()}
    here = threading.get_ident()
    found = sorted(sys._current_frames().items(), key=lambda each: each[0] != here)
    return "\n".join(
        f"Thread {names.get(ident, ident)} (most recent call last):\n{stack_text(frame)}"
        for ident, frame in found
        if names.get(ident) not in OWN_THREADS
    )


def stack_text(frame) -> str:
    """Return the stack of a thread, without the tool's own frames."""
    running = [(frame.f_code, frame, line) for frame, line in traceback.walk_stack(frame)]
    shown = frames.shown(running)[::-1]
    found = traceback.StackSummary.extract((frame, line) for _, frame, line in shown)
    return "".join(found.format()) or "  (it runs nothing but this report)\n"


class _Flight:
    """The files of one process while the flag is on.

    Args:
        path: the path of the report; the process id is appended.
    """

    def __init__(self, path: str):
        self.base = f"{os.path.abspath(path)}.{os.getpid()}"
        check_writable(self.base, FLAG)
        self.process = os.getpid()
        self.recorder = begin_use(f"{self.base}.tape")
        self.fault = open(f"{self.base}.fault", "wb")  # noqa: SIM115 - the fault handler's
        self.term = open(f"{self.base}.term", "wb")  # noqa: SIM115
        self.had_faulthandler = faulthandler.is_enabled()
        faulthandler.enable(self.fault, all_threads=True)
        if hasattr(faulthandler, "register") and hasattr(signal, "SIGTERM"):
            faulthandler.register(signal.SIGTERM, self.term, all_threads=False, chain=True)
        self.hooks = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = self._on_exception, self._on_thread_exception
        self.watcher = subprocess.Popen(
            [sys.executable, "-S", "-E", report.__file__, self.base, str(self.process)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._tell(f"process {self.process}: {' '.join(sys.argv) or 'python'}\n".encode())
        atexit.register(self.close)

    def _tell(self, data: bytes) -> None:
        assert self.watcher.stdin is not None
        with contextlib.suppress(OSError):
            self.watcher.stdin.write(data)
            self.watcher.stdin.flush()

    def write(self, stacks_of_all: str, summary: str) -> None:
        """Write a report now."""
        now = time.time()
        text = report.report(
            f"process {self.process}: {' '.join(sys.argv)}", self.recorder.records(),
            stacks_of_all, summary, now,
        )  # fmt: skip
        with open(self.base, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)

    def _on_exception(self, kind, value, trace) -> None:
        self._say(kind, value, trace)
        self.hooks[0](kind, value, trace)
        sys.stderr.write(f"  [What ran last, and the stacks: {self.base}]\n")

    def _on_thread_exception(self, what) -> None:
        if what.exc_type is not SystemExit:
            self._say(what.exc_type, what.exc_value, what.exc_traceback)
        self.hooks[1](what)

    def _say(self, kind, value, trace) -> None:
        if os.getpid() == self.process:
            now = int(time.time())
            text = "".join(traceback.format_exception(kind, value, trace))
            self.write(
                stacks_text(),
                f'{text}  [TimeInfo: *** Raised at {now} (unix time) try "date -d @{now}" if you '
                "are using GNU date ***]\n",
            )

    def close(self) -> None:
        """End the recording; the separate process then writes no report."""
        if os.getpid() != self.process:
            return
        atexit.unregister(self.close)
        self._tell(report.ENDED_WELL)
        assert self.watcher.stdin is not None
        with contextlib.suppress(OSError):
            self.watcher.stdin.close()
        self.watcher.wait()
        if sys.excepthook == self._on_exception:
            sys.excepthook = self.hooks[0]
        if threading.excepthook == self._on_thread_exception:
            threading.excepthook = self.hooks[1]
        self.leave_signals()
        self.fault.close()
        self.term.close()
        end_use()

    def close_pipe(self) -> None:
        """Close this process's end of the pipe without writing to it."""
        pipe: Any = self.watcher.stdin
        pipe.detach().close()

    def leave_signals(self) -> None:
        """Restore the previous signal handlers."""
        if hasattr(faulthandler, "unregister"):
            faulthandler.unregister(signal.SIGTERM)
        faulthandler.disable()
        if self.had_faulthandler:
            faulthandler.enable()


_flight: _Flight | None = None


def set_path(path: str) -> None:
    """Apply FLAGS_flight_recorder: "" stops recording.

    Raises:
        InvalidArgumentError: when the file's folder cannot be created or written.
    """
    global _flight
    with _lock:
        before, _flight = _flight, None
        if before is not None:
            before.close()
        if path:
            _flight = _Flight(path)


def write_report(summary: str) -> str | None:
    """Write a report now if the flag is on, and return its file."""
    flight = _flight
    if flight is None or os.getpid() != flight.process:
        return None
    flight.write(stacks_text(), summary)
    return flight.base


def _leave_to_parent() -> None:
    """Detach a forked process from its parent's tape and from the watcher's pipe."""
    global _flight, _lock, _recorder, _users
    _lock = threading.RLock()
    flight, _flight = _flight, None
    if flight is not None:
        flight.close_pipe()
        flight.leave_signals()
    if _recorder is not None:
        events.unobserve(_recorder)
        _recorder, _users = None, 0
    running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
