"""Runs checks in a separate process that has 8 devices: the process of the tests has one.

``python -m tests.support.on_devices MODULE [PREFIX ...]`` runs the functions ``check_...`` of a
module, those whose names begin so, and writes one line of JSON for each: its name, and its error.
``--usual`` and ``--deep`` select those that are not, or are, marked by ``deep``. A test reads them
with ``outcome``, so that many of them share one process.
"""

import functools
import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from tests.support.xla_flags import for_several_devices

ROOT = Path(__file__).resolve().parents[2]


def deep(check):
    """Mark a check that is too long for every change."""
    check.is_deep = True
    return check


def _checks_of(module: str) -> dict:
    found = vars(importlib.import_module(module))
    return {name: each for name, each in found.items() if name.startswith("check_")}


def names_of(module: str) -> list:
    """Return the names of the checks of a module, as parameters of a test."""
    return [
        pytest.param(name, marks=pytest.mark.deep if hasattr(check, "is_deep") else ())
        for name, check in _checks_of(module).items()
    ]


def outcome(module: str, name: str) -> str:
    """Return the error of a check; the usual ones share a process, and the deep ones another."""
    is_deep = hasattr(_checks_of(module)[name], "is_deep")
    return outcomes(module, "--deep" if is_deep else "--usual")[name]


@functools.cache
def outcomes(module: str, *arguments: str) -> dict[str, str]:
    """Return the error of each check of a module, "" for those that raised nothing."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.on_devices", module, *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=1500,
        env=for_several_devices(os.environ | {"PYTHONPATH": path}, 8),
    )  # fmt: skip
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith('{"check"'):
            read = json.loads(line)
            found[read["check"]] = read["error"]
    if done.returncode:
        raise RuntimeError(f"The checks ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return found


def main(module: str, *prefixes: str) -> None:
    """Run the checks of a module."""
    kinds = {each for each in prefixes if each.startswith("--")}
    prefixes = tuple(each for each in prefixes if each not in kinds)
    for name, check in _checks_of(module).items():
        kind = "--deep" if hasattr(check, "is_deep") else "--usual"
        if (kinds and kind not in kinds) or (prefixes and not name.startswith(prefixes)):
            continue
        error = ""
        try:
            check()
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"check": name, "error": error}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
