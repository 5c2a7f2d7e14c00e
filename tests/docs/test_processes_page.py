"""The worked cases of docs/processes.md: run, and compared with the page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import blocks_of
from tests.support.here import AS_ON_A_CPU

ROOT = Path(__file__).resolve().parents[2]
PAGE = "processes.md"


def settled(text):
    """Return the lines of a text without the parts that differ between runs."""
    text = re.sub(r"/\S*/(?=train\.py)", "", text)
    text = re.sub(r"\b\d+ s\b", "N s", text)
    text = re.sub(r"\(process \d+\)", "(process N)", text)
    return [line.strip() for line in text.splitlines() if line.strip()]


def cases():
    """Yield (the arguments of train.py, the environment before the command, the output)."""
    for each in blocks_of(PAGE):
        found = re.match(r"\$ (.*)python -m \S+ --nproc_per_node 2 train.py (\w+)\n", each.text)
        if each.language == "console" and found:
            environment = dict(pair.split("=") for pair in found.group(1).split())
            how = found.group(2) + ("_checked" if "FLAGS_check_collectives" in environment else "")
            marks = () if how == "killed" else pytest.mark.deep
            yield pytest.param(
                found.group(2), environment, each.text[found.end() :], id=how, marks=marks
            )


@pytest.mark.parametrize(("how", "environment", "printed"), list(cases()))
def test_a_case_prints_what_the_page_says(tmp_path, how, environment, printed):
    (program,) = [
        e.text for e in blocks_of(PAGE) if e.language == "python" and "sys.argv" in e.text
    ]
    (tmp_path / "train.py").write_text(program)
    done = subprocess.run(
        [
            sys.executable, "-m", "jaxeager.distributed.launch", "--nproc_per_node=2",
            "train.py", how,
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
        env={
            **os.environ, **AS_ON_A_CPU, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore",
            **environment,
        },
    )  # fmt: skip
    assert done.returncode != 0
    seen = settled(done.stdout + done.stderr)
    assert [line for line in settled(printed) if line not in seen] == []


def test_the_page_has_every_case():
    assert len(list(cases())) == 6
