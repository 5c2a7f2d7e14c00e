"""graph_data of the current tape."""

import json
import re
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager.debug import graph_data
from jaxeager.errors import InvalidArgumentError
from tests.debug.explorer.programs import nan_in_layer_7, written_through_a_view
from tests.support.leaves import leaf


@pytest.fixture(autouse=True)
def lines():
    """Make nodes record their lines."""
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    yield
    paddle.set_flags({"FLAGS_call_stack_level": 1})


def by_op(data, op):
    return next(node for node in data["nodes"] if node["op"] == op)


def test_nodes_edges_and_gradients():
    x = leaf([1.0, 2.0])
    data = graph_data((x * x).sum())
    json.dumps(data, allow_nan=False)
    assert [node["kind"] for node in data["nodes"]] == ["op", "op", "leaf"]
    multiply = by_op(data, "multiply")
    assert multiply["grad_name"] == "MultiplyGradNode"
    assert multiply["gradients"][0]["figures"]["norm"] == pytest.approx(2**0.5)
    assert multiply["backward_us"] >= 0
    assert [each["name"] for each in multiply["saved"]] == ["x", "y"]
    assert multiply["saved_bytes"] == 8  # it is the same array
    parallel = [each for each in data["edges"] if each["target"] == 2]
    assert [each["figures"]["max"] for each in parallel] == [2.0, 2.0]
    assert x.grad is None
    assert by_op(data, "leaf")["gradients"][0]["figures"]["max"] == 4.0


def documented(row):
    """Return the words in code of a row of the table of docs/explorer.md, except the first."""
    text = (Path(__file__).parents[3] / "docs" / "explorer.md").read_text()
    line = next(each for each in text.splitlines() if each.startswith(f"| {row} |"))
    return set(re.findall(r"`(\w+)`", line.split("|", 2)[2]))


def test_the_page_of_the_documentation_has_every_key():
    x = leaf([1.0, 2.0])
    data = graph_data((x * x).sum())
    node, edge = data["nodes"][1], data["edges"][0]
    assert set(node) == documented("`nodes`")
    assert set(node["saved"][0]) <= documented("`nodes[].saved`")
    assert set(edge) == documented("`edges`")
    assert set(edge["figures"]) == documented("`figures`")
    assert set(data["stacks"][0][0]) == documented("`stacks`, `sources`")
    assert set(data["groups"][0]) == documented("`groups`")


def test_the_graph_can_run_again_and_nothing_else_has_changed():
    x = leaf([3.0])
    loss = (x * x).sum()
    graph_data(loss)
    loss.backward()
    assert x.grad.tolist() == [6.0]


def test_lines_of_the_program_with_what_is_around():
    x = leaf([1.0])
    data = graph_data(paddle.tanh(x))
    frame = data["stacks"][by_op(data, "tanh")["stack"]][-1]
    assert frame["text"] == "data = graph_data(paddle.tanh(x))"
    assert frame["function"] == "test_lines_of_the_program_with_what_is_around"
    assert "x = leaf([1.0])" in data["sources"][frame["file"]][str(frame["line"] - 1)]


def test_groups_are_functions_where_no_layers_are_known():
    def inner(x):
        return paddle.tanh(x)

    data = graph_data(inner(leaf([1.0])).sum())
    path, group = [], by_op(data, "tanh")["group"]
    while group is not None:
        path.append(data["groups"][group]["name"])
        group = data["groups"][group]["parent"]
    assert path[0] == "inner()"
    assert by_op(data, "leaf")["group"] == by_op(data, "tanh")["group"]


def test_a_write_through_a_view_is_found_before_backward_runs():
    data = graph_data(written_through_a_view(), gradients=False)
    (problem,) = data["problems"]
    assert problem["kind"] == "stale"
    assert "written in place by scale_" in problem["text"]
    saved = data["nodes"][problem["node"]]["saved"][0]
    assert (saved["version"], saved["now"], saved["is_stale"]) == (0, 1, True)
    assert "first.scale_(0.5)" in data["stacks"][saved["writer"]["stack"]][-1]["text"]


def test_a_backward_that_is_refused_is_shown_as_far_as_it_came():
    data = graph_data(written_through_a_view())
    assert [each["kind"] for each in data["problems"]] == ["stale"]
    refused = data["nodes"][data["problems"][0]["node"]]
    assert refused["error"].startswith("PermissionDeniedError: Tensor")
    assert "Traceback" not in refused["error"]
    assert any("did not finish" in note for note in data["notes"])
    assert data["nodes"][0]["gradients"]


def test_a_nan_is_reported_where_it_is_made():
    data = graph_data(nan_in_layer_7())
    (first,) = data["problems"]
    assert first["kind"] == "nan"
    assert "born here, backward" in first["text"]
    frame = data["stacks"][data["nodes"][first["node"]]["stack"]][-1]
    assert "spread = paddle.sqrt" in frame["text"]


def test_hooks_are_not_called_unasked():
    called = []
    x = leaf([1.0])
    y = x * 2
    y.register_hook(lambda grad: called.append(grad))
    data = graph_data(y.sum())
    assert called == []
    assert any("hooks" in note for note in data["notes"])
    graph_data(y.sum(), gradients=True)
    assert len(called) == 1


def test_a_graph_that_was_freed_says_so():
    loss = (leaf([1.0]) * 2).sum()
    loss.backward()
    data = graph_data(loss)
    assert any("released the graph" in note for note in data["notes"])
    assert by_op(data, "sum")["saved"] == []


def test_without_lines_it_says_how_to_have_them():
    paddle.set_flags({"FLAGS_call_stack_level": 1})
    data = graph_data((leaf([1.0]) * 2).sum())
    assert any("FLAGS_call_stack_level" in note for note in data["notes"])


def test_gradients_of_gradients_have_both_stacks():
    x = leaf([1.0])
    (grad,) = paddle.grad((x**3).sum(), x, create_graph=True)
    data = graph_data(grad.sum())
    assert any(node["caller"] is not None for node in data["nodes"])


@pytest.mark.parametrize("what", [3, paddle.to_tensor([1.0]), [paddle.to_tensor([1.0])]])
def test_values_without_a_graph_are_refused(what):
    with pytest.raises(InvalidArgumentError, match="has no graph"):
        graph_data(what)
