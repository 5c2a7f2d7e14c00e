"""The tools' output for an optimizer's steps, against real Paddle, optimizer by optimizer."""

import json

import pytest

from tests.debug import optimizer_steps
from tests.debug.conftest import run_here
from tests.parity.questions import paddle_says


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """Return the output of the steps of every optimizer, ours and Paddle's."""
    done = run_here("optimizer_steps.py", tmp_path_factory.mktemp("steps"))
    theirs = paddle_says("optimizer_steps")["stdout"]
    return [json.loads(out.splitlines()[-1]) for out in (done.stdout, theirs)]


@pytest.mark.parametrize("name", optimizer_steps.OPTIMIZERS)
def test_stack_files_have_an_entry_per_parameter_as_paddles(steps, name):
    ours, theirs = (each[name]["stacks"] for each in steps)
    assert len(ours) == 4
    assert ours == theirs


# Optimizers whose step calls public functions in Paddle. Here every step is one computation.
TRACED_THERE = {"ASGD": "it looks up the gradient of some steps ago in a list"}


def configurations(text):
    """Return the lines of a file of configurations, with shapes in the form used here."""
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
