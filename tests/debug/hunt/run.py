"""Runs the command of a planted bug, in a folder with its program."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests.debug.hunt.bugs import PROGRAMS, Bug

ROOT = Path(__file__).parents[3]
_LIMIT = 300


class Found(NamedTuple):
    """What a command printed.

    Attributes:
        output: its standard output and errors.
        seconds: how long it took.
        line: the line of it that names the place, "" if none does.
    """

    output: str
    seconds: float
    line: str


def find(bug: Bug, folder: Path) -> Found:
    """Run the command of a bug, and what has to run before it.

    Args:
        bug: the bug.
        folder: an empty folder, for its program and files.
    """
    shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
    for command in filter(None, bug.before.split(";")):
        _run(command, folder)
    began = time.perf_counter()
    output = _run(bug.command, folder)
    seconds = time.perf_counter() - began
    lines = [line for line in output.splitlines() if any(place in line for place in bug.places)]
    return Found(output, seconds, lines[0] if lines else "")


def _run(command: str, folder: Path) -> str:
    """Run a command as a shell would, without one; return what it prints."""
    words = shlex.split(command)
    flags = {}
    while re.match(r"\w+=", words[0]):
        name, _, value = words.pop(0).partition("=")
        flags[name] = value
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLAGS_", "PADDLE_"))}
    environment = kept | {"PYTHONPATH": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull} | flags
    words[0] = sys.executable if words[0] == "python" else words[0]
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", timeout=_LIMIT, check=False,
    )  # fmt: skip
    return done.stdout
