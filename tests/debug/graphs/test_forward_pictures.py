"""Pictures of the ops of a block, which capture_forward_subgraph_guard draws."""

import logging

import pytest

import jaxeager as paddle
from jaxeager.debug.graphs import dot
from jaxeager.errors import UnavailableError
from jaxeager.utils import capture_forward_subgraph_guard as guard
from tests.support.drawing import needs_graphviz

pytestmark = pytest.mark.usefixtures("counters_at_their_start")


@needs_graphviz
def test_pictures(tmp_path):
    """BEAT: white on cream in Paddle's; the .dot has the same colors, the pictures dark text."""
    with guard(tmp_path / "no" / "such" / "folder" / "g.svg"):
        paddle.to_tensor([1.0]).exp()
    folder = tmp_path / "no" / "such" / "folder"
    assert sorted(each.name for each in folder.iterdir()) == ["g.svg", "g.svg.png", "g.svg.svg"]
    assert 'fillcolor="#FFE4B5" fontcolor="#ffffff"' in (folder / "g.svg").read_text()
    picture = (folder / "g.svg.svg").read_text()
    assert 'fill="#ffe4b5"' in picture.lower()
    assert 'fill="#1f2328"' in picture
    assert "> shape:[1] <" in picture  # a little room, so that no text touches its arrow
    assert (folder / "g.svg.png").read_bytes().startswith(b"\x89PNG")


@needs_graphviz
def test_pictures_of_one_kind(tmp_path):
    """Scripts that read a whole folder as text continue to work: Paddle writes no .png."""
    paddle.set_flags({"FLAGS_graph_pictures": "svg"})
    try:
        with guard(tmp_path / "g"):
            paddle.to_tensor([1.0]).exp()
    finally:
        paddle.set_flags({"FLAGS_graph_pictures": "svg,png"})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["g", "g.svg"]


@needs_graphviz
def test_without_a_path_it_is_digraph_gv(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with guard(None):
        paddle.ones([2])
    names = ["Digraph.gv", "Digraph.gv.png", "Digraph.gv.svg"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names


def test_without_graphviz(tmp_path, monkeypatch, caplog):
    """BEAT: Paddle raises ExecutableNotFound from the guard, over the user's own exception."""

    def refuse(*arguments):
        raise UnavailableError("pictures need Graphviz")

    monkeypatch.setattr(dot, "render", refuse)
    with caplog.at_level(logging.WARNING), guard(tmp_path / "g"):
        paddle.ones([2]).exp()
    text = (tmp_path / "g").read_text()
    assert text.count("->") == text.count("full1 -> exp1") == 1
    (record,) = caplog.records
    assert "pictures need Graphviz" in record.getMessage()
    with pytest.raises(ValueError, match="the user's"), guard(tmp_path / "h"):
        raise ValueError("the user's")


def test_large_graphs_have_no_pictures(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(dot, "MAX_PICTURE_NODES", 3)
    with caplog.at_level(logging.WARNING), guard(tmp_path / "g"):
        x = paddle.ones([2])
        for _ in range(3):
            x = x.exp()
    assert [each.name for each in tmp_path.iterdir()] == ["g"]
    assert "it has 4 nodes" in caplog.text
