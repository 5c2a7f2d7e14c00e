"""Damaged and hostile files of every format: equal, or refused with their names; never worse."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.formats.formats import FORMATS
from tests.support.here import AS_ON_A_CPU

ROOT = Path(__file__).resolve().parents[2]
RIGHT = {"equal", "refused", "other"}
NEEDS = {
    "safetensors": "safetensors", "program": "safetensors", "signed program": "safetensors",
    "checkpoint": "orbax.checkpoint", "old checkpoint": "orbax.checkpoint",
    "flowers": "scipy", "voc": "PIL", "pictures": "PIL",
}  # fmt: skip
SLOW = ("checkpoint", "old checkpoint", "dumps", "graph", "pictures", "recording", "sounds")
"""Those of which one file takes more than some milliseconds."""


def tallies(names, first, count):
    """Return the number of files of each format with each outcome; all of them have to be right."""
    for name in names:
        if name in NEEDS:
            pytest.importorskip(NEEDS[name])
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.formats.run", ",".join(names)]
    given = {**os.environ, **AS_ON_A_CPU, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [*command, str(first), str(count)], capture_output=True, text=True, env=given, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["format"] for each in found] == list(names)
    for each in found:
        assert not each["wrong"], each
        assert set(each["tally"]) <= RIGHT
        assert sum(each["tally"].values()) == count
        if FORMATS[each["format"]].has_digest:
            assert "other" not in each["tally"]
    return {each["format"]: each["tally"] for each in found}


@pytest.mark.parametrize("names", [tuple(FORMATS)[::2], tuple(FORMATS)[1::2]], ids=["even", "odd"])
def test_some_damaged_files(names):
    found = tallies(names, 0, 10)
    assert sum(each.get("refused", 0) for each in found.values()) > 30


@pytest.mark.deep
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files(name):
    tallies([name], 1000, 200 if name in SLOW else 2000)
