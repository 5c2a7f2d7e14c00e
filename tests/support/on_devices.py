"""Runs checks in a separate process that has 8 devices: the process of the tests has one.

``python -m tests.support.on_devices MODULE [PREFIX ...]`` runs the functions ``check_...`` of a
module, those whose names begin so, and writes one line of JSON for each: its name, and its error. A
test reads them with ``outcomes``, so that many of them share one process.
"""

import functools
import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

from tests.support.xla_flags import for_several_devices

ROOT = Path(__file__).resolve().parents[2]


def names_of(module: str) -> list[str]:
    """Return the names of the checks of a module."""
    found = vars(importlib.import_module(module))
    return [name for name in found if name.startswith("check_")]


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
    checks = vars(importlib.import_module(module))
    for name in names_of(module):
        if prefixes and not name.startswith(prefixes):
            continue
        error = ""
        try:
            checks[name]()
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"check": name, "error": error}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
