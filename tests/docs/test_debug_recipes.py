"""The programs of docs/debug-recipes.md run, and behave as documented."""

import builtins
import math

import pytest

import jaxeager as paddle
from tests.docs.blocks import blocks_of

BLOCKS = blocks_of("debug-recipes.md")


def test_the_hook_stops_at_the_gradient_that_is_not_finite(monkeypatch):
    stopped = []
    monkeypatch.setattr("sys.breakpointhook", lambda: stopped.append(1))
    scope: dict = {}
    exec(BLOCKS[0].text, scope)
    assert stopped == [1]
    assert math.isnan(scope["x"].grad.tolist()[1])
    assert builtins.breakpoint is breakpoint


@pytest.mark.parametrize("number", range(1, len(BLOCKS)))
def test_programs_run(number):
    try:
        exec(BLOCKS[number].text, {})
    finally:
        paddle.seed(0)
