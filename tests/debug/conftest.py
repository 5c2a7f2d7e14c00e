"""The debug tools' output for the corpus, on this library and on real Paddle."""

import fcntl
import functools
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
from jaxeager.debug.common import naming
from jaxeager.debug.numbers import nan_inf
from jaxeager.debug.vlog import forward as vlog_forward
from jaxeager.graph import events
from tests.debug.vlog_lines import XLA, entries_of, leaf, shortened
from tests.parity.questions import environment, paddle_says, write_files
from tests.support.here import AS_ON_A_CPU
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
    """Return a function of a tool's name that returns the output of record.py.

    A module lists in ``RECORDED_TOOLS`` the tools that its tests request. All tools of a run are
    recorded together, by one process: starting one, and its kernels, costs the most.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    shared = shared / "recorded"
    shared.mkdir(exist_ok=True)
    modules = {item.module for item in request.session.items if hasattr(item, "module")}
    tools = sorted({tool for each in modules for tool in getattr(each, "RECORDED_TOOLS", ())})

    @functools.cache
    def record(tool: str) -> Recorded:
        assert tool in tools, f"RECORDED_TOOLS of the test's module does not name {tool!r}"
        with open(shared / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (shared / "outcome").exists():
                (shared / "outcome").write_text("it did not end")
                run_here("record.py", shared / "jaxeager", *tools)
                (shared / "outcome").write_text("done")
        assert (shared / "outcome").read_text() == "done"
        write_files(paddle_says(f"corpus_{tool}"), base / "paddle")
        return Recorded(shared / "jaxeager" / tool, base / "paddle" / tool)

    return record


def run_here(script: str, *arguments) -> subprocess.CompletedProcess:
    """Run a script of this folder, whose first argument names the library, on this library.

    It runs on a CPU, as Paddle did.
    """
    command = [sys.executable, str(HERE / script), "jaxeager", *map(str, arguments)]
    done = subprocess.run(
        command,
        env=environment("jaxeager") | AS_ON_A_CPU,
        capture_output=True,
        text=True,
        timeout=RECORDING_LIMIT_S,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done


@pytest.fixture
def checked(monkeypatch):
    """Switch the check on, at a level; at the end switch it off and check that nothing is left.

    ``is_elsewhere``: all arrays are treated as if they were on an accelerator.
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
    """Check that nothing of the log outlives a test: no observer, no level, no indent."""
    if events._observers:
        gc.collect()  # objects that an earlier test left in a cycle
    before = list(events._observers)
    naming.reset()
    yield
    core.set_vlog_level(0)
    (leaf() * 2).sum().backward()  # the next backward removes observers that no node needs any more
    assert events._observers == before


@pytest.fixture
def log(capfd):
    """Return a function that returns the lines written since it was last called."""

    def read():
        lines = capfd.readouterr().err.splitlines()
        return [shortened(line) for line in lines if f" {XLA}." not in line]

    read()
    return read


@pytest.fixture
def logged(log):
    """Return a function that returns the lines another writes under a guard, at a level."""

    def run(function, level=3):
        log()
        with vlog_guard(level):
            function()
            return log()

    return run


@pytest.fixture
def entries(capfd):
    """Return a function that returns the messages another writes under a guard, at a level."""

    def run(function, level=3):
        naming.reset()
        vlog_forward._warned.clear()
        capfd.readouterr()
        with vlog_guard(level):
            function()
        return [each for each in entries_of(capfd.readouterr().err) if each.module != "pybind"]

    return run
