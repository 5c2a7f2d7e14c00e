"""The cost of an op and its node as graphs and tensors grow: lines that should be flat.

Three series, each of jaxeager, Paddle and PyTorch in separate processes: a chain of 10 to 1,000,000
multiplications, forward and backward; four multiplications of tensors of one element to 64 MiB; a
tensor that 1 to 10,000 multiplications use, whose gradients add up. The first and the last are in
processor time, which other work on the machine affects least; the second is in wall time, because
its kernels use several threads. A chain is also measured with Python's cycle collector disabled:
the difference is the cost of walking over a graph repeatedly.

A library may end before the last size (Paddle 3.3.1 crashes on a chain of some length between
10,000 and 100,000). Then the following rows state it.
"""

import gc
import os
import time
from pathlib import Path

import numpy as np

from . import peers
from .timing import Row, say

PART = "scale"
AT_REST = "itself, the collector at rest"
LIBRARIES = ("jaxeager", "paddle", "torch")
NODES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
ELEMENTS = tuple(8**power for power in range(9))  # of float32: up to 64 MiB
FANS = (1, 10, 100, 1_000, 10_000)
SERIES = {
    "nodes": (NODES, "a node of a chain of {:,}", "nodes of a chain", "processor time"),
    "elements": (ELEMENTS, "a node on {:,} float32", "elements of each tensor", "wall time"),
    "fan": (FANS, "one of {:,} uses of a tensor", "uses of one tensor", "processor time"),
}
CHAIN_BYTES = 6 << 30  # of free memory, for the longest chain


def measure(most: int = NODES[-1]) -> list[Row]:
    """Return a row for each size and library, up to ``most`` nodes."""
    rows = []
    for kind, (sizes, *_) in SERIES.items():
        sizes = [size for size in sizes if size <= most or kind == "elements"]
        if kind == "nodes" and _free_bytes() < CHAIN_BYTES:
            sizes = [size for size in sizes if size <= 100_000]
        answers, ended = {}, {}
        for library in LIBRARIES:
            answers[library], ended[library] = _series(library, kind, sizes)
        took = {
            library: {size: answer["seconds"] for size, answer in by_size.items()}
            for library, by_size in answers.items()
        }
        if kind == "nodes":
            ours = answers["jaxeager"].items()
            took["at rest"] = {size: answer["at_rest"] for size, answer in ours}
        rows += _rows_of(kind, sizes, took, ended)
        say(f"scale, {kind}: {_as_text(took)}")
    return [*_growth(rows), *rows]


def _series(library: str, kind: str, sizes) -> tuple[dict[int, dict], str]:
    """Return the answers of a library's process by size, and the reason if it ended early."""
    took = {}
    try:
        peer = peers.Peer(library)
    except peers.PeerMissing as reason:
        return took, str(reason)
    try:
        for size in sizes:
            arguments = {"where": f"scale.seconds_of_{kind}", kind: size}
            took[size] = peer.ask("within", **arguments)
    except RuntimeError as error:
        return took, f"at {size:,} {str(error).splitlines()[0].partition(' during')[0]}"
    finally:
        peer.close()
    return took, ""


def _rows_of(kind: str, sizes, took: dict, ended: dict) -> list[Row]:
    titles = {"at rest": AT_REST, "paddle": "Paddle", "torch": "PyTorch"}
    rows = []
    for size in sizes:
        what, ours = SERIES[kind][1].format(size), took["jaxeager"][size]
        for library in [library for library in took if library != "jaxeager"]:
            other = took[library].get(size)
            if other is None:
                rows.append(Row(PART, what, titles[library], ours * 1e6, note=ended[library]))
            else:
                times = ours * 1e6, other * 1e6, ours / other
                rows.append(Row(PART, what, titles[library], *times, at=size))
    return rows


def _growth(rows: list[Row]) -> list[Row]:
    """Return the row of the longest chain against one of 100."""
    of_nodes = {row.at: row for row in rows if row.what.startswith("a node of a chain") and row.at}
    last = of_nodes[max(of_nodes)]
    if 100 not in of_nodes:
        return []
    first = of_nodes[100]
    return [Row(PART, last.what, first.what, last.ours, first.ours, last.ours / first.ours)]


def _as_text(took: dict) -> str:
    return "; ".join(
        f"{name} " + ", ".join(f"{us * 1e6:.1f}" for us in by_size.values()) + " us"
        for name, by_size in took.items()
    )


def _free_bytes() -> int:
    """Return the bytes of free memory; a sufficient number if the system does not report it."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return CHAIN_BYTES


# ---- in the process of a library


def seconds_of_nodes(library, nodes: int) -> dict:
    """Return the processor seconds per node of a chain, forward and backward.

    For jaxeager also the seconds while the collector is disabled.
    """
    x, factor, multiply = _operands(library, 4)

    def run():
        y = x
        for _ in range(nodes):
            y = multiply(y, factor)
        y.sum().backward()

    times = min(20, 20_000 // nodes)
    seconds = {"seconds": _least(run, times, time.process_time) / nodes}
    if library.__name__ == "jaxeager":
        gc.disable()
        try:
            seconds["at_rest"] = _least(run, times, time.process_time) / nodes
        finally:
            gc.enable()
    return seconds


def seconds_of_elements(library, elements: int) -> dict:
    """Return the wall seconds per node on tensors of a number of elements."""
    x, factor, multiply = _operands(library, elements)

    def run():
        y = x
        for _ in range(4):
            y = multiply(y, factor)
        y.sum().backward()

    return {"seconds": _least(run, 20 if elements <= 1 << 20 else 4, time.perf_counter, x) / 4}


def seconds_of_fan(library, fan: int) -> dict:
    """Return the processor seconds per multiplication when a number of them use one tensor."""
    x, factor, multiply = _operands(library, 1)
    run = lambda: library.autograd.backward([multiply(x, factor) for _ in range(fan)])  # noqa: E731
    return {"seconds": _least(run, max(2, min(20, 2_000 // fan)), time.process_time) / fan}


def _operands(library, elements: int) -> tuple:
    """Return a leaf, a factor, and the function that multiplies them."""
    ones = np.ones(elements, "float32")
    if library.__name__ == "torch":
        return library.tensor(ones, requires_grad=True), library.tensor(ones), library.mul
    leaf = library.to_tensor(ones, stop_gradient=False)
    return leaf, library.to_tensor(ones), library.multiply


def _least(run, times: int, clock, x=None) -> float:
    """Return the fewest seconds of several runs after the first, which compiles.

    With ``times`` 0, for a run that is too long to repeat, the first one counts.
    """
    took = []
    for _ in range(times + 1):
        started = clock()
        run()
        if x is not None:  # until the gradient is computed
            float(x.grad[0])
        took.append(clock() - started)
    return min(took[1:] or took)


# ---- the picture


def draw(rows: list[Row], machine: dict[str, str], path: Path) -> Path | None:
    """Draw a panel for each series with rows; return None without rows or matplotlib."""
    rows = [row for row in rows if row.part == PART and row.at]
    if not rows:
        return None
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        return None
    drawn = []
    for _, what, label, clock in SERIES.values():
        of_series = [row for row in rows if row.what == what.format(int(row.at))]
        drawn += [(of_series, label, clock)] if of_series else []
    wide = 4.3 * len(drawn)
    figure, panels = plt.subplots(1, len(drawn), figsize=(wide, 4.6), squeeze=False)
    for axes, (of_series, label, clock) in zip(panels[0], drawn, strict=True):
        _draw_series(axes, of_series)
        axes.set(xscale="log", yscale="log", xlabel=label, ylabel=f"us, {clock}")
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8, frameon=False)
    figure.suptitle(
        f"Forward and backward of a multiplication ({machine['CPU']}, {machine['date']})",
        fontsize=10,
    )
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def _draw_series(axes, rows: list[Row]) -> None:
    ours = {row.at: row.ours for row in rows}
    axes.plot(list(ours), list(ours.values()), "o-", color="#2a7f62", label="jaxeager")
    styles = {AT_REST: ("#2a7f62", ":"), "Paddle": ("#b3432b", "-"), "PyTorch": ("#4a5a8f", "-")}
    for against, (colour, line) in styles.items():
        points = [(row.at, row.other) for row in rows if row.against == against]
        if points:
            label = "jaxeager, the collector at rest" if against == AT_REST else against
            axes.plot(*zip(*points, strict=True), "o", ls=line, color=colour, label=label, ms=4)
    drawn = [value for row in rows for value in (row.ours, row.other)]
    axes.set_ylim(min(1, *drawn), 2 * max(100, *drawn))
