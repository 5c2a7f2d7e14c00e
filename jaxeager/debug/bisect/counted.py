"""The search for the first of the things that a program counts: calls, marked functions.

Note [Counted runs]
    Each run starts the program with the first N things changed (rounded, compiled, on another
    device), and the run writes a report: how many there are, and which were changed. The program is
    good with none and bad with all; the search halves in between.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.bisect.judge import Start, Trials, start_of
from jaxeager.debug.bisect.search import UnusableError, first_bad

ALL = 2**62  # more than any program counts


class Change(NamedTuple):
    """What is done to the first calls of a program, and how it is described.

    Attributes:
        kind: the options of a run, without the number.
        name: returns the text of a run from that of its calls: "the first 3 calls".
        nothing: what the error states where the program has no such calls.
        verdict: what the first bad call cannot have or do: "cannot have float16 results".
    """

    kind: Sequence[str]
    name: Callable[[str], str]
    nothing: str
    verdict: str


class Found(NamedTuple):
    """What a search has found.

    Attributes:
        suspects: the numbers among which the first bad one is; several if runs were skipped.
        count: how many things the program counts.
        reports: the report of each run, by the number of things that were changed.
    """

    suspects: range
    count: int
    reports: dict[int, dict]


def find_first(
    trials: Trials,
    program: list[str],
    report: Path,
    kind: Sequence[str],
    name: Callable[[int], str],
    none: str,
    whole: Callable[[int], str],
    nothing: str,
) -> Found:
    """Find the first thing that changes a program's outcome: see Note [Counted runs].

    Args:
        trials: judges and prints.
        program: the program and its arguments.
        report: the file of the reports.
        kind: the options of a run, without the number.
        name: returns the text of the run with the first N things changed.
        none, whole: the texts of the runs with none, and with all N.
        nothing: what the error states where the program counts none.

    Raises:
        UnusableError: if there is none, the program is not good with none, or not bad with all.
    """

    def prepare(first: int) -> Start:
        report.unlink(missing_ok=True)
        options = [*kind, "--calls", str(first), "--report", str(report)]
        return start_of(["bisect", *options, *program], Path.cwd())

    def judge(first: int) -> str:
        verdict = trials.run(name(first), lambda: prepare(first))
        reports[first] = read_report(report)
        return verdict.word

    reports: dict[int, dict] = {}
    trials.check_good_end(none, lambda: prepare(0))
    count = read_report(report).get("count", 0)
    if not count:
        raise UnusableError(nothing)
    trials.check_bad_end(whole(count), lambda: prepare(ALL))
    reports[count] = read_report(report)
    return Found(first_bad(count, judge), count, reports)


def find_call(trials: Trials, program: list[str], folder: Path, change: Change) -> int:
    """Find the first call that a program cannot have changed, print it, return the exit status.

    Args:
        trials: judges and prints.
        program: the program and its arguments.
        folder: a temporary folder.
        change: what is done to the calls.

    Raises:
        UnusableError: as ``find_first`` does.
    """
    name = change.name
    suspects, count, reports = find_first(
        trials, program, folder / "calls.json", change.kind,
        lambda first: name(_calls(first)),
        name("no call"),
        lambda count: name(f"all {count} calls"),
        change.nothing,
    )  # fmt: skip
    if len(suspects) > 1:
        print(f"Runs were skipped, so it is one of calls {suspects[0]} to {suspects[-1]}")
        return 1
    (found,) = suspects
    known = reports[found]
    print(
        f"Call {found} of {count} is the first that {change.verdict}: "
        f"{known.get('name') or 'unknown'} at {known.get('line') or 'an unknown line'}"
    )
    print("".join([f"  {line}\n" for line in known.get("more", ())]), end="")
    print(trials.judge.first_difference("no call", _calls(found)), end="")
    return 0


def _calls(first: int) -> str:
    return "the first call" if first == 1 else f"the first {first} calls"


def write_report(report: str, found: dict) -> None:
    """Write the report of a run; "" is no file."""
    if report:
        Path(report).write_text(json.dumps(found), encoding="utf-8")


def read_report(report: Path) -> dict:
    """Return the report of a run; empty if the run was killed."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads(report.read_text(encoding="utf-8"))
    return {}
