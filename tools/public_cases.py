"""A part of docs/coverage.md: the cases of public test suites that pass on Paddle, and here.

    python tools/public_cases.py FOLDER --paddle PYTHON

runs every test file of each suite in FOLDER with real Paddle, in a process of its own, then with
jaxeager, and records the counts in public_cases.json. A suite is a folder NAME-VERSION, as a source
distribution unpacks; both Pythons need pytest and what the suite imports. public_cases_reasons.toml
states why a case that passes on Paddle does not pass here.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import ChainMap
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "tools" / "public_cases.json"
REASONS = ROOT / "tools" / "public_cases_reasons.toml"
PLUGIN = ROOT / "tools" / "public_cases_plugin.py"
NAMES = ROOT / "jaxeager" / "launcher" / "paddle_names.json"
LIMIT_S = 900
SLOWER = 3  # here a file may take this much longer: its kernels are compiled first
# What makes suites of several libraries test Paddle, on a CPU and without the network.
SETTINGS = {
    "TENSORLY_BACKEND": "paddle",
    "EINOPS_TEST_BACKENDS": "paddle",
    "DDE_BACKEND": "paddle",
    "JAX_PLATFORMS": "cpu",
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "agg",
}
PYTEST = ("-m pytest -q -p public_cases_plugin -p no:cacheprovider -o addopts=").split()


class Case(NamedTuple):
    """The outcome of one case.

    Attributes:
        passed: whether it passed; one that was skipped did not.
        modules: the modules of Paddle that it calls, if that was recorded.
    """

    passed: bool
    modules: tuple[str, ...] = ()


def names() -> dict[str, list[str]]:
    """Return {module: its public names}; the inner modules, which show others' names, are last."""
    recorded = json.loads(NAMES.read_text(encoding="utf-8"))["modules"]
    inner = ("_C_ops", "base")
    order = sorted(recorded, key=lambda module: module.partition(".")[0] in inner)
    return {module: list(recorded[module]) for module in order}


def test_files(suite: Path) -> list[Path]:
    """Return the test files of a suite, relative to its folder."""
    found = {path for pattern in ("test_*.py", "*_test.py") for path in suite.rglob(pattern)}
    return sorted(path.relative_to(suite) for path in found)


def cases_of(outcomes: Path) -> dict[str, Case]:
    """Return {name: outcome} of the cases that the plugin recorded; none if there is no file."""
    if not outcomes.exists():
        return {}
    lines = outcomes.read_text(encoding="utf-8").splitlines()
    return {name: Case(passed, tuple(modules)) for name, passed, modules in map(json.loads, lines)}


def run_file(command: list[str], suite: Path, file: Path, limit_s: float) -> dict[str, Case]:
    """Run a test file of a suite; return the cases that end before the process does."""
    outcomes = suite.parent / "outcomes.txt"
    outcomes.unlink(missing_ok=True)
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    path = {"PYTHONPATH": os.pathsep.join([str(suite.parent / "plugin"), str(suite)])}
    order = [*command, f"--rootdir={suite}", f"--outcomes={outcomes}", str(file)]
    with (suite.parent / "log.txt").open("w") as log:
        process = subprocess.Popen(
            order, cwd=suite, env=kept | SETTINGS | path, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        with suppress(subprocess.TimeoutExpired):
            process.wait(limit_s)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with the processes that it started
        process.wait()
    return cases_of(outcomes)


def run_suite(
    command: list[str], suite: Path, files: list[Path], limit_s: float, logs: Path | None = None
) -> dict[Path, dict[str, Case]]:
    """Return the cases of test files of a suite; they run in a copy of its folder.

    Args:
        command: what runs pytest.
        suite: the folder.
        files: the test files, relative to it.
        limit_s: the seconds that one file may take.
        logs: a folder that receives the output of each file.
    """
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / suite.name
        shutil.copytree(suite, copy)
        plugin = Path(folder) / "plugin"
        plugin.mkdir()
        shutil.copy(PLUGIN, plugin)
        (plugin / "names.json").write_text(json.dumps(names()), encoding="utf-8")
        for file in files:
            print(f"{suite.name}: {file}", file=sys.stderr)
            found[file] = run_file(command, copy, file, limit_s)
            if logs is not None:
                name = f"{suite.name}-{file.as_posix().replace('/', '.')}.txt"
                logs.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(folder) / "log.txt", logs / name)
    return found


def compare(
    suite: Path, theirs: list[str], ours: list[str], limit_s: float, logs: Path | None
) -> dict:
    """Run the test files of a suite on Paddle, and here those that have cases that count."""
    places = [logs / each if logs else None for each in ("paddle", "here")]
    on_paddle = run_suite(theirs, suite, test_files(suite), limit_s, places[0])
    count = [file for file, cases in on_paddle.items() if counted(cases)]
    here = run_suite(ours, suite, count, SLOWER * limit_s, places[1])
    return outcome(*(dict(ChainMap(*each.values())) for each in (on_paddle, here)))


def counted(cases: dict[str, Case]) -> dict[str, Case]:
    """Return the cases that pass on Paddle and call it."""
    return {name: case for name, case in cases.items() if case.passed and case.modules}


def outcome(theirs: dict[str, Case], ours: dict[str, Case]) -> dict:
    """Return the counts of the cases that pass on Paddle and call it, and those that fail here."""
    count = counted(theirs)
    here = {name for name in count if name in ours and ours[name].passed}
    modules: dict[str, list[int]] = {}
    for name, case in count.items():
        for module in case.modules:
            counts = modules.setdefault(module, [0, 0])
            counts[0] += 1
            counts[1] += name in here
    fail = {name: list(count[name].modules) for name in sorted(count.keys() - here)}
    return {"cases": len(count), "here": len(here), "modules": modules, "fail here": fail}


def again(found: dict, suite: Path, ours: list[str], limit_s: float, logs: Path | None) -> dict:
    """Return a recorded outcome after the files of the cases that fail here have run again."""
    files = sorted({Path(name.partition("::")[0]) for name in found["fail here"]})
    place = logs / "here" if logs else None
    ran = run_suite(ours, suite, files, SLOWER * limit_s, place)
    passing = {name for cases in ran.values() for name, case in cases.items() if case.passed}
    mended = [name for name in found["fail here"] if name in passing]
    for name in mended:
        found["here"] += 1
        for module in found["fail here"].pop(name):
            found["modules"][module][1] += 1
    return found


def write(found: dict[str, dict]) -> None:
    """Record the outcomes of suites that have cases; keep those of other suites."""
    kept = records() | found
    known = {name: kept[name] for name in sorted(kept) if kept[name]["cases"]}
    RECORDS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def records() -> dict[str, dict]:
    """Return the recorded {suite: outcome}."""
    return json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}


# ---- the page


def reasons() -> list[tuple[str, list[str]]]:
    """Return (reason, patterns of the cases), in the order of public_cases_reasons.toml."""
    table = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return [(row["reason"], row["cases"].split()) for row in table.get("reason", [])]


def reason_of(case: str) -> str:
    """Return why a case ("suite: name") does not pass here, "" if there is no reason."""
    name = case.replace(" ", "")  # the patterns are words
    return next(
        (text for text, names in reasons() if any(fnmatchcase(name, each) for each in names)), ""
    )


def public_cases() -> list[str]:
    """Return the lines of the section in docs/coverage.md."""
    found = records()
    return [*_HEAD, "", *_suite_lines(found), "", *_module_lines(found), *_why(found), ""]


_HEAD = """\
## Cases of public test suites

`python tools/public_cases.py FOLDER --paddle PYTHON` runs the tests of public packages that use
Paddle, on real Paddle 3.3.1 and here, and `python tools/generate.py` makes the tables below. FOLDER
holds source distributions of the package index, unpacked, none of which is in this repository
(build extension modules in place); PYTHON has Paddle, and it and the Python that runs the script
(or `--here`) have pytest and what the packages import. A case counts if it passes on Paddle and
calls it: what needs the network, a GPU or another version of Paddle fails on Paddle itself. A file
has a time limit (`--limit`; one to three minutes in the recorded run). Of paddlets the tests of
models, ensembles, pipelines and utilities ran.

A case belongs to each module of which it, or the package that it tests, calls a public name,
function or method. The profiler of Python sees the calls while the case runs on Paddle (the first
two million events of each case); calls that Paddle makes itself and operators do not count, and a
name of several modules counts for the first in the table.""".splitlines()


def _suite_lines(found: dict[str, dict]) -> Iterator[str]:
    yield from (
        "| suite | version | cases that pass on Paddle | of these, here |",
        "|---|---|---|---|",
    )
    for suite, each in found.items():
        name, _, version = suite.rpartition("-")
        yield f"| {name} | {version} | {each['cases']} | {each['here']} |"
    total = [sum(each[key] for each in found.values()) for key in ("cases", "here")]
    yield f"| **all** | | **{total[0]}** | **{total[1]}** |"


def _module_lines(found: dict[str, dict]) -> Iterator[str]:
    yield from ("| module | cases that pass on Paddle | of these, here |", "|---|---|---|")
    for module in names():
        counts = [each["modules"][module] for each in found.values() if module in each["modules"]]
        if counts:
            yield f"| {module} | {sum(c[0] for c in counts)} | {sum(c[1] for c in counts)} |"


def _why(found: dict[str, dict]) -> Iterator[str]:
    failing = [f"{suite}: {case}" for suite, each in found.items() for case in each["fail here"]]
    groups: dict[str, int] = {}
    for case in failing:
        text = reason_of(case)
        groups[text] = groups.get(text, 0) + 1
    if groups:
        yield from ("", "| cases that do not pass here | why |", "|---|---|")
    for text, count in sorted(groups.items()):
        yield f"| {count} | {text} |"


def main(arguments: list[str]) -> None:
    """Run suites on both libraries and record the counts."""
    parser = argparse.ArgumentParser(description="Run public test suites on Paddle and here.")
    parser.add_argument("folder", type=Path, help="holds the suites, as folders NAME-VERSION")
    parser.add_argument("--paddle", required=True, help="the Python that has real Paddle")
    parser.add_argument("--here", default=sys.executable, help="the Python that has jaxeager")
    parser.add_argument("--only", action="append", help="run this suite only; may be repeated")
    parser.add_argument("--again", action="store_true", help="run only what failed here, and here")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds for one file")
    parser.add_argument("--logs", type=Path, help="a folder for what the processes print")
    chosen = parser.parse_args(arguments)
    for suite in sorted(path for path in chosen.folder.iterdir() if path.is_dir()):
        if chosen.only and suite.name.rpartition("-")[0] not in chosen.only:
            continue
        theirs = [chosen.paddle, *PYTEST, "--calls"]
        ours = [chosen.here, "-m", "jaxeager", *PYTEST]
        if not chosen.again:
            found = compare(suite, theirs, ours, chosen.limit, chosen.logs)
        elif suite.name in records():
            found = again(records()[suite.name], suite, ours, chosen.limit, chosen.logs)
        else:
            continue
        write({suite.name: found})
        print(f"{suite.name}: {found['cases']} cases pass on Paddle, of these {found['here']} here")
        print("\n".join(found["fail here"]))


if __name__ == "__main__":
    main(sys.argv[1:])
