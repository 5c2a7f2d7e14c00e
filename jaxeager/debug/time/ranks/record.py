"""RankRecord: what one rank has done, and when; the file that it writes for the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jaxeager.core import ports
from jaxeager.debug.time import clock
from jaxeager.debug.time.event_tree import named, ops_in, outermost, own_ns, waits_in
from jaxeager.debug.time.ranks import live
from jaxeager.debug.time.ranks.calls import RankCall
from jaxeager.debug.time.ranks.clocks import RankTimes, machine
from jaxeager.debug.time.ranks.folder import record_path
from jaxeager.debug.time.ranks.lines import steps_of
from jaxeager.debug.time.ranks.parts import PartRun
from jaxeager.debug.time.timed_events import Event
from jaxeager.debug.time.user_stack import Frame, source_text
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable

    from jaxeager.debug.time.recorder import Recorder

FORMAT = "jaxeager-rank-1"
_MOST_SLICES = 100_000  # the last ones are kept


class SourceLine(NamedTuple):
    """A line of the program, with its text; ("", 0, "") if it is not known."""

    file: str
    line: int
    text: str


class Slice(NamedTuple):
    """An op, node or wait of the program's thread, for the picture of time."""

    begin_ns: int
    end_ns: int
    name: str
    kind: str
    place: SourceLine


class RankRecord(NamedTuple):
    """What one rank has done.

    All times are nanoseconds of the monotonic clock, which processes of a machine share. Those of
    ops are of the thread that has started the profile.

    Attributes:
        rank, count: its number, and the number of ranks.
        machine: see ``clocks.machine``.
        date_ns: what is added to times to get nanoseconds since 1970.
        began_ns, ended_ns: when the profile has begun and ended.
        error: the error that has ended the program; "" if none has.
        python_ns, device_ns, compile_ns: the time of ops and nodes, as in the table of ``profile``.
        stopped: the spans in which the program has stopped for calls between ranks.
        calls: its calls between ranks; their frames' labels are the texts of their lines.
        meetings: barriers made before the program began; see Note [Clocks of ranks].
        step_ends, made_kernels, lines: see ``lines.Steps``.
        step_place: the line at which steps end.
        slices: the last ops, nodes and waits.
        run: the name of the run, see ``ports.run_name``; "" if it has none.
        parts: what its stage of a pipeline has computed; empty without a pipeline.
    """

    rank: int
    count: int
    machine: str
    date_ns: int
    began_ns: int
    ended_ns: int
    error: str
    python_ns: int
    device_ns: int
    compile_ns: int
    stopped: Sequence[tuple[int, int]]
    calls: Sequence[RankCall]
    meetings: Sequence[tuple[str, int, int]]
    step_ends: Sequence[int]
    made_kernels: Sequence[bool]
    lines: Sequence[dict[SourceLine, int]]
    step_place: SourceLine
    slices: Sequence[Slice]
    run: str = ""
    parts: Sequence[PartRun] = ()

    @property
    def times(self) -> RankTimes:
        """Return what its clock has shown."""
        return RankTimes(self.rank, self.machine, self.date_ns, self.calls, self.meetings)

    @property
    def total_ns(self) -> int:
        """Return the duration of the profile."""
        return self.ended_ns - self.began_ns

    @property
    def stopped_ns(self) -> int:
        """Return how long the program has stopped for calls between ranks."""
        return sum([end - begin for begin, end in self.stopped])

    @property
    def outside_ns(self) -> int:
        """Return the time outside of ops, nodes and calls between ranks."""
        known = self.python_ns + self.device_ns + self.compile_ns + self.stopped_ns
        return max(self.total_ns - known, 0)


def record_of(
    recorder: Recorder, error: str = "", meetings: Sequence[tuple[str, int, int]] = ()
) -> RankRecord:
    """Return the record of this rank from a ``Recorder`` that has stopped."""
    date = clock.epoch_offset_ns()
    roots = recorder.roots.get(recorder.main_thread, [])
    ops = list(ops_in(roots))
    device = sum([each.device_ns for each in ops])
    python = sum([max(own_ns(each) - each.device_ns, 0) for each in ops])
    steps = steps_of(roots, recorder.samples, recorder.began_ns, recorder.ended_ns)
    calls = [
        each._replace(
            frame=each.frame._replace(label=source_text(each.frame)),
            began_ns=each.began_ns - date, ended_ns=each.ended_ns - date,
        )
        for each in recorder.rank_calls
    ]  # fmt: skip
    return RankRecord(
        live.rank(), live.count(), machine(), date, recorder.began_ns - date,
        recorder.ended_ns - date, error, python, device, sum([each.compile_ns for each in ops]),
        stopped=sorted([(e.begin_ns - date, e.end_ns - date) for e in waits_in(roots)]),
        calls=calls,
        meetings=meetings,
        step_ends=[each - date for each in steps.ends],
        made_kernels=steps.made_kernels,
        lines=[{place_of(frame): ns for frame, ns in each.items()} for each in steps.lines],
        step_place=place_of(steps.frame),
        slices=list(_slices(roots, date))[-_MOST_SLICES:],
        run=ports.run_name,
        parts=[each.moved(-date) for each in recorder.parts if each.ended_ns],
    )  # fmt: skip


def place_of(frame: Frame | None) -> SourceLine:
    """Return a line with its text."""
    return (
        SourceLine("", 0, "")
        if frame is None
        else SourceLine(frame.file, frame.line, source_text(frame))
    )


def _slices(roots: Sequence[Event], date: int) -> Iterable[Slice]:
    """Yield ops, nodes and waits, those inside others after them."""
    for event in outermost(roots):
        name, kind = (event.name, "wait") if event.is_wait else named(event)
        begin, end = event.begin_ns - date, event.end_ns - date
        yield Slice(begin, end, name, kind, place_of(event.line))
        yield from _slices(event.children, date)


# ---- files


class _Table:
    """Values that a file has once, and refers to by number."""

    def __init__(self):
        self.numbers: dict[Hashable, int] = {}

    def number(self, value: Hashable) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


def save(record: RankRecord, folder: str | os.PathLike) -> Path:
    """Write a record into a folder, which is made, and return the path of the file."""
    places, names = _Table(), _Table()
    data = record._asdict()
    data["calls"] = [
        [*(each._asdict() | {"frame": places.number(place_of_call(each))}).values()]
        for each in record.calls
    ]
    data["lines"] = [
        [(places.number(place), ns) for place, ns in each.items()] for each in record.lines
    ]
    data["step_place"] = places.number(record.step_place)
    data["slices"] = [
        (
            each.begin_ns,
            each.end_ns,
            names.number((each.name, each.kind)),
            places.number(each.place),
        )
        for each in record.slices
    ]
    head = {"format": FORMAT, "places": list(places.numbers), "names": list(names.numbers)}
    path = record_path(folder, record.rank)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(head | data, separators=(",", ":")), encoding="utf-8")
    return unfinished.replace(path)


def place_of_call(call: RankCall) -> SourceLine:
    """Return the line of a recorded call, whose frame's label is the text."""
    return SourceLine(call.frame.file, call.frame.line, call.frame.label)


_UNREADABLE = (
    OSError, ArithmeticError, ValueError, TypeError, LookupError, AttributeError, RecursionError
)  # fmt: skip


def read(path: str | os.PathLike) -> RankRecord:
    """Read a record.

    Raises:
        InvalidArgumentError: when the file cannot be read, or is not one that ``save`` wrote.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data.pop("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        return _of_data(data)
    except _UNREADABLE as error:
        raise InvalidArgumentError(
            f"{str(path)!r} should be the record of a rank, but {type(error).__name__}: {error}."
        ) from None


def _of_data(data: dict) -> RankRecord:
    places = [SourceLine(*each) for each in data.pop("places")]
    names = data.pop("names")
    data["calls"] = [_call(each, places) for each in data["calls"]]
    data["lines"] = [{places[at]: ns for at, ns in each} for each in data["lines"]]
    data["step_place"] = places[data["step_place"]]
    data["stopped"] = [(begin, end) for begin, end in data["stopped"]]
    data["meetings"] = [(name, joined, left) for name, joined, left in data["meetings"]]
    data["parts"] = [PartRun(*each) for each in data.get("parts", ())]
    data["slices"] = [
        Slice(begin, end, names[name][0], names[name][1], places[place])
        for begin, end, name, place in data["slices"]
    ]
    record = RankRecord(**data)
    for name, kind in _PLAIN.items():
        if type(getattr(record, name)) is not kind:
            raise TypeError(f"its {name} is {getattr(record, name)!r}")
    if any(type(end) is not int for end in record.step_ends):
        raise TypeError(f"its step_ends are {record.step_ends!r}")
    return record


_NUMBERS = "rank count date_ns began_ns ended_ns python_ns device_ns compile_ns".split()
_PLAIN: dict[str, type] = dict.fromkeys(_NUMBERS, int) | dict.fromkeys(
    ["machine", "error", "run"], str
)
"""The fields of a record that are one number or one text."""


def _call(fields: list, places: list[SourceLine]) -> RankCall:
    given = dict(zip(RankCall._fields, fields, strict=True))
    place = places[given["frame"]]
    given |= {"ranks": tuple(given["ranks"]), "frame": Frame(place.text, place.file, place.line)}
    return RankCall(**given)
