"""RankCall: one call between ranks, as one rank has seen it; and its rows in a profile."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any, NamedTuple

from jaxeager.debug.time.user_stack import Frame


class RankCall(NamedTuple):
    """One call between ranks, as this rank has seen it.

    Attributes:
        name: "all_reduce", "send", "barrier", ...
        group: the number of its group.
        lane: the sequence of calls in which it is ordered; see Note [Lanes] of pending_calls.py.
        number: its number in that sequence, which is the same on all ranks.
        ranks: the participants.
        nbytes: the bytes of the tensors that this rank has passed.
        frame: the user's line.
        began_ns, ended_ns: when this rank has joined it, and when it has ended here.
        succeeded: whether it has ended without an error.
    """

    name: str
    group: int
    lane: str
    number: int
    ranks: tuple[int, ...]
    nbytes: int
    frame: Frame
    began_ns: int
    ended_ns: int
    succeeded: bool = True

    @property
    def key(self) -> tuple[int, str, int]:
        """Return what is the same on all ranks that make this call together."""
        return self.group, self.lane, self.number

    @classmethod
    def of(cls, call: Any, began_ns: int, ended_ns: int, succeeded: bool) -> RankCall:
        """Return the record of a ``pending_calls.Call``."""
        lane = " ".join(map(str, call.lane))
        return cls(
            call.name, call.group, lane, call.number, tuple(call.ranks), call.nbytes,
            frame_of_site(call.site), began_ns, ended_ns, succeeded,
        )  # fmt: skip


def frame_of_site(site: str) -> Frame:
    """Return the line that a text such as "train.py:12" names."""
    file, _, line = site.rpartition(":")
    return Frame("", file, int(line))


class CallRow(NamedTuple):
    """The calls between ranks of one name at one line, as one rank has seen them.

    Attributes:
        name: "all_reduce", "send", "barrier", ...
        frame: the user's line.
        calls: how often it was called.
        bytes: the bytes of the tensors that this rank has passed in all calls.
        total_ns: the time from joining each call to its end.
        waited_ns: the part of it until the last rank had joined; None while the others' times are
            not known.
        transferred_ns: the rest; None as above.
        stopped_ns: how long the program has stopped for these calls.
        bandwidth: the effective bandwidth in GB/s, the median of the calls: the bytes that this
            rank has passed per transferred time, whatever the algorithm sends for them. It is not
            the bus bandwidth: for a ring of n ranks that is this number times 2 (n - 1) / n for
            ``all_reduce``, and times n - 1 for ``all_gather``. None as above.
    """

    name: str
    frame: Frame
    calls: int
    bytes: int
    total_ns: int
    waited_ns: int | None
    transferred_ns: int | None
    stopped_ns: int
    bandwidth: float | None


def median_bandwidth(calls: Iterable[tuple[float, int]]) -> float | None:
    """Return the effective bandwidth in GB/s: the median of bytes per time of calls.

    The first call of a kind makes its kernel, which counts as transferring; the median is that of
    an ordinary call.

    Args:
        calls: bytes and transferred nanoseconds of each.
    """
    rates = [nbytes / took for nbytes, took in calls if took > 0]
    return statistics.median(rates) if rates else None


def numbers_text(row: CallRow) -> str:
    """Return the columns of a row: calls, megabytes, milliseconds, GB/s."""
    shown = [
        "-" if each is None else f"{each / 1e6:.2f}"
        for each in (row.waited_ns, row.transferred_ns, row.stopped_ns)
    ]
    rate = "-" if row.bandwidth is None else f"{row.bandwidth:.2f}"
    return f"{row.calls:9}{row.bytes / 1e6:9.2f}" + "".join(
        [f"{each:>9}" for each in [*shown, rate]]
    )
