"""One program over 8 devices: the checks run in a separate process, which has them."""

import json
import os
import re
import subprocess
import sys

import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.ops.row import ROWS
from tests.support.on_devices import ROOT, names_of, outcome, outcomes
from tests.support.xla_flags import for_several_devices

MODULE = "tests.distributed.checks_on_devices"


@pytest.mark.parametrize("name", names_of(MODULE))
def test_on_eight_devices(name):
    error = outcome(MODULE, name)
    assert not error, error


def _rows(first: int, step: int) -> list[dict]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.distributed.rows_on_devices", str(first), str(step)],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=3000,
        env=for_several_devices(os.environ | {"PYTHONPATH": str(ROOT)}, 2),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"row"')]


def _check_rows(first: int, step: int) -> int:
    found = _rows(first, step)
    wrong = [f"{each['case']}:\n{each['error']}" for each in found if each["error"]]
    assert not wrong, "\n".join(wrong)
    return sum(each["case"] is not None for each in found)


def test_some_ops_on_two_devices():
    assert _check_rows(5, 80) == len(range(5, len(ROWS), 80))


@pytest.mark.deep
def test_every_op_on_two_devices():
    assert _check_rows(0, 1) == len(ROWS)


def _transformer(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "examples/parallel_transformer.py", *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=1500,
        env=for_several_devices(os.environ | {"PYTHONPATH": str(ROOT)}),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.deep
def test_the_example_gives_the_losses_of_one_device():
    text = _transformer("--steps", "2", "--ways", "ZeRO-3 8")
    off, share = re.search(r"losses off by (\S+), .* \((.*)%\)", text).groups()
    assert float(off) < 1e-4
    assert float(share) <= 12.5 * 1.1  # a target: an eighth, and a tenth of that
    assert "one program: {'all-gather': " in text


@pytest.mark.deep
def test_the_example_sends_no_more_than_plain_jax():
    found = outcomes("tests.distributed.checks_of_transformer")
    assert len(found) == 1
    assert not any(found.values()), found
