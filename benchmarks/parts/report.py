"""The table as text, Markdown and JSON, and its picture."""

import json
import os
from pathlib import Path

from . import scale
from .timing import Row

HEAD = ("what", "jaxeager", "against", "that", "ratio", "target", "")


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "us" and value >= 1000:
        return f"{value / 1000:.2f} ms"
    return f"{value:.2f} {unit}" if unit == "us" else f"{value:.0f} {unit}"


def _cells(row: Row) -> tuple[str, ...]:
    counted = row.ours is None and row.ratio is not None
    if counted:
        ratio = f"{row.ratio:.0f}"
    elif row.ratio is None:
        ratio = "-"
    else:
        ratio = f"{row.ratio:.2f}" if row.ratio >= 0.1 else f"{row.ratio:.3f}"
    if row.spread:
        low, high = row.spread
        ratio += (
            f" ({low:.2f} to {high:.2f})" if row.ratio >= 0.1 else f" ({low:.3f} to {high:.3f})"
        )
    target = "" if row.target is None else f"<= {row.target:g}"
    met = {True: "met", False: "MISSED", None: ""}[row.met]
    said = "; ".join(filter(None, (met, row.note)))
    figures = _figure(row.ours, row.unit), row.against, _figure(row.other, row.unit)
    return (row.what, *figures, ratio, target, said)


def as_text(rows: list[Row]) -> str:
    """Return the table with aligned columns."""
    table = [HEAD, *map(_cells, rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def as_markdown(rows: list[Row], machine: dict[str, str], pictures: dict[str, str]) -> str:
    """Return the table with the machine above it and pictures, file names by title, below it."""
    lines = ["# Speed ratios", ""]
    lines += [
        "Made by `benchmarks/run.py`. Medians over interleaved repeats of one run; the ratio is",
        "jaxeager's time (or memory) over the other's, in brackets the quartiles of the paired",
        "ratios. Below 1 is faster, or less.",
        "",
    ]
    lines += [f"- {name}: {value}" for name, value in machine.items()] + [""]
    lines += ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    lines += [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in _cells(row)) + " |" for row in rows
    ]
    for title, picture in pictures.items():
        lines += ["", f"![{title}]({picture})"]
    return "\n".join(lines) + "\n"


def write(rows: list[Row], machine: dict[str, str], out: Path) -> list[Path]:
    """Write NAME.md, NAME.json and, with matplotlib, the pictures; return the written paths."""
    out.parent.mkdir(parents=True, exist_ok=True)
    sizes = out.with_name(f"{out.stem}-scale.png")
    drawn = {
        "Each ratio and its target": draw(rows, machine, out.with_suffix(".png")),
        "What a node costs by size": scale.draw(rows, machine, sizes),
    }
    pictures = {title: picture for title, picture in drawn.items() if picture}
    names = {title: picture.name for title, picture in pictures.items()}
    out.with_suffix(".md").write_text(as_markdown(rows, machine, names))
    record = {"machine": machine, "rows": [row.as_dict() for row in rows]}
    out.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
    written = [out.with_suffix(".md"), out.with_suffix(".json")]
    return [*written, *pictures.values()]


def draw(rows: list[Row], machine: dict[str, str], path: Path) -> Path | None:
    """Draw each ratio as a bar with its target as a mark; None without rows or matplotlib."""
    shown = [row for row in rows if row.ratio is not None and row.ours is not None][::-1]
    shown = [row for row in shown if row.at is None]  # a series has its own picture
    if not shown:
        return None
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        return None
    colours = {True: "#2a7f62", False: "#b3432b", None: "#8a8f98"}
    figure, axes = plt.subplots(figsize=(10.5, 0.42 * len(shown) + 1.8), layout="constrained")
    heights = range(len(shown))
    axes.barh(
        heights,
        [row.ratio for row in shown],
        color=[colours[row.met] for row in shown],
        height=0.62,
    )
    ratios = [row.ratio for row in shown]
    left, right = min(0.05, *ratios) * 0.6, max(2.0, *ratios) * 1.3
    for height, row in zip(heights, shown, strict=True):
        axes.text(left * 1.06, height, f"{row.ratio:.2f}", va="center", fontsize=9, color="white")
        if row.target is not None:
            axes.plot([row.target] * 2, [height - 0.42, height + 0.42], color="black", linewidth=2)
    axes.set_yticks(heights, [f"{row.what}\nagainst {row.against}" for row in shown], fontsize=8)
    axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(-0.8, len(shown) - 0.2)
    ticks = [
        tick for tick in (0.02, 0.05, 0.125, 0.25, 0.5, 1, 2, 4, 10, 100) if left < tick < right
    ]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("jaxeager's time, or memory, over the other's (log scale; left of 1 is less)")
    axes.set_title(
        f"Ratios and their targets (black marks)\n{machine['CPU']}, {machine['backend']}",
        fontsize=10,
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in colours.values()]
    names = ["target met", "target missed", "no target"]
    figure.legend(handles, names, fontsize=8, loc="outside lower left", ncols=3, frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
