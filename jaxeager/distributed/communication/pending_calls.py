"""Pending calls between ranks: timeouts, and reports of missing ranks.

Note [Lanes]
    On a CPU a call between processes blocks the thread that made it until the other ranks have
    joined, and cannot be cancelled. So each call runs in a thread of its lane: one lane for all
    calls of groups, which keeps them in the program's order, and one for each direction between two
    ranks, so that two ranks that send to each other before they receive do not deadlock. Meanwhile
    the caller waits in its own thread: it can be interrupted, notices that a call is late, and
    raises when the call has timed out.

    On an accelerator a call returns immediately and the device waits. The call is made in the
    thread of the program, and its lane only watches whether it ends.

Note [Who is missing]
    Without problems, nothing is sent besides the calls. Each rank writes to the store of keys, once
    per second, which calls it is in and where its program is. A late call reads what the others
    have written. The same text is written immediately to a file that the launcher has named
    (``JAXEAGER_RANK_RECORD``), in memory that outlives the process: so after a crash the launcher
    can report what every rank was doing. With FLAGS_check_collectives each call is first compared
    with those of the other ranks, through the same store.
"""

from __future__ import annotations

import atexit
import itertools
import queue
import sys
import threading
import time
from collections.abc import Callable

import jax

from jaxeager.core import flags, user_lines
from jaxeager.distributed.communication import agreement, rank_status, shared_texts, world
from jaxeager.errors import InvalidArgumentError, JaxEagerError, UnavailableError
from jaxeager.graph import events

_CHECK_SECONDS = 5.0  # after which a waiting call checks what the others are doing

_numbers: dict[tuple, itertools.count] = {}  # a counter per lane of a group
_lanes: dict[tuple, queue.SimpleQueue] = {}
_running: dict[int, Call] = {}  # by the call's id
_failed: list[Call] = []  # those whose error no caller has seen yet
_lock = threading.Lock()


class Call:
    """One call between ranks.

    Attributes:
        name: the name of the called function.
        operands: its operands, as errors show them.
        details: the other properties that must agree on all ranks.
        group: the number of its group.
        ranks: the participants.
        lane: the sequence of calls in which it is ordered; see Note [Lanes].
        number: the number of earlier calls in its lane and group.
        site: the user's line of code.
        nbytes: the bytes of this rank's tensors; 0 unless a tool observes calls.
        limit: the seconds after which it raises.
        began: the time when it was made.
        done: set when it has ended.
        error: its error, if it failed.
        was_raised: whether the error, or a timeout, was raised where the call was waited for.
        tellings: how often it was reported as late.
    """

    def __init__(
        self, name: str, operands: str, details: str, group: int, ranks: tuple[int, ...],
        lane: tuple, limit: float,
    ):  # fmt: skip
        self.name, self.operands, self.details = name, operands, details
        self.group, self.ranks = group, ranks
        self.lane, self.limit = lane, limit
        with _lock:
            counter = _numbers.setdefault((group, *lane), itertools.count(1))
            self.number = next(counter)
        frame = user_lines.user_frame()
        self.site = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        self.nbytes = 0
        self.began = time.time()
        self.done = threading.Event()
        self.error: BaseException | None = None
        self.was_raised = False
        self.tellings = 0

    def shown(self) -> str:
        """Return the call as errors show it."""
        return f"{self.name}({self.operands}), number {self.number} of group {self.group}"

    def begin(self) -> None:
        """Note that the call is running."""
        rank_status.note(self.lane, f"in {self.shown()}, at {self.site}")
        if events.rank_call_began is not None:
            events.rank_call_began(self)

    def end(self, error: BaseException | None = None) -> None:
        """Note that the call has ended."""
        if events.rank_call_ended is not None:
            try:
                events.rank_call_ended(self, error)
            except BaseException as raised:  # of a tool: the call must end nevertheless
                error = error or raised
        self.error = error
        if error is not None and not self.was_raised:
            _failed.append(self)
        rank_status.note(self.lane, f"after {self.shown()}, at {self.site}", is_over=True)
        self.done.set()
        _running.pop(id(self), None)


def _is_host() -> bool:
    """Return whether this rank's calls block a thread: whether its device is a CPU."""
    return jax.local_devices()[0].platform == "cpu"


def settle(call: Call, limit: float | None = None) -> None:
    """Wait for a call if the host is responsible for that; see ``finish``."""
    if _is_host() or call.done.is_set():
        finish(call, limit)


def submit(call: Call, work: Callable[[], list], write: Callable[[list], None]) -> None:
    """Start a call.

    Args:
        call: the call.
        work: makes the call, and returns this rank's arrays.
        write: stores the arrays in their tensors.

    Raises:
        UnavailableError: when an earlier call has failed, and was not waited for.
        InvalidArgumentError: when the ranks made different calls, now or earlier.
    """
    if _failed:
        raise _error_of(_failed[0])
    with _lock:
        if not _lanes and not _running:
            atexit.register(end_with_calls)  # before JAX's own end, which waits for the others
        _running[id(call)] = call
    if _is_host():
        _lane(call.lane).put((call, work, write))
        return
    call.begin()
    if call.lane[0] != "p2p":  # two ranks may both send before they receive
        agreement.compare(call)
    found = work()
    write(found)
    _lane(call.lane).put((call, lambda: found, lambda _: None))


def _error_of(call: Call) -> BaseException:
    """Return the error of a failed call, and mark it as seen."""
    call.was_raised = True
    if call in _failed:
        _failed.remove(call)
    return call.error  # type: ignore[return-value]


def _lane(key: tuple) -> queue.SimpleQueue:
    """Return the queue of a lane; start its thread with the first call."""
    with _lock:
        if key not in _lanes:
            _lanes[key] = queue.SimpleQueue()
            name = f"calls between ranks {key}"
            threading.Thread(target=_serve, args=(_lanes[key],), name=name, daemon=True).start()
        return _lanes[key]


def _serve(waiting: queue.SimpleQueue) -> None:
    """Make the calls of a lane in order, as long as the process lives."""
    is_host = _is_host()
    while True:
        call, work, write = waiting.get()
        error = None
        try:
            if is_host:
                call.begin()
            if is_host or call.lane[0] == "p2p":
                agreement.compare(call)
            found = work()
            for each in found:
                each.block_until_ready()
            write(found)
        except JaxEagerError as raised:
            error = raised
        except BaseException as raised:
            error = _named(call, raised)
        call.end(error)
        del call, work, write, error


def _named(call: Call, error: BaseException) -> BaseException:
    """Return an error that names the call, from one of the transport."""
    others = ", ".join(str(each) for each in call.ranks if each != world.rank())
    made = UnavailableError(
        f"{call.shown()}, failed on rank {world.rank()}, at {call.site}: rank {others} has ended, "
        f"or called something else.{rank_status.shown(rank_status.of_others(call.ranks))}"
    )
    made.__cause__ = error
    return made


def finish(call: Call, limit: float | None = None) -> None:
    """Wait until a call has ended, report when it is late, and raise when it has timed out.

    Args:
        call: the call.
        limit: the timeout in seconds; that of the call by default.

    Raises:
        UnavailableError: when it has not ended in time, or a rank it needs has ended.
        InvalidArgumentError: when ranks made different calls.
    """
    limit = call.limit if limit is None else limit
    is_observed = events.rank_wait_began is not None and not call.done.is_set()
    if is_observed:
        events.notify(events.rank_wait_began, call)
    try:
        _wait(call, limit)
    except BaseException:
        call.was_raised = True
        raise
    finally:
        if is_observed:
            events.notify(events.rank_wait_ended, call)
    if call.error is not None:
        raise _error_of(call)


def _wait(call: Call, limit: float) -> None:
    """Wait until a call has ended; see ``finish``."""
    late = float(flags.flag("FLAGS_collective_late"))
    next_check = _CHECK_SECONDS
    began = time.monotonic()
    while not call.done.wait(max(0.0, min(limit, next_check) + began - time.monotonic())):
        passed = time.monotonic() - began
        if call.done.is_set():
            break
        others = rank_status.of_others(call.ranks)
        if call.done.is_set():
            break
        _check_others(call, others)
        where = f"rank {world.rank()} at {call.site}.{rank_status.shown(others)}"
        if passed >= limit:
            raise UnavailableError(f"{call.shown()}, has not ended within {limit:g} s on {where}")
        if late and passed >= late:
            _tell(call, passed, where)
            late *= 2
        next_check = passed + _CHECK_SECONDS if not late else max(late, passed + 0.1)


def _tell(call: Call, passed: float, where: str) -> None:
    print(f"{call.shown()}, has waited {passed:.0f} s on {where}", file=sys.stderr, flush=True)


def tell_of_late_ones() -> None:
    """Report calls that an accelerator waits for; those of a CPU are reported by their callers."""
    late = float(flags.flag("FLAGS_collective_late"))
    for call in [] if not late or not _running or _is_host() else list(_running.values()):
        passed = time.time() - call.began
        if passed >= late * 2**call.tellings:
            call.tellings += 1
            others = rank_status.shown(rank_status.of_others(call.ranks))
            _tell(call, passed, f"rank {world.rank()} at {call.site}.{others}")


rank_status.each_second.append(tell_of_late_ones)
shared_texts.fill_ports()


def _check_others(call: Call, others: dict[int, str]) -> None:
    """Raise when a rank that a call waits for can never join it.

    Raises:
        InvalidArgumentError: when it is in another call of the same number.
        UnavailableError: when it has ended.
    """
    same = f", number {call.number} of group {call.group},"
    for rank, text in others.items():
        if text == rank_status.ENDED:
            raise UnavailableError(
                f"{call.shown()}, cannot end: rank {rank} has ended without it. Rank "
                f"{world.rank()} is at {call.site}."
            )
        if call.lane[0] != "p2p" and same in text and f"in {call.shown()}," not in text:
            raise InvalidArgumentError(
                f"The ranks of group {call.group} do not make the same call:\n  Rank "
                f"{world.rank()}: in {call.shown()}, at {call.site}.{rank_status.shown(others)}"
            )


def end_with_calls() -> None:
    """Wait at the end of a program for its calls; end it with an error if one has failed.

    A call that never ends is abandoned: its thread would block the end.
    """
    try:
        for call in list(_running.values()):
            if not call.was_raised:
                finish(call)
        if _failed:
            raise _error_of(_failed[0])
        agreement.compare_at_the_end()
    except JaxEagerError as error:
        print(f"{type(error).__module__}.{type(error).__name__}: {error}", file=sys.stderr)
        world.leave(1)
    if _running:
        world.leave(1)
