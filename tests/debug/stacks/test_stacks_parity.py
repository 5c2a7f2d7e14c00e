"""Python stacks over the corpus: files and errors, compared with real Paddle by user frames."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.debug import corpus, error_programs
from tests.debug.conftest import run_here
from tests.parity.questions import paddle_says

RECORDED_TOOLS = ("stacks", "failures")
NAMES = sorted(corpus.PROGRAMS)
FRAME = re.compile(r' *File "([^"]*)", line (\d+), in (.*)$')

# Parts of one op in this library that are separate ops in real Paddle.
_LABELS = {"full1", "not_equal1", "cast1", "multiply1"}  # which labels count, for the mean
MISSING_CALLS = {
    "cross_entropy_of_labels": _LABELS,
    "a_training_step_of_two_layers": _LABELS,
}
# Real Paddle has no entry for a PyLayer, so its node cannot be joined with a call.
EXTRA_CALLS = {
    "a_pylayer": {"Double1"},
    "a_pylayer_with_two_outputs": {"Both1"},
    "nested_pylayers": {"Double2", "Outer1"},
}
# Leaves have the line that makes them require a gradient; real Paddle blames the last call.
LEAF_LINES = {
    "created_tensors": ["a, b = paddle.ones([2, 2]), paddle.full([2, 2], 3.0)"],
    "drawn_numbers": ["x, y = paddle.randn([2, 3]), paddle.rand([3, 2])"],
    "dropout_of_ones": ["x = paddle.ones([4, 4])"],
}
# conv2d's node has no stack in real Paddle, whatever its level.
WITHOUT_STACK = {"convolution_and_pooling": "conv2d1GradNode"}
# Errors of conv2d's have none either; upstream of a list operand real Paddle fails in another node,
# because a hook cannot pass on the gradients it received.
WRONG_STACK = {
    "convolution_and_pooling": "Conv2dGradNodeFinal",
    "concat_and_stack": "StackGradNode",
}


class Frame(NamedTuple):
    """A frame of a program of the corpus."""

    line: int
    function: str
    source: str


def frames_of(text):
    """Return the frames of the corpus in the text of a stack."""
    lines, found = text.splitlines(), []
    for position, line in enumerate(lines):
        match = FRAME.match(line)
        if match and Path(match[1]).name == "corpus.py":
            found.append(Frame(int(match[2]), match[3], lines[position + 1].strip()))
    return tuple(found)


def file_of(folder, name):
    """Return the contents of a file whose name ends in a process id."""
    (path,) = folder.glob(f"{name}.*")
    return path.read_text()


def calls_of(folder):
    """Return pairs of name and frames of an API file, in order."""
    parts = re.split(r"^(\S+) : \n", file_of(folder, "api"), flags=re.MULTILINE)[1:]
    return [(name, frames_of(text)) for name, text in zip(parts[::2], parts[1::2], strict=True)]


def nodes_of(folder):
    """Return counts of (name, frames) of a node file; real Paddle's order is random."""
    text = file_of(folder, "node")
    note, rest = text.split("\n", 1)
    pattern = r"^GradNodeBase (\S+) ptr : 0x[0-9a-f]+ call stack: \n"
    parts = re.split(pattern, rest, flags=re.MULTILINE)
    assert parts[0] == ""
    assert text.endswith("\n\n")
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return note, Counter((name, frames_of(text)) for name, text in pairs)


def failures_of(folder):
    """Return for each failed node its name, the frames of its forward stack, and the last line."""
    found = []
    for each in json.loads((folder / "failures.json").read_text()):
        forward, rest = each["text"].split("C++ Traceback (most recent call last):\n")
        assert "Forward Traceback (most recent call last):\n" in forward
        assert "\nError Message Summary:\n----------------------\n" in rest
        found.append((each["node"], frames_of(forward), rest.rstrip().splitlines()[-1]))
    return sorted(found)


@pytest.mark.parametrize("name", NAMES)
def test_api_stacks_are_paddles(recorded, name):
    ours, paddles = (calls_of(each / name) for each in recorded("stacks"))
    missing, extra = MISSING_CALLS.get(name, set()), EXTRA_CALLS.get(name, set())
    assert missing <= {call for call, _ in paddles}
    assert missing.isdisjoint(call for call, _ in ours)
    assert extra <= {call for call, _ in ours}
    assert extra.isdisjoint(call for call, _ in paddles)
    shared = [each for each in paddles if each[0] not in missing]
    assert [each for each in ours if each[0] not in extra] == shared


@pytest.mark.parametrize("name", NAMES)
def test_node_stacks_are_paddles(recorded, name):
    (note, ours), (paddles_note, paddles) = (nodes_of(each / name) for each in recorded("stacks"))
    assert note == paddles_note
    only_ours, only_paddles = ours - paddles, paddles - ours
    if name in LEAF_LINES:
        check_leaves(only_ours, only_paddles, LEAF_LINES[name])
    elif name in WITHOUT_STACK:
        node = WITHOUT_STACK[name]
        assert list(only_paddles) == [(node, ())]
        ((found, frames),) = only_ours
        assert found == node
        assert frames
    else:
        assert ours == paddles


def check_leaves(ours, paddles, blamed):
    """Check that ours have the line that made them leaves; Paddle's blame the call before."""
    for only in (ours, paddles):
        assert {name for name, _ in only} == {"GradNodeAccumulation"}
    assert sorted({frames[-1].source for _, frames in paddles}) == blamed
    assert all(frames[-1].source.endswith("stop_gradient = False") for _, frames in ours)
    assert ours.total() == paddles.total()


@pytest.mark.parametrize("name", NAMES)
def test_errors_of_backward_have_paddles_forward_stack(recorded, name):
    ours, paddles = (failures_of(each / name) for each in recorded("failures"))
    assert [node for node, *_ in ours] == [node for node, *_ in paddles]
    assert len(ours) > 0
    wrong = {mine[0] for mine, theirs in zip(ours, paddles, strict=True) if mine != theirs}
    assert wrong == ({WRONG_STACK[name]} if name in WRONG_STACK else set())
    assert all(last == f"  [GradNode < {node} > error]" for node, _, last in ours)


# ---- the text of errors at each level

HEADS = (
    "Forward Traceback (most", "C++ Traceback (most", "Error Message Summary:", "{", "}", "At:",
    "[GradNode <", "====",
)  # fmt: skip
LEVELS = (-1, 0, 1, 2, 3, 7)
# At level 1 and below errors are plain here; real Paddle, which loses the user's traceback and the
# exception's type, has the braces of PyLayers at every level.
PLAIN = {"a_pylayer", "nested_pylayers"}


@pytest.fixture(scope="module")
def said():
    """Return the output of error_programs.py: ours and real Paddle's."""
    done, theirs = run_here("error_programs.py"), paddle_says("error_programs")
    ours = {"stdout": done.stdout, "stderr": done.stderr}
    return [(json.loads(each["stdout"]), each["stderr"]) for each in (ours, theirs)]


FRAME_OF_PROGRAMS = re.compile(r'error_programs\.py(?:", line |\()(\d+)(?:, in |\): )(.*)')


def skeleton(text):
    """Return the heads of an error's blocks with their indent, and the user's frames in them."""
    text = re.sub(r"\n  \[It was .*?\n  \]", "", text, flags=re.DOTALL)  # only we have these
    found = []
    for line in re.sub(r"0x[0-9a-f]+", "0x", text).splitlines():
        if line.strip().startswith(HEADS):
            found.append(line)
        elif frame := FRAME_OF_PROGRAMS.search(line):
            found.append(frame.groups())
    return found


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", [each.__name__ for each in error_programs.PROGRAMS])
def test_errors_have_paddles_blocks(said, program, level):
    (ours, _), (paddles, _) = said
    key = f"{program} at {level}"
    mine, theirs = skeleton(ours[key]["text"]), skeleton(paddles[key]["text"])
    if level <= 1 and program in PLAIN:
        assert "{" in theirs
        assert mine == []
    else:
        assert mine == theirs
    assert (level >= 2) == any(isinstance(each, str) for each in mine)


@pytest.mark.parametrize("program", [each.__name__ for each in error_programs.PROGRAMS])
def test_errors_are_of_paddles_type_or_of_the_users(said, program):
    (ours, _), (paddles, _) = said
    key = f"{program} at 1"
    theirs = paddles[key]["bases"][0]
    if program in PLAIN:  # BEAT: a ValueError that became an OSError
        assert theirs == "OSError"
        theirs = "ValueError"
    assert theirs in ours[key]["bases"]


def test_the_sentences_of_the_version_error_are_paddles(said):
    (ours, _), (paddles, _) = said
    sentence, hint = paddles["stale at 1"]["text"].split("\n")[:2]
    assert ours["stale at 1"]["text"].split("\n")[0] == sentence
    assert ours["stale at 1"]["text"].split("\n")[1] == hint.split(" (at ")[0]
    for level in (2, 3):
        text = ours[f"stale at {level}"]["text"]
        assert sentence.replace("(PermissionDenied)", "PermissionDeniedError:") in text


def test_nodes_that_fail_are_reported_on_stderr(said):
    lines = [re.findall(r"W\d{4}.*\] (While running Node .*)", stderr) for _, stderr in said]
    ours, paddles = lines
    per_level = len(paddles) // len(LEVELS)
    assert paddles == paddles[:per_level] * len(LEVELS)
    assert ours == paddles
