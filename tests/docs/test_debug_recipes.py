"""The programs of docs/debug-recipes.md run, and behave as documented."""

import builtins
import math

import pytest

import jaxeager as paddle
from tests.docs.blocks import blocks_of

ALL = blocks_of("debug-recipes.md")
BLOCKS = [each for each in ALL if each.language == "python"]


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


@pytest.mark.parametrize(
    "head",
    [
        "The same numbers again",
        "Back to the step before the NaN",
        "Which op loses the digits?",
        "Which sample makes the gradient explode?",
        "Where does a size come from?",
    ],
)
def test_programs_print_what_the_page_says(head, capsys):
    texts = [each for each in ALL if each.head == head]
    wanted = next(each.text for each in texts if each.language == "text").splitlines()
    program = texts[[each.language for each in texts].index("text") - 1].text
    exec(compile(program, "train.py", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert len(wanted) > 2
    assert printed == wanted
