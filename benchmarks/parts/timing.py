"""Interleaved repeats and their medians: the only clock of the benchmarks."""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from statistics import median, quantiles


@dataclass
class Row:
    """A row of the table: two figures and their ratio, which may be at most ``target``.

    Attributes:
        ours, other: the figures of jaxeager and of the other library, in ``unit``: "us" or "MiB".
        at: its position on the axis of sizes, for a row of a series.
    """

    part: str
    what: str
    against: str
    ours: float | None = None
    other: float | None = None
    ratio: float | None = None
    spread: tuple[float, float] | None = None
    target: float | None = None
    note: str = ""
    unit: str = "us"
    at: float | None = None
    met: bool | None = field(init=False, default=None)

    def __post_init__(self):
        if self.ratio is not None and self.target is not None:
            self.met = self.ratio <= self.target

    def as_dict(self) -> dict:
        """Return the row as a dict for JSON."""
        return asdict(self)


def say(text: str, end: str = "\n") -> None:
    """Write progress to stderr, so that stdout contains only the table."""
    sys.stderr.write(("\r\x1b[K" if sys.stderr.isatty() else "") + text + end)
    sys.stderr.flush()


def block_of(call: Callable[[], object], calls: int, finish: Callable[[object], None]) -> Callable:
    """Return a function that makes the calls, waits for the last, and returns seconds per call."""

    def run() -> float:
        started = time.perf_counter()
        for _ in range(calls):
            result = call()
        finish(result)
        return (time.perf_counter() - started) / calls

    return run


def interleave(
    title: str, contenders: dict[str, Callable[[], float]], repeats: int, warm: int = 2
) -> dict[str, list[float]]:
    """Return each contender's seconds, one figure per repeat.

    Every repeat runs every contender once, and each repeat starts with another one, so that other
    load on the machine affects all of them alike.
    """
    names = list(contenders)
    seconds = {name: [] for name in names}
    for repeat in range(-warm, repeats):
        if sys.stderr.isatty():
            say(
                f"{title}: " + ("warming up" if repeat < 0 else f"repeat {repeat + 1}/{repeats}"),
                end="",
            )
        turn = repeat % len(names)
        for name in names[turn:] + names[:turn]:
            took = contenders[name]()
            if repeat >= 0:
                seconds[name].append(took)
    say(
        f"{title}: "
        + ", ".join(f"{name} {median(took) * 1e6:.2f} us" for name, took in seconds.items())
    )
    return seconds


def compare(
    part: str, what: str, against: str, ours: list[float], other: list[float], **more
) -> Row:
    """Return the row of two interleaved series: medians, ratio, quartiles of the paired ratios.

    The series are in seconds, or in ``unit``.
    """
    low, _, high = quantiles([a / b for a, b in zip(ours, other, strict=True)], n=4)
    mine, theirs = median(ours), median(other)
    scale = 1e6 if more.get("unit", "us") == "us" else 1
    return Row(
        part,
        what,
        against,
        ours=mine * scale,
        other=theirs * scale,
        ratio=mine / theirs,
        spread=(low, high),
        **more,
    )
