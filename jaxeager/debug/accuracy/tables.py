"""stable.csv and its summaries: how much the libraries differ, call by call.

The columns and the names of comparisons are those of PaddleAPITest: ``E1P2`` compares the first run
here (E) with the second run of Paddle (P), and ``E1P2B`` compares their gradients. T is PyTorch, G
means JAX's own gradients of the kernels. A difference is 0.0 if all bits agree, including NaN in
the same place.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from jaxeager.debug.accuracy.replay import Call

HEADS = ("API", "config", "dtype", "comp", "max_abs_diff", "max_rel_diff")
LETTERS = {"jaxeager": "E", "paddle": "P", "torch": "T", "grad": "G"}
TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "float16": 1e-2, "bfloat16": 5e-2}
_TOLERANCE = 1e-4  # for float32 and complex64


class Row(NamedTuple):
    """One comparison of one output or gradient.

    Attributes:
        api, config, dtype: the call, and the dtype of its first tensor.
        comp: which runs are compared, see above.
        abs_diff, rel_diff: the largest absolute difference, and the largest relative one.
        note: a difference found before values are compared: count, shape, dtype, or one missing.
    """

    api: str
    config: str
    dtype: str
    comp: str
    abs_diff: float
    rel_diff: float
    note: str = ""

    def agrees(self) -> bool:
        """Return whether the difference is due to rounding."""
        bound = TOLERANCES.get(self.dtype, _TOLERANCE)
        return not self.note and (self.abs_diff <= bound or self.rel_diff <= bound)


def compare(call: Call, comp: str, one: list, other: list) -> list[Row]:
    """Return a Row for each pair of outputs, or gradients."""
    if len(one) != len(other):
        return [_row(call, comp, np.inf, np.inf, f"{len(one)} and {len(other)} results")]
    return [_compared(call, comp, a, b) for a, b in zip(one, other, strict=True)]


def _row(call: Call, comp: str, apart: float, ratio: float, note: str = "") -> Row:
    return Row(call.api, call.line, call.dtype(), comp, float(apart), float(ratio), note)


def _compared(call: Call, comp: str, a: np.ndarray | None, b: np.ndarray | None) -> Row:
    if a is None or b is None:  # a missing gradient equals zeros
        a, b = [np.zeros_like(y) if x is None else x for x, y in ((a, b), (b, a))]
        if a is None:
            return _row(call, comp, 0.0, 0.0)
    if a.shape != b.shape:
        return _row(call, comp, np.inf, np.inf, f"shapes {list(a.shape)} and {list(b.shape)}")
    if a.dtype != b.dtype:
        return _row(call, comp, np.inf, np.inf, f"dtypes {a.dtype} and {b.dtype}")
    apart = difference(a, b)
    return _row(call, comp, *apart)


def difference(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Return the largest absolute difference of two arrays, and the largest relative to the second.

    Equal infinities, and NaN in the same place, count as equal; one that only one array has is an
    infinite difference.

    Example:
        >>> import numpy as np
        >>> difference(np.array([1.0, np.nan]), np.array([2.0, np.nan]))
        (1.0, 0.5)
    """
    if not a.size:
        return 0.0, 0.0
    wide = "complex128" if a.dtype.kind == "c" else "float64"
    with np.errstate(all="ignore"):
        x, y = a.astype(wide), b.astype(wide)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        apart = np.where(same, 0.0, np.abs(x - y))
        apart = np.where(np.isnan(apart), np.inf, apart)
        ratio = np.where(same, 0.0, apart / np.abs(y))
        ratio = np.where(np.isnan(ratio), np.inf, ratio)
    return float(apart.max()), float(ratio.max())


def rows_of(call: Call, answers: dict[str, list]) -> list[Row]:
    """Return all comparisons of a call.

    Args:
        call: the parsed line.
        answers: for each side its two answers, each (values, gradients).
    """
    rows: list[Row] = []
    ours = answers["jaxeager"]
    for side, theirs in answers.items():
        letter = LETTERS[side]
        runs = [(f"{letter}1{letter}2", theirs[0], theirs[1])]
        if side != "jaxeager":
            pairs = ((0, 0), (1, 1), (0, 1), (1, 0))
            runs += [(f"E{i + 1}{letter}{j + 1}", ours[i], theirs[j]) for i, j in pairs]
        for comp, one, other in runs:
            rows += compare(call, comp, one[0], other[0])
            if side in ("torch", "grad"):
                one, other = _of_ours(one, other)
            rows += compare(call, f"{comp}B", one[1], other[1])
    return rows


def _of_ours(one: tuple, other: tuple) -> tuple[tuple, tuple]:
    """Drop gradients that are not recorded here; Paddle decides which ones exist.

    Labels, running statistics and bounds have none; PyTorch and JAX differentiate by them too.
    """
    if not one[1] or not other[1] or len(one[1]) != len(other[1]):
        return (one[0], []), (other[0], [])
    kept = [(a, b) for a, b in zip(one[1], other[1], strict=True) if a is not None]
    return (one[0], [a for a, _ in kept]), (other[0], [b for _, b in kept])


# ---- files


def append(path: Path, rows: list[Row]) -> None:
    """Add rows to stable.csv, with column names if it is new."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(HEADS)
        writer.writerows([row[:6] for row in rows])


def read(path: Path) -> list[Row]:
    """Return the rows of a stable.csv."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Row(row[0], row[1], row[2], row[3], float(row[4]), float(row[5]))
            for row in list(csv.reader(file))[1:]
            if row
        ]


def summarize(folder: Path) -> None:
    """Sort stable.csv, and write stable_full.csv and stable_stat.csv from it."""
    rows = sorted(read(folder / "stable.csv"), key=lambda r: (r.api, r.dtype, r.config, r.comp))
    (folder / "stable.csv").unlink()
    append(folder / "stable.csv", rows)
    full: dict[tuple, list[Row]] = defaultdict(list)
    for row in rows:
        full[row.api, row.dtype, row.config, row.comp].append(row)
    means = {
        key: (_mean(found, "abs_diff"), _mean(found, "rel_diff")) for key, found in full.items()
    }
    heads = ("API", "dtype", "config", "comp", "abs_diff", "rel_diff")
    _write(folder / "stable_full.csv", heads, [(*key, *values) for key, values in means.items()])
    stats: dict[tuple, list[tuple[float, float]]] = defaultdict(list)
    for (api, dtype, _, comp), values in means.items():
        stats[api, dtype, comp].append(values)
    lines = []
    for key, values in stats.items():
        columns = [np.array(column) for column in zip(*values, strict=True)]
        numbers = [f"{each:.6e}" for c in columns for each in (c.min(), c.max(), c.mean())]
        lines.append((*key, *numbers, len(values)))
    heads = (
        "API", "dtype", "comp", "abs_min", "abs_max", "abs_mean", "rel_min", "rel_max", "rel_mean",
        "count",
    )  # fmt: skip
    _write(folder / "stable_stat.csv", heads, lines)


def _mean(rows: list[Row], what: str) -> float:
    return float(np.mean([getattr(row, what) for row in rows]))


def _write(path: Path, heads: tuple, rows: list[tuple]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(rows)


def plot(folder: Path) -> Path | None:
    """Draw stable.png: for each comparison, the distribution of the calls' largest differences.

    Returns:
        the file; None when matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    spread: dict[str, list[float]] = defaultdict(list)
    for row in read(folder / "stable.csv"):
        if row.comp[0] == "E" and row.comp[1] == "1" and row.comp[3] in "12":
            if row.comp[1:4:2] != "11" and row.comp[2] != "E":
                continue
            spread[row.comp].append(min(max(row.rel_diff, 1e-18), 1e3))
    figure = Figure(figsize=(9, 0.6 * len(spread) + 1.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    names = sorted(spread, reverse=True)
    for place, name in enumerate(names):
        values = np.sort(spread[name])
        jitter = np.linspace(-0.3, 0.3, len(values)) if len(values) > 1 else np.zeros(1)
        axes.scatter(values, place + jitter, s=7, alpha=0.6)
        exact = np.mean(values <= 1e-18)
        axes.text(1.5e-18, place + 0.33, f"{exact:.0%} of {len(values)} are equal", fontsize=7)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("greatest relative difference of a result (left edge: none)")
    axes.set_title(
        "Calls replayed here (E), by Paddle (P), PyTorch (T) and jax.vjp (G); B: gradients"
    )
    figure.savefig(folder / "stable.png", dpi=110)
    return folder / "stable.png"
