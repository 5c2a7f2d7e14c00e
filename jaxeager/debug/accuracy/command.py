"""``python -m jaxeager accuracy configs.txt``: replay captured calls here and on references."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from jaxeager.debug.accuracy import guide_files, tables
from jaxeager.debug.accuracy.replay import RANDOM, Call, Unusable
from jaxeager.debug.accuracy.sides import SIDES, Side
from jaxeager.errors import InvalidArgumentError, UnavailableError

OUTCOMES = (
    "pass", "disagreement", "error", "reference error", "unusable", "random", "timeout", "crash",
)  # fmt: skip


def add_command(commands, name: str) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        name,
        help="run captured calls with random inputs, here and on references",
        description="Reads the lines that FLAGS_trace_api writes, runs each twice here and twice "
        "on every reference, forward and backward, and writes into a folder how far they are "
        "apart: stable.csv, stable_full.csv, stable_stat.csv, stable.png, results.txt, and "
        "test_log with the files of PaddleAPITest. What is in the folder is not run again.",
        epilog="Exit status: 0 all agree, 1 some do not, 2 it cannot be run.",
    )
    parser.add_argument("configs", nargs="+", help="files of lines")
    parser.add_argument("--out", default="accuracy", help="the folder (default: accuracy)")
    parser.add_argument(
        "--references", default="paddle,grad,torch",
        help="the references, separated by commas (default: %(default)s); one that is not "
        "installed is left out, with a note",
    )  # fmt: skip
    parser.add_argument("--python", default="", help="the interpreter that has the references")
    parser.add_argument("--workers", type=int, default=1, help="how many calls run in parallel")
    parser.add_argument("--timeout", type=float, default=60, help="seconds a call may take")
    parser.add_argument("--seed", type=int, default=0, help="seed of the inputs")
    parser.add_argument("--most", type=int, default=None, help="how many lines at most")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Run the command."""
    try:
        lines = read_lines(chosen.configs)[: chosen.most]
        found = replay_all(
            lines,
            Path(chosen.out),
            references=[each for each in chosen.references.split(",") if each],
            python=chosen.python,
            workers=chosen.workers,
            timeout=chosen.timeout,
            seed=chosen.seed,
        )
    except (OSError, UnavailableError, InvalidArgumentError) as error:
        print(f"accuracy: {error}")
        return 2
    totals = [f"{found[outcome]} {outcome}" for outcome in OUTCOMES if found[outcome]]
    print(f"{len(lines)} calls: {', '.join(totals)}")
    print(f"see {Path(chosen.out) / 'results.txt'}")
    return 1 if found["disagreement"] or found["error"] or found["crash"] else 0


def read_lines(paths: Iterable[str]) -> list[str]:
    """Return the distinct lines of files, in their order."""
    found: dict[str, None] = {}
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                found[line.strip()] = None
    return list(found)


def replay_all(
    lines: list[str],
    folder: Path,
    references: list[str],
    python: str = "",
    workers: int = 1,
    timeout: float = 60,
    seed: int = 0,
) -> Counter:
    """Run lines and write the files; return how many lines had each of ``OUTCOMES``.

    Lines that are already in the folder's ``results.txt`` are not run again.

    Raises:
        InvalidArgumentError: for an unknown reference.
        UnavailableError: when this package itself does not start.
    """
    wrong = [each for each in references if each not in SIDES[1:]]
    if wrong:
        raise InvalidArgumentError(f"references are {', '.join(SIDES[1:])}, but not {wrong[0]!r}.")
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.txt"
    known = _known(results)
    waiting = [line for line in lines if line not in known]
    lock = threading.Lock()
    groups: list[list[Side]] = []
    of_thread = threading.local()

    def one(line: str) -> None:
        if not hasattr(of_thread, "sides"):
            of_thread.sides = _sides(references, python, timeout)
            groups.append(of_thread.sides)
        outcome, detail, rows = judge(line, of_thread.sides, seed)
        with lock:
            tables.append(folder / "stable.csv", rows)
            with results.open("a", encoding="utf-8") as file:
                file.write(f"{outcome}\t{line}\t{detail}\n")

    try:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for done in _progress(pool.map(one, waiting), len(waiting)):
                assert done is None
    finally:
        for side in [side for group in groups for side in group]:
            side.close()
    if (folder / "stable.csv").exists():
        tables.summarize(folder)
        tables.plot(folder)
    known = _known(results)
    guide_files.write(folder, known)
    return Counter([known[line] for line in lines])


def _known(results: Path) -> dict[str, str]:
    """Return the outcome of each line that was run."""
    if not results.exists():
        return {}
    parts = [line.split("\t") for line in results.read_text(encoding="utf-8").splitlines()]
    return {part[1]: part[0] for part in parts if len(part) == 3}


def _sides(references: list[str], python: str, timeout: float) -> list[Side]:
    """Start this package and the available references."""
    sides = [Side("jaxeager", timeout=timeout)]
    for name in references:
        try:
            is_ours = name == "grad" or not python
            sides.append(Side(name, timeout=timeout) if is_ours else Side(name, python, timeout))
        except UnavailableError as error:
            print(f"accuracy: a reference is left out: {error}")
    return sides


def _progress(done: Iterator, count: int) -> Iterable:
    """Return the same items, with a progress bar if tqdm is installed."""
    with contextlib.suppress(ImportError):
        from tqdm import tqdm

        return tqdm(done, total=count, unit="call", smoothing=0.05)
    return done


def judge(line: str, sides: list[Side], seed: int) -> tuple[str, str, list[tables.Row]]:
    """Run a line twice on every side; return its outcome, a message, and the comparisons."""
    try:
        call = Call(line)
    except Unusable as error:
        return "unusable", str(error), []
    if call.name in RANDOM:
        return "random", "its values are drawn, by each library in its own way", []
    answers: dict[str, list[tuple]] = {}
    by_side: dict[str, tuple[str, str]] = {}
    for _ in range(2):
        for side in sides:
            side.send(line, seed)
        for side in sides:
            word, value = side.receive()
            if word == "ok":
                answers.setdefault(side.name, []).append(value)
            else:
                by_side[side.name] = word, value
    whole = {name: runs for name, runs in answers.items() if len(runs) == 2}
    if "jaxeager" not in whole:
        return _without_us(by_side, whole)
    rows = tables.rows_of(call, whole)
    apart = [row for row in rows if not row.agrees()]
    if apart:
        return "disagreement", "; ".join(dict.fromkeys(map(_apart_text, apart))), rows
    failed = [
        f"{name}: {word}: {text}" for name, (word, text) in by_side.items() if word != "unusable"
    ]
    if failed:
        return "reference error", "; ".join(failed), rows
    if len(whole) == 1:
        return "unusable", "; ".join(text for _, text in by_side.values()), rows
    return "pass", ", ".join(whole), rows


def _without_us(by_side: dict, whole: dict) -> tuple[str, str, list]:
    """Return the outcome of a line that this package cannot run."""
    word, text = by_side["jaxeager"]
    others = [name for name in by_side if name != "jaxeager" and by_side[name][0] == "error"]
    if word == "error" and others and not whole.keys() - {"torch"}:
        return "unusable", f"refused by all: {text}", []
    return word, f"jaxeager: {text}", []


def _apart_text(row: tables.Row) -> str:
    if row.note:
        return f"{row.comp}: {row.note}"
    return f"{row.comp}: {row.abs_diff:.3g} apart, {row.rel_diff:.3g} of it"
