"""The [PRECISION] lines against those of real Paddle: every program of the corpus, and bad numbers.

Compared: the number and order of lines, op, dtype, numel, counts, and max, min, mean within
rounding. Not compared: the tensor's name, which Paddle omits.
"""

import math
import re

import numpy as np
import pytest

from jaxeager.debug.numbers.precision_text import parse_line
from tests.debug import bad_numbers, corpus
from tests.debug.conftest import run_here
from tests.parity.questions import paddle_says

RECORDED_TOOLS = tuple(f"nan_inf{level}" for level in range(4))
HIDDEN = "Paddle prints an output of its kernel that is hidden here"
NAMES = "Paddle names another kernel, and prints outputs of it that are hidden here"
KNOWN = {
    "a_training_step_of_two_layers": HIDDEN,
    "cross_entropy_of_labels": HIDDEN,
    "basic_indexing": "of a strided view, Paddle reads the memory it starts at, not its elements",
    "dropout_of_ones": NAMES,
    "layer_norm_without_weight": NAMES,
}
KNOWN_BAD = {
    ("below_float16", 2): "Paddle passes over what float16 makes 0",
    **{("complex_nan", n): "Paddle raises, without a line" for n in range(4)},
    ("fill_with_infinity", 0): "an infinity that was asked for is an error in Paddle",
    **{
        ("large_that_overflows_a_dot_product", n): "Paddle adds up means in float32" for n in (2, 3)
    },
    **{("nan_to_num", n): "Paddle's nan_to_num fills with infinities" for n in range(4)},
}


def lines(text):
    """Return the records in a text."""
    return [found for line in text.splitlines() if (found := parse_line(line)) is not None]


def is_close(a, b, scale):
    """Return whether two numbers are the same but for rounding."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= 1e-5 * max(abs(a), abs(b)) + 3e-6 * scale


def difference(ours, paddles, with_values=True):
    """Return a sentence on the first difference of two lists of records, None if equal."""
    for mine, theirs in zip(ours, paddles, strict=False):
        if mine.op != theirs.op or mine.dtype != theirs.dtype:
            return f"{mine} is not {theirs}"
        if mine.numel != theirs.numel or (mine.num_nan is None) != (theirs.num_nan is None):
            return f"{mine} is not {theirs}"
        sizes = [abs(n) for n in (theirs.max, theirs.min) if math.isfinite(n)]
        near = all(
            is_close(getattr(mine, name), getattr(theirs, name), max(sizes, default=1.0))
            for name in ("max", "min", "mean")
        )
        if with_values and not (mine[5:8] == theirs[5:8] and near):
            return f"{mine} is not {theirs}"
    if len(ours) != len(paddles):
        return f"{len(ours)} lines, Paddle has {len(paddles)}"
    return None


@pytest.mark.parametrize("name", corpus.PROGRAMS)
def test_every_output_of_a_program(recorded, name):
    folders = recorded("nan_inf3")
    ours, paddles = (lines((each / name / "stdout").read_text()) for each in folders)
    assert paddles
    found = difference(ours, paddles, name not in corpus.DRAWS)
    assert (found is not None) == (name in KNOWN), found


@pytest.mark.parametrize("level", [0, 1, 2])
def test_nothing_is_reported_of_good_programs(recorded, level):
    folders = recorded(f"nan_inf{level}")
    for name in corpus.PROGRAMS:
        for folder in folders:
            assert not lines((folder / name / "stdout").read_text()), name
            assert not (folder / name / "error").exists(), name


@pytest.fixture(scope="module")
def printed():
    """Return the output of bad_numbers.py on each library: {(program, level): text}."""
    return [
        _parts(out)
        for out in (run_here("bad_numbers.py").stdout, paddle_says("bad_numbers")["stdout"])
    ]


def _parts(out):
    parts = re.split(r"^===== (\w+) (\d)\n", out, flags=re.MULTILINE)[1:]
    return {(parts[k], int(parts[k + 1])): parts[k + 2] for k in range(0, len(parts), 3)}


def raised(text):
    """Return the errors in a text, without the tensor's name."""
    found = [line for line in text.splitlines() if line.startswith("raised")]
    return [re.sub(r"tensor=[^,]*", "tensor=", line) for line in found]


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("name", bad_numbers.PROGRAMS)
def test_bad_numbers(printed, name, level):
    ours, paddles = (each[name, level] for each in printed)
    found = difference(lines(ours), lines(paddles))
    if found is None and raised(ours) != raised(paddles):
        found = f"{raised(ours)} is not {raised(paddles)}"
    assert (found is not None) == ((name, level) in KNOWN_BAD), found


def test_paddle_reads_the_memory_of_a_strided_view(recorded):
    folders = recorded("nan_inf3")
    ours, paddles = (
        [
            each
            for each in lines((f / "basic_indexing" / "stdout").read_text())
            if each.op == "slice"
        ]
        for f in folders
    )
    assert [each.numel for each in ours] == [each.numel for each in paddles]
    assert any(not np.isclose(a.mean, b.mean) for a, b in zip(ours, paddles, strict=True))
