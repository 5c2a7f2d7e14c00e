"""What the debug tools write about the corpus, on this library and on real Paddle."""

import fcntl
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import jaxeager as paddle
from jaxeager.base import core
from jaxeager.base.framework import vlog_guard
from jaxeager.debug import naming, nan_inf, vlog_forward
from jaxeager.graph import events
from tests.debug.vlog_lines import XLA, entries_of, leaf, shortened
from tests.parity.harness import needed_paddle
from tests.support.precision import put_elsewhere

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECORDING_LIMIT_S = 900
sys.path.insert(0, str(HERE))  # where scripts that both libraries run find each other


class Recorded(NamedTuple):
    """The folders that record.py wrote for one tool: ``<folder>/<program>/...``."""

    ours: Path
    paddles: Path


@pytest.fixture(scope="session")
def recorded(request, tmp_path_factory):
    """Returns a function of a tool's name that gives what record.py wrote.

    A module says in ``RECORDED_TOOLS`` which tools its tests ask for. All that this run will ask
    for are recorded at once, by one process per library: starting one, and its kernels, costs the
    most.
    """
    python = needed_paddle()
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent  # all workers of one run share it
    base = base / "recorded"
    base.mkdir(exist_ok=True)
    modules = {item.module for item in request.session.items if hasattr(item, "module")}
    tools = sorted({tool for each in modules for tool in getattr(each, "RECORDED_TOOLS", ())})

    def record(tool: str) -> Recorded:
        assert tool in tools, f"RECORDED_TOOLS of the test's module does not name {tool!r}"
        with open(base / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            outcome = base / "outcome"
            if not outcome.exists():
                outcome.write_text(_record(python, tools, base))
        assert outcome.read_text() == ""
        return Recorded(base / "jaxeager" / tool, base / "paddle" / tool)

    return record


def _record(python: str, tools: list[str], base: Path) -> str:
    """Runs record.py on both libraries at the same time; returns what it says when it fails."""
    ours = _start(sys.executable, "jaxeager", tools, base)
    paddles = _start(python, "paddle", tools, base)
    said = ""
    for library, process in (("jaxeager", ours), ("paddle", paddles)):
        try:
            code = process.wait(RECORDING_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        if code:
            said += (
                f"{library} ended with {code}: {(base / library / 'errors').read_text()[-2000:]}"
            )
    return said


def _start(python: str, library: str, tools: list[str], base: Path) -> subprocess.Popen:
    paths = [str(ROOT), str(HERE / "stand_ins")] if library == "paddle" else [str(ROOT)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("FLAGS_", "GLOG_"))}
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    folder = base / library
    folder.mkdir()
    with open(folder / "errors", "w") as errors:
        return subprocess.Popen(
            [python, str(HERE / "record.py"), library, str(folder), *tools],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
        )  # fmt: skip


@pytest.fixture
def checked(monkeypatch):
    """Switches the check on, at a level; off at the end, and then nothing is left of it.

    ``is_elsewhere``: all arrays are taken for such as lie on an accelerator.
    """

    def switch(level=0, is_elsewhere=False):
        if is_elsewhere:
            put_elsewhere(monkeypatch)
        paddle.set_flags({"FLAGS_check_nan_inf_level": level, "FLAGS_check_nan_inf": True})

    before = list(events._observers)
    yield switch
    paddle.set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0})
    assert events._observers == before
    assert nan_inf.switch.checker is None


@pytest.fixture
def untouched():
    """Nothing of the log may outlive a test: no observer, no level, no indent."""
    if events._observers:
        gc.collect()  # what an earlier test has left in a cycle
    before = list(events._observers)
    naming.reset()
    yield
    core.set_vlog_level(0)
    (leaf() * 2).sum().backward()  # the next backward takes back what no node wants any more
    assert events._observers == before


@pytest.fixture
def log(capfd):
    """Returns a function that gives the lines written since it was last called."""

    def read():
        lines = capfd.readouterr().err.splitlines()
        return [shortened(line) for line in lines if f" {XLA}." not in line]

    read()
    return read


@pytest.fixture
def logged(log):
    """Returns a function that gives the lines another writes under a guard, at a level."""

    def run(function, level=3):
        log()
        with vlog_guard(level):
            function()
            return log()

    return run


@pytest.fixture
def entries(capfd):
    """Returns a function that gives the messages another writes under a guard, at a level."""

    def run(function, level=3):
        naming.reset()
        vlog_forward._warned.clear()
        capfd.readouterr()
        with vlog_guard(level):
            function()
        return [each for each in entries_of(capfd.readouterr().err) if each.module != "pybind"]

    return run
