"""The results of a replay once more, in the files and under the codes of PaddleAPITest.

Note [Codes of the guide]
    Paddle's debug guide reads the reports of PaddleAPITest, in which P is the library under test
    and T is PyTorch: ``T1P2B`` compares the gradients of PyTorch's first and of the library's
    second run. Here the library under test is this one, E in the other files. These files leave out
    comparisons with other references, but a call counts as different in whichever it differs.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from jaxeager.debug.accuracy import tables

FOLDER = "test_log"
FILES = {
    "pass": "pass",
    "disagreement": "accuracy_diff",
    "error": "paddle_error",
    "reference error": "torch_error",
    "unusable": "skip",
    "random": "skip",
    "timeout": "timeout",
    "crash": "crash",
}
"""Outcome: the file ``api_config_<this>.txt`` that lists the calls with that outcome."""


def write(folder: Path, outcomes: dict[str, str]) -> None:
    """Write the files below a folder, from its stable.csv.

    Args:
        folder: the folder of the replay.
        outcomes: the outcome of each line.
    """
    target = folder / FOLDER
    target.mkdir(exist_ok=True)
    listed: dict[str, list[str]] = defaultdict(list)
    for line, outcome in outcomes.items():
        listed[f"api_config_{FILES[outcome]}.txt"].append(line)
    listed["checkpoint.txt"] = list(outcomes)
    for old in target.glob("api_config_*.txt"):
        old.unlink()
    for name, lines in listed.items():
        text = "".join(f"{line}\n" for line in sorted(lines))
        (target / name).write_text(text, encoding="utf-8")
    rows = _rows(folder / "stable.csv")
    (target / "log_inorder.log").write_text("".join(map(_text, rows)), encoding="utf-8")
    (target / "stable.csv").unlink(missing_ok=True)
    if rows:
        tables.append(target / "stable.csv", rows)
        tables.summarize(target)
        _count_apis(target / "stable_stat_api.csv", rows)


def code_of(comp: str) -> str:
    """Return the guide's code of a comparison; "" for one that it has none for.

    Example:
        >>> code_of("E1T2B"), code_of("E1E2"), code_of("E1G1")
        ('T2P1B', 'P1P2', '')
    """
    one, other, rest = comp[:2], comp[2:4], comp[4:]
    if one[0] == "E" and other[0] == "T":
        return f"{other}P{one[1]}{rest}"
    if one[0] == other[0] and one[0] in "ET":
        return comp.replace("E", "P")
    return ""


def _rows(path: Path) -> list[tables.Row]:
    """Return the rows that the guide has, under its codes."""
    if not path.exists():
        return []
    rows = [(code_of(row.comp), row) for row in tables.read(path)]
    return [row._replace(comp=code) for code, row in rows if code]


def _text(row: tables.Row) -> str:
    """Return what the log says about a comparison, in the words of PyTorch's assertion."""
    said = "Identical"
    if row.abs_diff or row.rel_diff:
        said = (
            f"Tensor-likes are not equal!\n\nGreatest absolute difference: {row.abs_diff}\n"
            f"Greatest relative difference: {row.rel_diff}"
        )
    return f"[{row.comp}] {row.config}\n{said}\n"


def _count_apis(path: Path, rows: list[tables.Row]) -> None:
    """Write stable_stat_api.csv: of each API its comparisons, by kind, then by dtype and kind."""
    by_api: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in rows:
        by_api[row.api][row.dtype, row.comp] += 1
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("API", "dtype", "comp", "count", "percentage"))
        for api, counts in sorted(by_api.items()):
            total = counts.total()
            for dtype, comp, count in _summed(counts):
                writer.writerow((api, dtype, comp, count, round(100 * count / total, 2)))


def _summed(counts: Counter[tuple[str, str]]) -> Iterator[tuple[str, str, int]]:
    """Yield the sum of counts, the sum for each comparison, and each count, with its keys."""
    comps = sorted({comp for _, comp in counts})
    yield _dtypes(counts), f"comps:{'/'.join(comps)}", counts.total()
    for comp in comps:
        some = Counter({key: count for key, count in counts.items() if key[1] == comp})
        yield _dtypes(some), comp, some.total()
    for (dtype, comp), count in sorted(counts.items()):
        yield dtype, comp, count


def _dtypes(counts: Counter[tuple[str, str]]) -> str:
    return f"dtypes:{'/'.join(sorted({dtype for dtype, _ in counts}))}"
