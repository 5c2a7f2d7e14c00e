"""The docstring of each function of the op table has its parameters, its result and an example."""

import inspect

import pytest

import jaxeager as paddle
from jaxeager.ops.call import documentation
from jaxeager.ops.row import ROWS

PUBLIC = [row for row in ROWS.values() if row.public is not None]


@pytest.mark.parametrize("row", PUBLIC, ids=lambda row: row.name)
def test_every_parameter_is_described(row):
    text = row.function.__doc__
    for name in inspect.signature(row.function).parameters:
        assert f"\n    {name}: " in text
    assert "an attribute of the op" not in text
    assert "\nReturns:\n    " in text


@pytest.mark.parametrize("row", PUBLIC, ids=lambda row: row.name)
def test_every_example_has_its_result(row):
    lines = row.function.__doc__.partition("Example:\n")[2].splitlines()
    assert lines[0] == "    >>> import jaxeager as paddle"
    assert lines[1] == f"    >>> {row.example}"
    assert lines[2:], "run python tools/generate.py"


def test_words_about_an_op_are_about_one_that_exists():
    own = [name.split(".") for name in documentation._PARAMETERS if "." in name]
    unknown = [
        each for each in own if each[0] != "reduced" and each[1] not in ROWS[each[0]].parameters
    ]
    assert unknown == []
    assert set(documentation._RESULTS) <= set(ROWS)


def test_a_twin_that_writes_in_place_has_its_own_example():
    text = paddle.tanh_.__doc__
    assert "Writes into its first operand and returns it." in text
    assert ">>> paddle.tanh_(" in text
    assert "Returns:\n    The tensor x." in text


def test_help_is_complete():
    assert "transpose_x: whether the last two dimensions of x" in paddle.Tensor.matmul.__doc__
    assert "At the boundary: 0 at 0" in paddle.abs.__doc__
