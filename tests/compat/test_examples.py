"""The examples that are ordinary Paddle code: the losses of 20 steps are Paddle's.

Both libraries run the same file, from the same first weights (`run_example.py`).
"""

import os
import re
import subprocess
import sys

import pytest

from tests.parity.questions import (
    EXAMPLE_RUNNER,
    EXAMPLES,
    PADDLE_EXAMPLES,
    ROOT,
    example_arguments,
    paddle_says,
)
from tests.support import xla_flags
from tests.support.here import IS_ON_CPU
from tests.support.often import some

STEPS = 20
# The largest difference of a loss, as a share of Paddle's. Adam divides a gradient by its own size,
# so that rounding decides its sign where it is nearly zero: with SGD the detector's losses differ
# by 2e-7. The agent's losses are sums of parts that nearly cancel.
SHARES = {"actor_critic": 2e-4, "detector": 4e-4}
# Each processor adds up in a different order: graph_digits differs by 1.9e-5 with AVX alone.
SHARE = 5e-5 if IS_ON_CPU else 1e-4
# One is run each time, all by `make test-all`.
LONG = ("actor_critic", "bert", "detector", "diffusion", "gpt", "graph_digits", "lora")
LIMIT_S = 300
TABLE = ROOT / "docs" / "drop-in.md"


def losses_in(printed: str) -> list[float]:
    """Return the losses that `run_example.py` printed."""
    return [float(loss) for loss in re.findall(r"^step \d+ loss (\S+)$", printed, re.M)]


def losses_of(name: str, folder, *options: str) -> list[float]:
    """Return the losses of an example here; the options are the launcher's."""
    for package in ("sklearn", "matplotlib", "tqdm"):
        pytest.importorskip(package)
    runner = ["-W", "ignore", "-m", "jaxeager", *options, str(EXAMPLE_RUNNER)]
    done = subprocess.run(
        [sys.executable, *runner, *example_arguments(name)],
        cwd=folder,
        env=xla_flags.for_long_runs({**os.environ, "PYTHONPATH": str(ROOT)}),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return losses_in(done.stdout)


def largest_difference(theirs: list[float], ours: list[float]) -> float:
    """Return the largest difference of a loss, as a share of Paddle's."""
    return max(abs(a - b) / abs(a) for a, b in zip(theirs, ours, strict=True))


@pytest.mark.parametrize(
    "name", some(sorted(PADDLE_EXAMPLES), lambda name, place: name not in LONG)
)
def test_the_losses_are_paddles_step_by_step(name, tmp_path):
    theirs, ours = losses_in(paddle_says(f"example_{name}")["stdout"]), losses_of(name, tmp_path)
    assert len(theirs) == STEPS
    assert largest_difference(theirs, ours) < SHARES.get(name, SHARE)


def test_differences_are_seen():
    theirs = losses_in("step 0 loss 1.5\nstep 1 loss 0.50000")
    assert largest_difference(theirs, losses_in("step 0 loss 1.5\nstep 1 loss 0.5001")) > SHARE
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        largest_difference(theirs, [1.5])


def test_examples_of_paddle_know_only_paddle():
    imports = {path.stem: path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
    only_paddle = {name for name, text in imports.items() if "import jaxeager" not in text}
    assert only_paddle == set(PADDLE_EXAMPLES)
    rows = re.findall(r"^\| \[(\w+)\.py\]", TABLE.read_text(encoding="utf-8"), re.M)
    assert sorted(rows) == sorted(PADDLE_EXAMPLES)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(PADDLE_EXAMPLES))
def test_lazy_mode_gives_the_same_losses(name, tmp_path):
    losses, lazily = losses_of(name, tmp_path), losses_of(name, tmp_path, "--lazy")
    assert len(losses) == STEPS
    assert largest_difference(losses, lazily) <= SHARES.get(name, SHARE)
