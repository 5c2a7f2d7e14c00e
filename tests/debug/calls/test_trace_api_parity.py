"""FLAGS_trace_api against real Paddle's tracer, line by line, for every program of the corpus."""

import re

import pytest

from tests.debug import corpus

RECORDED_TOOLS = ("trace_api",)

_SIZE = re.compile(r"paddle\.Size\((\[[^]]*\])\)")  # not read by PaddleAPITest of 2025
_ARRAY = re.compile(r"paddle\.to_tensor\((Tensor\(.*\)|\.), stop_gradient=False, \)")
_NAMED = "x weight bias".split()

# Calls that functions of Paddle make internally. Here a call is a user's, or a layer's.
INSIDE = {
    "mean_squared_error": ['paddle.square(Tensor([3],"float32"), )'],
    "cross_entropy_of_labels": [
        'paddle.unsqueeze(Tensor([2],"int64"), axis=-1, )',
        'paddle.Tensor.__mul__(Tensor([2, 1],"int64"), Tensor([2, 1],"int64"), )',
    ],
}
INSIDE["a_training_step_of_two_layers"] = INSIDE["cross_entropy_of_labels"]
# Layers whose forward passes its operands by keyword there, by position here.
BY_KEYWORD = {"two_layer_perceptron", "a_training_step_of_two_layers"}


def read(folder, program):
    """Return the lines of one program."""
    assert not (folder / program / "error").exists(), (folder / program / "error").read_text()
    return (folder / program / "api_config.txt").read_text().splitlines()


def without_keywords(line):
    """Return the call of a Linear in its form here."""
    if line.startswith("paddle.nn.functional.linear(x="):
        for name in _NAMED:
            line = line.replace(f"{name}=", "", 1)
        line = line.replace("name=None, ", "")
    return line


@pytest.mark.parametrize("program", corpus.PROGRAMS)
def test_lines_are_paddles(recorded, program):
    found = recorded("trace_api")
    ours, theirs = read(found.ours, program), read(found.paddles, program)
    theirs = [_SIZE.sub(r"\1", line) for line in theirs]
    for line in INSIDE.get(program, ()):
        theirs.remove(line)
        assert line not in ours
    if program in BY_KEYWORD:
        assert ours != theirs
        theirs = list(map(without_keywords, theirs))
    # Paddle loses calls with a NumPy array, or writes the array's digits without their brackets.
    ours, theirs = ([x for x in lines if not _ARRAY.fullmatch(x)] for lines in (ours, theirs))
    assert ours == theirs


def test_calls_with_arrays_are_there(recorded):
    found = recorded("trace_api")
    counts = [
        sum(bool(_ARRAY.fullmatch(line)) for p in corpus.PROGRAMS for line in read(folder, p))
        for folder in (found.ours, found.paddles)
    ]
    assert counts[0] >= 40
    assert counts[1] <= 1


def test_shapes_are_lists(recorded):
    found = recorded("trace_api")
    ours = "".join("".join(read(found.ours, program)) for program in corpus.PROGRAMS)
    assert "paddle.Size" not in ours
    theirs = "".join("".join(read(found.paddles, program)) for program in corpus.PROGRAMS)
    assert "paddle.Size([2, 3])" in theirs
