"""One JSON line for every full run, and the main ratios over the runs of one machine.

A line has the time, commit, versions and machine of a run, and each row's ratio by its name.
``benchmarks/results/history.jsonl`` is meant to be committed: lines are only added.
"""

import json
import os
import subprocess
from pathlib import Path

from .timing import Row

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "benchmarks" / "results" / "history.jsonl"
_GPT = "GPT, 4 layers of 128, 8 texts of 32"
MAIN = {
    "recorded multiply / raw call": "multiply 4x4 float32, recorded",
    "median of everyday calls / raw call": "median of the 33 everyday calls",
    "chain of 50 / the same raw calls": "50 multiplications, forward and backward / the same raw",
    "LeNet step / PyTorch": "LeNet training step, batch 64, 28x28, Adam / PyTorch",
    "GPT step / Paddle": f"step of {_GPT} / Paddle",
    "ResNet-18 step / Paddle": "step of ResNet-18, 8 images of 3x64x64 / Paddle",
    "chain of 50, lazy / Paddle": "50 multiplications, forward and backward (lazy) / Paddle",
    "GPT step, lazy / one jit step": f"step of {_GPT}, lazy / one jax.jit step",
    "first GPT step, from disk / Paddle": f"first step of {_GPT}, all on disk / Paddle",
    "new length, from disk / Paddle": "GPT, a length not met before, all on disk, wall time /",
    "ResNet-18 memory / PyTorch": "peak of training ResNet-18, 32 images of 3x64x64 / PyTorch",
    "import / import jax": "import jaxeager, a fresh process / import jax",
}
"""The beginnings of the names of the rows that are drawn, by their label."""


def line_of(rows: list[Row], machine: dict[str, str]) -> dict:
    """Return the recorded data of a run."""
    return {
        "date": machine["date"],
        "commit": _commit(),
        "versions": machine["versions"],
        "machine": f"{machine['CPU']}; {machine['backend']}",
        "ratios": {
            f"{row.what} / {row.against}": round(row.ratio, 4)
            for row in rows
            if row.ratio is not None
        },
    }


def append(rows: list[Row], machine: dict[str, str], file: Path = FILE) -> list[Path]:
    """Add a run's line and draw the machine's history; return the written paths."""
    line = line_of(rows, machine)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        lines.write(json.dumps(line) + "\n")
    kept = [json.loads(each) for each in file.read_text().splitlines()]
    picture = draw([each for each in kept if each["machine"] == line["machine"]], file)
    return [file, picture] if picture else [file]


def _commit() -> str:
    """Return the measured commit, followed by "+" when files differ; "" without git."""
    try:
        run = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    except OSError:
        return ""
    return run.stdout.strip()


def series(lines: list[dict]) -> dict[str, list[tuple[int, float]]]:
    """Return the points of each main ratio: the run's number and the ratio."""
    found = {label: [] for label in MAIN}
    for number, line in enumerate(lines):
        for label, beginning in MAIN.items():
            ratios = [r for name, r in line["ratios"].items() if name.startswith(beginning)]
            found[label] += [(number, ratio) for ratio in ratios[:1]]
    return found


def draw(lines: list[dict], file: Path) -> Path | None:
    """Draw the main ratios over the runs of one machine; None for one run, or no matplotlib."""
    if len(lines) < 2:
        return None
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        return None
    figure, axes = plt.subplots(figsize=(10.5, 5.5), layout="constrained")
    colours = plt.get_cmap("tab20").colors
    for colour, (label, points) in zip(colours, series(lines).items(), strict=False):
        if points:
            label = f"{label}: {points[-1][1]:.2f}"
            axes.plot(*zip(*points, strict=True), "o-", ms=4, color=colour, label=label)
    names = [f"{line['date'].split()[0]}\n{line['commit'] or '-'}" for line in lines]
    axes.set_xticks(range(len(lines)), names, fontsize=7, rotation=45 if len(lines) > 8 else 0)
    axes.set_yscale("log")
    ticks = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.axhline(1, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlim(-0.5, max(len(lines) - 0.5, 0.5))
    axes.set_ylabel("ratio (log scale; below 1 is faster, or less)")
    axes.set_title(f"Main ratios by run\n{lines[-1]['machine']}", fontsize=10)
    axes.grid(alpha=0.25)
    figure.legend(fontsize=8, loc="outside right upper", frameon=False)
    picture = file.with_name(f"{file.stem}-{_slug(lines[-1]['machine'])}.png")
    figure.savefig(picture, dpi=110)
    plt.close(figure)
    return picture


def _slug(machine: str) -> str:
    """Return a machine's name as part of a file name."""
    words = "".join(c if c.isalnum() else " " for c in machine.split(" usable")[0].lower()).split()
    return "-".join(words)
