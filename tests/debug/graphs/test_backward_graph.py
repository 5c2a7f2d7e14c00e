"""The backward graph: the visited nodes, the DOT text, the written files."""

import logging
import sys

import pydot
import pytest

import jaxeager as paddle
from jaxeager.debug import draw_backward_graph, to_dot, walk_backward_graph
from jaxeager.errors import InvalidArgumentError
from tests.support.drawing import needs_graphviz
from tests.support.leaves import leaf


def chain(length):
    """Return a tensor with ``length`` recorded ops upstream."""
    x = leaf(1.0)
    for _ in range(length):
        x = x * 1.0
    return x


def parsed(text):
    """Return (labels by node name, list of (source, target, label)) of DOT text."""
    (graph,) = pydot.graph_from_dot_data(text)
    labels = {
        node.get_name(): node.get_label().strip('"').split("\\n")
        for node in graph.get_nodes()
        if node.get_name() not in {"node", "edge", "graph"}
    }
    arrows = [
        (edge.get_source(), edge.get_destination(), (edge.get_label() or "").strip('" '))
        for edge in graph.get_edges()
    ]
    return labels, arrows


def test_nodes_come_nearest_first_and_once():
    x = leaf([1.0, 2.0])
    y = x.exp()
    graph = walk_backward_graph((y * y).sum())
    names = [node.name() for node in graph.nodes]
    assert names == ["SumGradNode", "MultiplyGradNode", "ExpGradNode", "GradNodeAccumulation"]
    # Parallel edges are kept: y * y passes two gradients to exp.
    assert [(arrow.source, arrow.target) for arrow in graph.arrows] == [
        (0, 1), (1, 2), (1, 2), (2, 3),
    ]  # fmt: skip


def test_a_stopped_input_has_no_arrow():
    graph = walk_backward_graph(leaf([1.0]) * paddle.to_tensor([2.0]))
    assert [node.name() for node in graph.nodes] == ["MultiplyGradNode", "GradNodeAccumulation"]
    assert len(graph.arrows) == 1


def test_several_roots_share_their_nodes():
    x = leaf([1.0])
    y = x.exp()
    graph = walk_backward_graph([y.sin(), y.cos(), y])
    assert [target for _, target in graph.roots] == [0, 1, 2]
    assert len(graph.nodes) == 4


def test_arrows_say_dtype_shape_and_slot():
    x = leaf([[1.0, 2.0, 3.0, 4.0]])
    left, right = paddle.split(x, 2, axis=1)
    _, arrows = parsed(to_dot(walk_backward_graph((left * right).sum())))
    into_split = {label for _, _, label in arrows if "(" in label}
    assert into_split == {"float32[1, 2]\\n(0, 0)", "float32[1, 2]\\n(0, 1)"}
    assert [label for source, _, label in arrows if source == "node_0"] == ["float32[1, 2]"]


def test_an_op_that_keeps_no_shape_still_has_its_arrow_labelled():
    # sigmoid saves its output only; the result of add determines the gradient on its way there.
    x = leaf([1.0, 2.0])
    _, arrows = parsed(to_dot(walk_backward_graph(paddle.sigmoid(x + x))))
    assert ("node_0", "node_1", "float32[2]") in arrows


def test_leaf_boxes_carry_the_parameter_name_and_shape():
    layer = paddle.nn.Linear(3, 2)
    loss = layer(paddle.ones([4, 3])).sum()
    labels, _ = parsed(to_dot(walk_backward_graph(loss)))
    leaves = sorted(lines[:2] for lines in labels.values() if "GradNodeAccumulation" in lines)
    assert leaves == sorted([[layer.weight.name, "float32[3, 2]"], [layer.bias.name, "float32[2]"]])
    assert labels["root_0"][-1] == "float32[]"


def test_names_with_quotes_survive():
    x = leaf([1.0])
    y = x.exp()
    y.name = 'a "quoted" \\ name'
    labels, _ = parsed(to_dot(walk_backward_graph(y)))
    assert labels["root_0"][0] == 'a \\"quoted\\" \\\\ name'


def test_the_graph_can_be_drawn_after_backward():
    loss = leaf([1.0, 2.0]).exp().sum()
    before = to_dot(walk_backward_graph(loss))
    loss.backward()
    assert to_dot(walk_backward_graph(loss)) == before


def test_a_chain_of_100_000_nodes_is_walked():
    graph = walk_backward_graph(chain(100_000))
    assert len(graph.nodes) == 100_001
    assert len(graph.arrows) == 100_000


@needs_graphviz
def test_files_are_written_where_requested(tmp_path):
    written = draw_backward_graph(chain(3), tmp_path / "new" / "chain", ("svg", "dot", "png"))
    assert written == [tmp_path / "new" / f"chain.{kind}" for kind in ("dot", "svg", "png")]
    svg = written[1].read_text(encoding="utf-8")
    assert svg.count("ScaleGradNode") == 3
    assert written[2].read_bytes().startswith(b"\x89PNG")


def test_a_path_with_a_suffix_is_its_stem(tmp_path):
    assert draw_backward_graph(chain(1), tmp_path / "a.svg", "dot") == [tmp_path / "a.dot"]
    assert draw_backward_graph(chain(1), tmp_path / "v1.5", "dot") == [tmp_path / "v1.5.dot"]


def test_too_large_a_graph_is_written_but_not_drawn(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, logger="jaxeager.debug"):
        written = draw_backward_graph(chain(2_500), tmp_path / "long")
    assert [path.name for path in written] == ["long.dot"]
    assert "it has 2501 nodes, and pictures are drawn up to 2000" in caplog.text


def test_without_graphviz_the_dot_is_written_and_one_line_says_how(tmp_path, caplog, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with caplog.at_level(logging.WARNING, logger="jaxeager.debug"):
        written = draw_backward_graph(chain(2), tmp_path / "chain", ("dot", "svg", "png"))
    assert [path.name for path in written] == ["chain.dot"]
    assert len(caplog.records) == 1
    assert 'pip install "jaxeager[viz]"' in caplog.text


def test_a_missing_part_of_pygraphviz_is_named(tmp_path, caplog, monkeypatch):
    package = tmp_path / "pygraphviz"
    package.mkdir()
    (package / "__init__.py").write_text('raise ImportError("libgobject-2.0.so.0: not found")')
    monkeypatch.delitem(sys.modules, "pygraphviz", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with caplog.at_level(logging.WARNING, logger="jaxeager.debug"):
        written = draw_backward_graph(chain(2), tmp_path / "chain")
    assert [path.name for path in written] == ["chain.dot"]
    assert "does not load (libgobject-2.0.so.0: not found); install what it lacks" in caplog.text


def test_dot_on_path_draws_when_pygraphviz_is_missing(tmp_path, monkeypatch):
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\n# dot -Tsvg -o FILE\n/bin/cat > "$3"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    dot, svg = draw_backward_graph(chain(2), tmp_path / "chain")
    assert svg.read_text(encoding="utf-8") == dot.read_text(encoding="utf-8")


def test_a_tensor_without_a_graph_is_refused(tmp_path):
    with pytest.raises(InvalidArgumentError, match="has no graph"):
        draw_backward_graph(paddle.to_tensor([1.0]), tmp_path / "nothing")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["gif", ("svg", "jpeg")])
def test_an_unknown_format_is_refused(tmp_path, kind):
    with pytest.raises(InvalidArgumentError, match="format should be one or several of dot, svg"):
        draw_backward_graph(chain(1), tmp_path / "chain", kind)
    assert list(tmp_path.iterdir()) == []
