"""Hooks on every node and tensor of a program get the same gradients as in Paddle, in order."""

import json

import numpy as np
import pytest

from tests.debug.corpus import PROGRAMS

RECORDED_TOOLS = ("looking_hooks", "device_checks")

_PYLAYER = "Paddle takes a post hook on the node of a PyLayer, and never runs it"
_LIST = "Paddle hands a list operand's gradients over as a list, which it then does not take back"
_UNREACHED = "Paddle hands an empty tensor to the hook of an output that no gradient arrived at"
KNOWN = {
    "a_pylayer": _PYLAYER,
    "a_pylayer_with_two_outputs": _PYLAYER,
    "nested_pylayers": _PYLAYER,
    "concat_and_stack": _LIST,
    "topk_has_two_outputs": _UNREACHED,
}
RANDOM = ("drawn_numbers", "dropout_of_ones")  # other numbers, so only shapes are compared


def events_of(folder, is_random):
    """Return the events of the hooks: (name, gradients in, gradients out), or the error."""
    if (folder / "error").exists():
        return (folder / "error").read_text().splitlines()[-1]
    log, removed = json.loads((folder / "hooks.json").read_text())
    assert removed
    return [[name, *(shown(part, is_random) for part in parts)] for name, *parts in log]


def shown(grads, is_random):
    """Return gradients in one row, without missing ones.

    Paddle has places for more operands, and passes the gradients of a list as a list.
    """
    nested = [[each] if each is None or isinstance(each[1], str) else each for each in grads]
    grads = [each for part in nested for each in part]
    return [grad[:2] if is_random else grad for grad in grads if grad is not None]


def is_same(ours, theirs):
    """Return whether two nested lists agree, numbers within float32."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(is_same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return np.isclose(ours, theirs, rtol=1e-5, atol=5e-6, equal_nan=True)
    return ours == theirs


@pytest.mark.parametrize("program", PROGRAMS)
def test_hooks_see_what_they_see_in_paddle(recorded, program):
    ours, theirs = (
        events_of(folder / program, program in RANDOM) for folder in recorded("looking_hooks")
    )
    if program in KNOWN:
        assert not is_same(ours, theirs), "no longer a difference"
        assert not isinstance(ours, str)
    else:
        assert is_same(ours, theirs), f"ours: {ours}\npaddle: {theirs}"


@pytest.mark.parametrize("program", [name for name in PROGRAMS if name not in RANDOM])
def test_gradients_under_the_device_check_are_paddles(recorded, program):
    texts = [(folder / program / "grads.json").read_text() for folder in recorded("device_checks")]
    ours, theirs = (json.loads(text) for text in texts)
    assert ours.keys() == theirs.keys()
    assert all(is_same(ours[name], theirs[name]) for name in ours)
