"""Calls between ranks on their way: who waits for whom, for how long, and who is missing.

Note [Lanes]
    On a CPU a call between processes holds the thread that made it until the others have come, and
    nothing can take it back. So each runs in a thread of its lane: one for all calls of groups,
    which keeps them in the program's order, and one for each direction between two ranks, so that
    two that send to one another before they receive do not wait for ever. Who called waits beside:
    he can be interrupted, sees that a call is late, and raises when its time is over.

    On an accelerator a call returns at once and the device does the waiting. It is made in the
    thread of the program, and its lane only watches whether it ends.

Note [Who is missing]
    Nothing is sent beside a call as long as all goes well. Each rank writes once a second into the
    store of keys which calls it is in, and where its program is. A call that is late reads what the
    others have written. The same is written at once into a file that the launcher has named
    (``JAXEAGER_RANK_RECORD``), in memory that outlives the process: so after a death the launcher
    can say what every rank was doing. With FLAGS_check_collectives each call is first compared
    with those of the others, through the same store.
"""

from __future__ import annotations

import atexit
import itertools
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import jax

from jaxeager.core import flags, user_lines
from jaxeager.distributed.communication import agreement, status, world
from jaxeager.errors import InvalidArgumentError, JaxEagerError, UnavailableError

_LOOK_SECONDS = 5.0  # after which a call that waits looks what the others are doing

_numbers: dict[tuple, Any] = {}  # a counter for each lane of a group
_lanes: dict[tuple, queue.SimpleQueue] = {}
_running: dict[int, Call] = {}  # by the call's id
_failed: list[Call] = []  # those whose error no caller has seen yet
_lock = threading.Lock()


class Call:
    """One call between ranks.

    Attributes:
        name: of the function that was called.
        operands: what it was called with, as errors show it.
        details: what else all ranks have to call it with.
        group: its group's number.
        ranks: who takes part.
        lane: what it is ordered with; see Note [Lanes].
        number: how many of its lane and group came before.
        site: the user's line.
        limit: seconds after which it raises.
        began: when it was made.
        done: set when it has ended.
        error: what it ended with, when it failed.
        was_raised: whether that, or that it is late, was raised where it was waited for.
        tellings: how often it was told of as late.
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
        self.began = time.time()
        self.done = threading.Event()
        self.error: BaseException | None = None
        self.was_raised = False
        self.tellings = 0

    def shown(self) -> str:
        """Return the call as errors show it."""
        return f"{self.name}({self.operands}), number {self.number} of group {self.group}"

    def begin(self) -> None:
        """Note that it is under way."""
        status.note(self.lane, f"in {self.shown()}, at {self.site}")

    def end(self, error: BaseException | None = None) -> None:
        """Note that it has ended."""
        self.error = error
        if error is not None and not self.was_raised:
            _failed.append(self)
        status.note(self.lane, f"after {self.shown()}, at {self.site}", is_over=True)
        self.done.set()
        _running.pop(id(self), None)


def _is_host() -> bool:
    """Says whether this rank's calls hold a thread: whether its device is a CPU."""
    return jax.local_devices()[0].platform == "cpu"


def settle(call: Call, limit: float | None = None) -> None:
    """Wait for a call where that is the host's to do; see ``finish``."""
    if _is_host() or call.done.is_set():
        finish(call, limit)


def submit(call: Call, work: Callable[[], list], write: Callable[[list], None]) -> None:
    """Set a call going.

    Args:
        call: the call.
        work: makes it, and returns this rank's arrays.
        write: puts them where they belong.

    Raises:
        UnavailableError: when a call before it has failed, and was not waited for.
        InvalidArgumentError: when the ranks made other calls before it, or make other ones.
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
    """Return the error of a call that has failed, which is seen then."""
    call.was_raised = True
    if call in _failed:
        _failed.remove(call)
    return call.error  # type: ignore[return-value]


def _lane(key: tuple) -> queue.SimpleQueue:
    """Return the queue of a lane; its thread is started with the first call."""
    with _lock:
        if key not in _lanes:
            _lanes[key] = queue.SimpleQueue()
            name = f"calls between ranks {key}"
            threading.Thread(target=_serve, args=(_lanes[key],), name=name, daemon=True).start()
        return _lanes[key]


def _serve(waiting: queue.SimpleQueue) -> None:
    """Make the calls of a lane, one after the other, as long as the process lives."""
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
    """Return an error that names the call, for one of the transport."""
    others = ", ".join(str(each) for each in call.ranks if each != world.rank())
    made = UnavailableError(
        f"{call.shown()}, failed on rank {world.rank()}, at {call.site}: rank {others} has ended, "
        f"or called something else.{status.shown(status.of_others(call.ranks))}"
    )
    made.__cause__ = error
    return made


def finish(call: Call, limit: float | None = None) -> None:
    """Wait until a call has ended, says when it is late, and raise when its time is over.

    Args:
        call: the call.
        limit: seconds; those of the call by default.

    Raises:
        UnavailableError: when it has not ended in time, or a rank it needs has gone.
        InvalidArgumentError: when ranks called different things.
    """
    limit = call.limit if limit is None else limit
    try:
        _wait(call, limit)
    except BaseException:
        call.was_raised = True
        raise
    if call.error is not None:
        raise _error_of(call)


def _wait(call: Call, limit: float) -> None:
    """Wait until a call has ended; see ``finish``."""
    late = float(flags.flag("FLAGS_collective_late"))
    looks = _LOOK_SECONDS
    began = time.monotonic()
    while not call.done.wait(max(0.0, min(limit, looks) + began - time.monotonic())):
        passed = time.monotonic() - began
        if call.done.is_set():
            break
        others = status.of_others(call.ranks)
        if call.done.is_set():
            break
        _look(call, others)
        said = f"rank {world.rank()} at {call.site}.{status.shown(others)}"
        if passed >= limit:
            raise UnavailableError(f"{call.shown()}, has not ended within {limit:g} s on {said}")
        if late and passed >= late:
            _tell(call, passed, said)
            late *= 2
        looks = passed + _LOOK_SECONDS if not late else max(late, passed + 0.1)


def _tell(call: Call, passed: float, said: str) -> None:
    print(f"{call.shown()}, has waited {passed:.0f} s on {said}", file=sys.stderr, flush=True)


def tell_of_late_ones() -> None:
    """Says which calls an accelerator waits for; a CPU's are told of by who waits for them."""
    late = float(flags.flag("FLAGS_collective_late"))
    for call in [] if not late or not _running or _is_host() else list(_running.values()):
        passed = time.time() - call.began
        if passed >= late * 2**call.tellings:
            call.tellings += 1
            others = status.shown(status.of_others(call.ranks))
            _tell(call, passed, f"rank {world.rank()} at {call.site}.{others}")


status.each_second.append(tell_of_late_ones)


def _look(call: Call, others: dict[int, str]) -> None:
    """Raise when a rank that a call waits for can never come.

    Raises:
        InvalidArgumentError: when it is in another call of the same number.
        UnavailableError: when it has ended.
    """
    same = f", number {call.number} of group {call.group},"
    for rank, text in others.items():
        if text == status.ENDED:
            raise UnavailableError(
                f"{call.shown()}, cannot end: rank {rank} has ended without it. Rank "
                f"{world.rank()} is at {call.site}."
            )
        if call.lane[0] != "p2p" and same in text and f"in {call.shown()}," not in text:
            raise InvalidArgumentError(
                f"The ranks of group {call.group} do not make the same call:\n  Rank "
                f"{world.rank()}: in {call.shown()}, at {call.site}.{status.shown(others)}"
            )


def end_with_calls() -> None:
    """Wait at the end of a program for its calls; end it with an error when one has failed.

    A call that never ends is left behind: its thread would hold up the end.
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
