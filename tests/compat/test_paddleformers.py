"""PaddleFormers 0.4.1 trains as on Paddle.

JAXEAGER_PADDLEFORMERS names a Python that has it, Paddle 3.3.1, and what jaxeager needs; without
it, these tests are skipped. PaddleFormers asks for NumPy 1, but works with NumPy 2, so:
``pip install --no-deps paddleformers==0.4.1``, then what its imports name.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.parity.questions import ROOT

PYTHON = os.environ.get("JAXEAGER_PADDLEFORMERS", "")
PROGRAM = Path(__file__).with_name("run_paddleformers.py")

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="JAXEAGER_PADDLEFORMERS names no Python that has PaddleFormers 0.4.1"
)


def losses(library, kind, folder, out):
    """Return the losses of a training on "paddle" or "jaxeager"."""
    launcher = ["-m", "jaxeager"] if library == "jaxeager" else []
    done = subprocess.run(
        [PYTHON, "-W", "ignore", *launcher, str(PROGRAM), kind, str(folder), str(out)],
        capture_output=True, text=True, check=False, cwd=out.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", ["pretraining", "tuning", "preferences", "automatic"])
def test_losses_are_those_of_paddle(tmp_path, kind):
    wanted, found = (
        losses(library, kind, tmp_path / library, tmp_path / f"{library}.json")
        for library in ("paddle", "jaxeager")
    )
    assert len(wanted) >= 12
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("writer", ["paddle", "jaxeager"])
def test_each_library_resumes_from_the_checkpoint_of_the_other(tmp_path, writer):
    folder, reader = tmp_path / "run", "jaxeager" if writer == "paddle" else "paddle"
    wanted = losses(writer, "saved", folder, tmp_path / "saved.json")
    found = losses(reader, "resumed", folder, tmp_path / "resumed.json")
    np.testing.assert_allclose(found, wanted[6:], rtol=1e-5)


def test_files_of_a_hub_fill_its_models(tmp_path):
    """The model's statements make its weights of the files, and the files of its weights."""
    wanted, found = (
        losses(library, "hub", tmp_path / library, tmp_path / f"{library}.json")
        for library in ("paddle", "jaxeager")
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
