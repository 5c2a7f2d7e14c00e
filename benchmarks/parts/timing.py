"""Interleaved repeats and their medians: the only clock the benchmarks use."""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from statistics import median, quantiles


@dataclass
class Row:
    """One line of the table: two figures and their ratio, which may be at most ``target``.

    Attributes:
        ours, other: what jaxeager and the other take, in ``unit``: "us" or "MiB".
        at: where on the axis of sizes it is drawn, for a row of a series.
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
        """Return the row as JSON can hold it."""
        return asdict(self)


def say(text: str, end: str = "\n") -> None:
    """Write progress to stderr, so that stdout holds the table and nothing else."""
    sys.stderr.write(("\r\x1b[K" if sys.stderr.isatty() else "") + text + end)
    sys.stderr.flush()


def block_of(call: Callable[[], object], calls: int, finish: Callable[[object], None]) -> Callable:
    """Return a function that makes the calls, waits for the last, and gives seconds a call."""

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
    """Return each contender's seconds, one figure a repeat.

    Every repeat runs every contender once, and each repeat starts with another one, so that
    whatever else the machine does falls on all of them alike.
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

    The series are seconds, or what ``unit`` says.
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
