"""What tools say of an optimizer's steps, against real Paddle, optimizer by optimizer."""

import json
import os
import subprocess
import sys

import pytest

from tests.debug import optimizer_steps
from tests.debug.conftest import HERE, ROOT
from tests.parity.harness import needed_paddle


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """Returns what the steps of every optimizer left, ours and Paddle's."""
    folder = tmp_path_factory.mktemp("steps")
    found = []
    for python, library in ((sys.executable, "jaxeager"), (needed_paddle(), "paddle")):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("FLAGS_", "GLOG_"))}
        paths = [str(ROOT), str(HERE / "stand_ins")] if library == "paddle" else [str(ROOT)]
        (folder / library).mkdir()
        done = subprocess.run(
            [python, optimizer_steps.__file__, library, str(folder / library)],
            env=clean | {"PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


@pytest.mark.parametrize("name", optimizer_steps.OPTIMIZERS)
def test_stack_files_have_an_entry_per_parameter_as_paddles(steps, name):
    ours, theirs = (each[name]["stacks"] for each in steps)
    assert len(ours) == 4
    assert ours == theirs


# Whose step calls public functions in Paddle. Here every step is one computation.
TRACED_THERE = {"ASGD": "it looks up the gradient of some steps ago in a list"}


def configurations(text):
    """Returns the lines of a file of configurations, shapes as they are written here."""
    return [line.replace("paddle.Size(", "").replace("])", "]") for line in text.splitlines()]


@pytest.mark.parametrize("name", optimizer_steps.OPTIMIZERS)
def test_configurations_are_those_of_paddles(steps, name):
    ours, theirs = (configurations(each[name]["traced"]) for each in steps)
    assert ours  # the product, and its sum
    if name in TRACED_THERE:
        assert ours == theirs[: len(ours)]
        assert len(theirs) > len(ours), "no longer a difference"
    else:
        assert ours == theirs
