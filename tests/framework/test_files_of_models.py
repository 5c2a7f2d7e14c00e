"""Files of paddle.vision's models, read by the other library: the logits are the same."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.parity.harness import needed_paddle
from tests.parity.questions import ROOT, environment
from tests.support.vision_files import MODELS

SCRIPT = str(ROOT / "tests" / "support" / "vision_files.py")
LIMIT_S = 600


def on_paddle(*arguments):
    """Run the script on real Paddle."""
    run([needed_paddle(), "-W", "ignore", SCRIPT, *arguments], environment("paddle"))


def here(*arguments):
    """Run the script through the launcher."""
    launcher = [sys.executable, "-W", "ignore", "-m", "jaxeager"]
    run([*launcher, SCRIPT, *arguments], {**os.environ, "PYTHONPATH": str(ROOT)})


def run(command, environment):
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.live
@pytest.mark.deep
@pytest.mark.parametrize(("first", "second"), [(on_paddle, here), (here, on_paddle)])
def test_a_model_of_the_other_library_has_its_logits(first, second, tmp_path):
    first("save", str(tmp_path))
    second("run", str(tmp_path))
    for name in MODELS:
        wanted, found = (np.load(tmp_path / f"{name}.{what}.npy") for what in ("save", "run"))
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())
