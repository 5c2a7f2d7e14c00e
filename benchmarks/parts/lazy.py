"""Training steps in lazy mode against eager ones, Paddle's and one jitted step in plain JAX.

Then steps marked with ``to_static``: the default, where Python runs on every call, against the same
step as a whole graph. The other functions measure what a step does not show: everyday calls, the
first step and new lengths, and memory.
"""

import tempfile
from contextlib import contextmanager
from statistics import median

from . import lengths, memory, peers
from .calls import CACHE, environment
from .models import TITLES, TITLES_WITH_LENET
from .timing import Row, compare, interleave, say

PART = "lazy mode"
TARGETS = {"eager": 1, "paddle": 0.6, "jax": 1.3}
OF_SMALL = {"jax": 3}  # an MLP's step is mostly Python time
MARKED = {"gpt": 1.1, "resnet18": 1.1, "lenet": 1.1, "mlp": 2}


def measure(repeats: int, names: tuple[str, ...] = tuple(TITLES_WITH_LENET)) -> list[Row]:
    """Return a row for each model and each step it is compared with."""
    running, missing = peers.start(["jaxeager", "paddle", "jax"])
    rows = []
    try:
        for name in names:
            rows += _steps_of(name, running, repeats)
        if "mlp" in names:
            rows += _steps_of("mlp", running, repeats, reads=True)
        rows += [_marked_of(name, running["jaxeager"], repeats) for name in MARKED if name in names]
    finally:
        for peer in running.values():
            peer.close()
    return rows + [Row(PART, "the same", peers.TITLES[n], note=why) for n, why in missing.items()]


def _steps_of(name: str, running: dict, repeats: int, reads: bool = False) -> list[Row]:
    """Return the rows of one model; with ``reads``, of a loop that reads each loss."""
    ours = running["jaxeager"]
    title = f"{TITLES_WITH_LENET[name]}{', each loss read' if reads else ''}"

    def ask(library: str) -> float | None:
        if library == "lazy":
            return ours.ask("run_model", name=name, mode="lazy", reads=reads)["seconds"]
        peer = ours if library == "eager" else running[library]
        return peer.ask("run_model", name=name, reads=reads)["seconds"]

    others = ["eager", *[library for library in running if library != "jaxeager"]]
    able = [library for library in ["lazy", *others] if ask(library) is not None]
    contenders = {library: lambda library=library: ask(library) for library in able}
    took = interleave(f"{title}, lazy", contenders, repeats)
    targets = TARGETS | (OF_SMALL if name == "mlp" else {})
    return [
        compare(
            PART,
            f"step of {title}, lazy",
            "the same, eager" if library == "eager" else running[library].title,
            took["lazy"],
            took[library],
            target=targets[library],
        )
        for library in able
        if library != "lazy"
    ]


def _marked_of(name: str, peer, repeats: int) -> Row:
    """Return the row of a marked step."""
    contenders = {
        what: lambda whole=whole: peer.ask("run_static", name=name, full_graph=whole)["seconds"]
        for what, whole in (("marked", False), ("whole graph", True))
    }
    took = interleave(f"{TITLES_WITH_LENET[name]}, to_static", contenders, repeats)
    what, against = f"step of {TITLES_WITH_LENET[name]}, to_static", "the same, full_graph=True"
    return compare(PART, what, against, took["marked"], took["whole graph"], target=MARKED[name])


# ---- beyond the step

MODE = "FLAGS_lazy"  # of the environment: processes that start with it record their calls
_PROCESSES = 3  # of each mode, in turn, for what only a new process shows


def measure_starts() -> list[Row]:
    """Return rows of steps with nothing compiled, against jaxeager without the mode."""
    return [*_first_steps(), *_lengths()]


def measure_calls(repeats: int, calls: int = 50) -> list[Row]:
    """Return a row for each call of everyday.py, 50 in succession and one read; and the median."""
    try:
        paddle = peers.Peer("paddle")
    except peers.PeerMissing as reason:
        return [Row(PART, "everyday calls", "Paddle", note=str(reason))]
    with environment(MODE, "1"):
        ours = peers.Peer("jaxeager")
    took: dict[str, list] = {"lazy": [], "paddle": []}
    try:
        for peer in (ours, paddle):
            for _ in range(6):
                peer.ask("run_calls", calls=calls)
        for _ in range(repeats):
            took["lazy"].append(ours.ask("run_calls", calls=calls)["seconds"])
            took["paddle"].append(paddle.ask("run_calls", calls=calls)["seconds"])
    finally:
        ours.close()
        paddle.close()
    series = {
        name: {who: [run[name] for run in runs] for who, runs in took.items()}
        for name in took["lazy"][0]
    }
    rows = [
        compare(PART, f"{calls} times {name}, lazy", paddle.title, both["lazy"], both["paddle"])
        for name, both in series.items()
    ]
    middle = median(row.ratio for row in rows)
    what = f"{calls} times each of {len(rows)} everyday calls, lazy, the median"
    times = (median(getattr(row, side) for row in rows) for side in ("ours", "other"))
    return [*rows, Row(PART, what, paddle.title, *times, middle, target=0.8)]


def _first_steps() -> list[Row]:
    """Return a row for each model: the first step with nothing compiled."""
    rows = []
    for name, title in TITLES.items():
        took = {"1": [], "0": []}
        for _ in range(_PROCESSES):
            for value, seconds in took.items():
                with _nothing_compiled(value):
                    answer = peers.seconds_of("jaxeager", "first_step", name=name, clock="wall")
                seconds.append(answer)
        what = f"first step of {title}, nothing compiled, lazy"
        rows.append(compare(PART, what, "the same, eager", took["1"], took["0"], target=0.7))
        say(f"{what}: {rows[-1].ratio:.2f}")
    return rows


def _lengths() -> list[Row]:
    """Return a row for a GPT with a new length of text at every step."""
    took = {"1": [], "0": []}
    for _ in range(_PROCESSES):
        for value, seconds in took.items():
            with _nothing_compiled(value):
                answer = lengths.once("jaxeager", lengths=lengths.NEW)
            seconds.append(median(answer["wall"]))
    what = "GPT, a length not met before, nothing compiled, lazy"
    return [compare(PART, what, "the same, eager", took["1"], took["0"], target=0.7)]


def measure_memory() -> list[Row]:
    """Return a row for the peak memory of each model of memory.py."""
    rows = []
    for name, (title, size) in memory.MODELS.items():
        peaks = {}
        for value in ("1", "0"):
            with environment(MODE, value):
                for _ in range(2):  # the first one compiles, and frees its memory late
                    peaks[value] = memory.once("jaxeager", name, size)["peaks"]
        what = f"peak of training {title}, lazy"
        rows.append(
            compare(PART, what, "the same, eager", peaks["1"], peaks["0"], unit="MiB", target=1)
        )
    return rows


@contextmanager
def _nothing_compiled(mode: str):
    """Let the processes of a block start with an empty cache, and MODE set."""
    with (
        tempfile.TemporaryDirectory() as folder,
        environment(CACHE, folder),
        environment(MODE, mode),
    ):
        yield
