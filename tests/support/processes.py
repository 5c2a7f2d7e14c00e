"""Programs that tests run in a separate process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def printed_by(code: str, *arguments: str, **environment: str) -> str:
    """Run a program in a separate process, which must end well within 5 minutes; return its output.

    Args:
        code: the program.
        arguments: its arguments.
        environment: variables to add to those of this process.
    """
    return printed_by_command("-c", code, *arguments, **environment)


def printed_by_command(*arguments: str, **environment: str) -> str:
    """Run Python with arguments; otherwise the same as printed_by."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}"
    return done.stdout
