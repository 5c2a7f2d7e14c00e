"""FLAGS_op_timeout: reports an op that does not end, with its line and its duration.

Note [Time limits]
    XLA computes after a call has returned, so an op that hangs would be noticed where the program
    first waits. While the flag is on each op, node and step is waited for by the thread that ran
    it. A thread of the tool reads the open records of the recorder, and reports those that exceed
    the limit: once with the stacks of all threads, then whenever the time has doubled, and when it
    has ended after all. Nothing is stopped. The time for compiling a kernel is included.

    If no record is open, and none was begun for as long as the limit, the program waits between two
    ops: for a queue that is never filled, a lock, a file. That is reported in the same way, unless
    the main thread runs no code of the program, as in a notebook between two cells. A report in a
    file about an op that exceeded the limit is not replaced by one about a wait.
"""

import contextlib
import os
import sys
import threading
import time

import jax
from jax.core import Tracer

from jaxeager.core import flags
from jaxeager.debug.hangs import now as current
from jaxeager.debug.hangs import recorder, report
from jaxeager.graph import events


class _Waiter(events.Observer):
    """Waits for the results of ops, nodes and steps, before the recorder marks them as ended."""

    def kernel_finished(self, call):
        _wait(call.results)

    def node_ended(self, node, grads, results):
        _wait(results)

    def step_ended(self, rule, params, state):
        _wait([param._array for param in params])


def _wait(arrays) -> None:
    """Wait for arrays; an error of the device is raised where it is read, as usual."""
    for array in jax.tree.leaves(arrays):
        if not isinstance(array, Tracer):
            try:
                array.block_until_ready()
            except jax.errors.JaxRuntimeError:
                return


class Watch(threading.Thread):
    """Checks the open records of all threads periodically.

    Args:
        limit: the limit in seconds.
    """

    def __init__(self, limit: float):
        super().__init__(name=recorder.WATCH_NAME, daemon=True)
        self.limit = limit
        self._is_over = threading.Event()
        self._next_report: dict[int, float] = {}  # record number to the seconds of its next report
        self._records: dict[int, report.Record] = {}  # the reported records, by number
        self._idle_since = time.time()
        self._idle_report = limit  # seconds after which idleness is reported
        self._last: report.Record | None = None  # the last record at the last check
        self._was_late = False  # whether a record has exceeded the limit; the file is about it then

    def run(self) -> None:
        while not self._is_over.wait(min(self.limit / 4, 1.0)):
            self._check()

    def stop(self) -> None:
        """End the thread; a report in progress is finished."""
        self._is_over.set()

    def _check(self) -> None:
        now = time.time()
        running = [opened[-1].record for opened in list(recorder.running.values()) if opened]
        running = [record for record in running if record.what != "read"]
        late = {each.number: each for each in running if now - each.began >= self.limit}
        self._check_between(now, bool(running))
        for number, record in late.items():
            self._tell(number, record, now - record.began)
        for number in [each for each in self._next_report if each not in late]:
            del self._next_report[number]
            record = self._records.pop(number)
            _write(
                f"The {record.what} {record.name} has ended, after {now - record.began:.1f} s.\n"
            )

    def _check_between(self, now: float, is_running: bool) -> None:
        """Report that no op has run for too long."""
        tape = recorder.current()
        last = None if tape is None else tape.last
        if is_running or last is not self._last:
            self._idle_since, self._idle_report, self._last = now, self.limit, last
            return
        seconds = now - self._idle_since
        if seconds < self._idle_report:
            return
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        doing = "" if frame is None else current.doing(frame)
        if not doing.startswith("runs no op, at "):
            return
        is_first = self._idle_report == self.limit
        self._idle_report = 2 * seconds
        text = (
            f"No op has run for {seconds:.1f} s (FLAGS_op_timeout={self.limit:g}).\n"
            f"  The main thread is {doing.removeprefix('runs no op, ')}.\n"
        )
        if last is not None:
            given = f"({last.given})" if last.given else ""
            text += f"  The last {last.what} was {last.name}{given}, at {last.line or '?'}.\n"
        if is_first:
            path = None if self._was_late else recorder.write_report(f"TimeoutError: {text}")
            text += _details(path)
        _write(text)

    def _tell(self, number: int, record: report.Record, seconds: float) -> None:
        is_first = number not in self._next_report
        if not is_first and seconds < self._next_report[number]:
            return
        self._next_report[number], self._records[number] = 2 * seconds, record
        given = f"({record.given})" if record.given else ""
        text = (
            f"The {record.what} {record.name}{given} has not ended for {seconds:.1f} s "
            f"(FLAGS_op_timeout={self.limit:g}).\n  It runs in thread {record.thread}, at "
            f"{record.line or 'an unknown line'}.\n"
        )
        if is_first:
            self._was_late = True
            text += _details(recorder.write_report(f"TimeoutError: {text}"))
        _write(text)


def _details(path: str | None) -> str:
    """Return the stacks of all threads, and where the report is, if it is in a file."""
    return recorder.stacks_text() + (f"  What ran last: {path}\n" if path else "")


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # closed, full, or without a reader
        sys.stderr.write(text)
        sys.stderr.flush()


_waiter = _Waiter()
_watch: Watch | None = None


def set_timeout(seconds: float) -> None:
    """Apply FLAGS_op_timeout: 0 waits for nothing."""
    global _watch
    before, _watch = _watch, None
    if before is not None:
        before.stop()
        events.unobserve(_waiter)
        recorder.end_use()
    if seconds:
        events.observe(_waiter)
        recorder.begin_use()
        _watch = Watch(seconds)
        _watch.start()


def _begin_child() -> None:
    """Restart the watch in a forked process, which has no such thread."""
    if _watch is not None:
        set_timeout(0.0)
        set_timeout(float(flags.flag("FLAGS_op_timeout")))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)
