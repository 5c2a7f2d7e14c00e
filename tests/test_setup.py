"""What importing jaxeager does to the process it is imported in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("call", ["enable", "disable"])
def test_the_garbage_collector_is_left_as_it_was(call):
    code = f"import gc; gc.{call}(); import jaxeager; print(gc.isenabled())"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert finished.stdout.strip() == str(call == "enable")
