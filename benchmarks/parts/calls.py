"""33 everyday calls in jaxeager, Paddle and PyTorch, each in its own process.

The yardstick of all three is one raw jitted call of two operands, timed along with each call in
jaxeager's process.
"""

import os
import tempfile
from contextlib import contextmanager
from statistics import median

from . import peers
from .timing import Row, compare, say

PART = "everyday calls"
TARGETS = {"median": 1.6, "worst": 4}
CALLS = 150  # about 2 ms, see forward.py
LIBRARIES = ["jaxeager", "paddle", "torch"]
CACHE = "JAXEAGER_COMPILATION_CACHE"


def measure(repeats: int) -> list[Row]:
    """Return a row per call, and the median and the worst of them with their targets."""
    from_nothing, from_disk = _first_calls()
    running, missing = peers.start(LIBRARIES)
    try:
        took = {name: [] for name in running}
        raw = []
        for repeat in range(-1, 3 * repeats):  # the first round is for warming up
            for name, peer in running.items():
                answer = peer.ask("run_calls", calls=CALLS)
                if repeat >= 0:
                    took[name].append(answer["seconds"])
                    raw += [answer["raw"]] if answer["raw"] else []
    finally:
        for peer in running.values():
            peer.close()
    rows = []
    for call in took["jaxeager"][0]:
        yardstick = [each[call] for each in raw]
        ours, *others = ([each[call] for each in series] for series in took.values())
        notes = _beside(list(running)[1:], others, yardstick)
        notes += [f"first call {_ms(from_nothing[call])}, {_ms(from_disk[call])} with its program"]
        notes[-1] += " on disk"
        rows.append(compare(PART, call, "raw jax.jit call", ours, yardstick, note="; ".join(notes)))
    absent = [Row(PART, "the same calls", peers.TITLES[n], note=why) for n, why in missing.items()]
    return [*_summary(rows), *rows, *absent]


def _beside(names, series, yardstick) -> list[str]:
    """Return a note with the number of raw calls that the others take."""
    raw = median(yardstick)
    return [
        f"{peers.TITLES[name]}: {median(took) / raw:.2f}"
        for name, took in zip(names, series, strict=True)
    ]


def _summary(rows: list[Row]) -> list[Row]:
    ordered = sorted(rows, key=lambda row: row.ratio)
    middle, last = ordered[len(ordered) // 2], ordered[-1]
    summary = []
    for what, row in (("median", middle), ("worst", last)):
        summary.append(
            Row(
                PART,
                f"{what} of the {len(rows)} everyday calls",
                row.against,
                row.ours,
                row.other,
                row.ratio,
                row.spread,
                TARGETS[what],
                row.what,
            )
        )
    say(f"{PART}: " + ", ".join(f"{row.what} {row.ratio:.2f}" for row in rows))
    return summary


def _first_calls() -> list[dict[str, float]]:
    """Return the seconds of each first call: in a new process, and in one after it.

    Programs that the first process compiled are in the disk cache for the second.
    """
    with tempfile.TemporaryDirectory() as folder, environment(CACHE, folder):
        return [peers.seconds_of("jaxeager", "first_calls") for _ in range(2)]


@contextmanager
def environment(name: str, value: str):
    """Set an environment variable for the processes that start meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"
