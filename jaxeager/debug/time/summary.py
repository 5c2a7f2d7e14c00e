"""The summary of a profile that a file keeps: what ran at each line, how often, and how long."""

import json
import os
import platform
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import jax

from jaxeager.debug.time.timed_events import Event, Read
from jaxeager.debug.time.user_stack import Frame, source_text
from jaxeager.errors import InvalidArgumentError

FORMAT = "jaxeager-profile-1"


class Call(NamedTuple):
    """One call of an op, or run of a node.

    Attributes:
        kind: "op" or "node".
        name: the op or node.
        own_ns: its time without that of making kernels, and of ops inside it.
        event: its event.
    """

    kind: str
    name: str
    own_ns: int
    event: Event


class Site(NamedTuple):
    """An op or node at one line of the program, or the values that the line copied to the host.

    Attributes:
        kind: "op", "node" or "read".
        name: the op or node; "" for a read.
        file: the name of the file, without its folder.
        line: the number of the line; the first, if several in the file are alike.
        text: the line.
        calls: how often it ran.
        total_ns: the time of all calls, without that of making kernels; for a read, the wait.
        median_ns: the median of the times of its calls.
        error_ns: the standard error of the median.
        kernels: how many kernels it needed.
        compile_ns: the time of making them.
        dtypes: the dtypes of its results.
    """

    kind: str
    name: str
    file: str
    line: int
    text: str
    calls: int
    total_ns: int
    median_ns: float
    error_ns: float
    kernels: int
    compile_ns: int
    dtypes: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Return what is the same in two runs, though lines may have been inserted in between."""
        return self.kind, self.name, self.file, self.text


class Summary(NamedTuple):
    """What one run did, and how long it took.

    Attributes:
        seconds: the duration of the block.
        waits: whether each op was waited for.
        versions: of jaxeager, JAX and Python, and the device.
        sites: the ops, nodes and reads, in the order in which they first ran.
    """

    seconds: float
    waits: bool
    versions: str
    sites: tuple[Site, ...]


def summary_of(
    seconds: float, waits: bool, calls: Iterable[Call], reads: Iterable[Read]
) -> Summary:
    """Return the summary of what a recorder recorded."""
    calls, reads = sorted(calls, key=lambda each: each.event.begin_ns), list(reads)
    frames = [*[call.event.line for call in calls], *[each.frame for each in reads]]
    names = {"": "", **_short_names({frame.file for frame in frames if frame is not None})}
    groups: dict[tuple[str, str, str, str], list[Call]] = {}
    for call in calls:
        frame = call.event.line
        file = names["" if frame is None else frame.file]
        groups.setdefault((call.kind, call.name, file, _text(frame)), []).append(call)
    sites = [_site(*key, each) for key, each in groups.items()]
    of_lines: dict[tuple[str, str], list[Read]] = {}
    for each in reads:
        of_lines.setdefault((names[each.frame.file], _text(each.frame)), []).append(each)
    sites += [_site_of_reads(*key, each) for key, each in of_lines.items()]
    return Summary(seconds, waits, _versions(), tuple(sites))


def _site(kind: str, name: str, file: str, text: str, calls: list[Call]) -> Site:
    times = [call.own_ns for call in calls]
    median = statistics.median(times)
    return Site(
        kind, name, file, _number(calls[0].event.line), text,
        calls=len(calls),
        total_ns=sum(times),
        median_ns=median,
        error_ns=_error(times, median),
        kernels=sum([call.event.kernels for call in calls]),
        compile_ns=sum([call.event.compile_ns for call in calls]),
        dtypes=tuple(sorted({dtype for call in calls for dtype in call.event.dtypes})),
    )  # fmt: skip


def _site_of_reads(file: str, text: str, reads: list[Read]) -> Site:
    return Site(
        "read", "", file, _number(reads[0].frame), text,
        calls=sum([each.count for each in reads]),
        total_ns=sum([each.wait_ns for each in reads]),
        median_ns=0.0, error_ns=0.0, kernels=0, compile_ns=0, dtypes=(),
    )  # fmt: skip


def _error(times: list[int], median: float) -> float:
    """Return the standard error of a median, from the median of the distances to it.

    For a normal distribution sigma is 1.4826 times that distance, and the error of the median is
    sqrt(pi / 2) sigma / sqrt(n).
    """
    distance = statistics.median([abs(each - median) for each in times])
    return 1.2533 * 1.4826 * distance / len(times) ** 0.5


def _short_names(files: set[str]) -> dict[str, str]:
    """Return files without folders, or with as many as tell those of equal names apart."""
    found = {}
    for file in files:
        parts, count = file.split(os.sep), 1
        others = [each.split(os.sep) for each in files if each != file]
        while count < len(parts) and any(each[-count:] == parts[-count:] for each in others):
            count += 1
        found[file] = "/".join(parts[-count:])
    return found


def _number(frame: Frame | None) -> int:
    return 0 if frame is None else frame.line


def _text(frame: Frame | None) -> str:
    """Return the text of a line; its number where there is no source."""
    if frame is None:
        return ""
    return source_text(frame) or f"line {frame.line}"


def _versions() -> str:
    device = jax.devices()[0]
    own = sys.modules[__name__.partition(".")[0]].version.OWN_VERSION
    return (
        f"jaxeager {own}, jax {jax.__version__}, "
        f"Python {platform.python_version()}, {device.device_kind}"
    )


# ---- files


def save(summary: Summary, path: str | os.PathLike) -> None:
    """Write a summary as JSON."""
    sites = [each._asdict() for each in summary.sites]
    data = {"format": FORMAT, **summary._asdict(), "sites": sites}
    Path(path).write_text(json.dumps(data, indent=1), encoding="utf-8")


def read(path: str | os.PathLike) -> Summary:
    """Read a summary.

    Raises:
        InvalidArgumentError: when the file cannot be read, or is not one that ``save`` wrote.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"its format is {data['format']!r}, not {FORMAT!r}")
        sites = tuple([_checked(each) for each in data["sites"]])
        return Summary(float(data["seconds"]), bool(data["waits"]), str(data["versions"]), sites)
    except (OSError, ArithmeticError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidArgumentError(
            f"{str(path)!r} should be a profile that save wrote, but {type(error).__name__}: "
            f"{error}."
        ) from None


def _checked(data: dict) -> Site:
    """Return the site of a file, its fields of the types that they should have."""
    kinds = Site.__annotations__  # the types themselves: no annotations import in this module
    if set(data) != set(kinds):
        raise ValueError(f"a site has the fields {sorted(data)}")
    if not isinstance(data["dtypes"], list):
        raise ValueError(f"dtypes are {data['dtypes']!r}")
    if int(data["calls"]) < 1:
        raise ValueError(f"a site has {data['calls']!r} calls")
    dtypes = tuple(map(str, data["dtypes"]))
    values = {name: kinds[name](data[name]) for name in kinds if name != "dtypes"}
    return Site(**values, dtypes=dtypes)
