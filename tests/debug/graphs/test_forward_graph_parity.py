"""The forward graphs of the corpus are real Paddle's: the same nodes, edges, labels and colors."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pydot
import pytest

from tests.debug.corpus import PROGRAMS

RECORDED_TOOLS = ("forward_graph",)

_RENAMED = "Paddle renames parameters that an initializer fills in place"
_MASKED = "Paddle masks ignored labels with ops whose result it does not use"
KNOWN = {
    "two_layer_perceptron": _RENAMED,
    "a_training_step_of_two_layers": f"{_RENAMED}; {_MASKED}",
    "cross_entropy_of_labels": _MASKED,
}
PADDLE_FAILS = {"dropout_of_ones", "layer_norm_without_weight"}  # an optional operand left out
COUNTED = re.compile(r"(eager_(in_)?tmp|unnamed)_\d+")  # names of unnamed tensors


class Graph(NamedTuple):
    """The contents of a file: attributes by node, and each edge with its attributes, counted."""

    nodes: dict
    edges: Counter


def read(path: Path) -> Graph:
    """Return a graph as pydot reads it, with unnamed tensors under one name."""
    (parsed,) = pydot.graph_from_dot_data(COUNTED.sub("unnamed", path.read_text()))
    nodes = {node.get_name(): _plain(node.get_attributes()) for node in parsed.get_nodes()}
    edges = [
        (edge.get_source(), edge.get_destination(), _plain(edge.get_attributes()))
        for edge in parsed.get_edges()
    ]
    return Graph({n: a for n, a in nodes.items() if n != '"\\n"'}, Counter(edges))


def _plain(attributes: dict) -> tuple:
    return tuple(sorted((key, value.strip('"')) for key, value in attributes.items()))


@pytest.mark.parametrize("program", PROGRAMS)
def test_graphs_are_paddles(recorded, program):
    folders = recorded("forward_graph")
    ours = read(folders.ours / program / "forward")
    if program in PADDLE_FAILS:
        assert "KeyError: 'Name'" in (folders.paddles / program / "error").read_text()
        return
    theirs = read(folders.paddles / program / "forward")
    if program in KNOWN:
        assert ours != theirs, "no longer a difference"
        return
    assert ours.nodes == theirs.nodes
    check_edges(ours.edges, theirs.edges)


def check_edges(ours: Counter, theirs: Counter) -> None:
    """Assert equal edges, except that a tensor written in place has an edge from its creator.

    Paddle reads names after the op has run, and draws a loop.
    """
    loops = {edge for edge in theirs if edge[0] == edge[1]}
    assert not any(edge[0] == edge[1] for edge in ours)
    assert set(theirs - ours) == loops
    replaced = sorted(target for _, target, _ in (ours - theirs).elements())
    assert replaced == sorted(target for _, target, _ in loops)


def test_loops_of_in_place_ops_are_the_only_other_difference(recorded):
    folders = recorded("forward_graph")
    theirs = read(folders.paddles / "add_in_place" / "forward")
    ours = read(folders.ours / "add_in_place" / "forward")
    assert any(edge[0] == edge[1] for edge in theirs.edges)
    assert ("scale1", "add_1") in {edge[:2] for edge in ours.edges}


def test_the_text_itself_is_paddles(recorded):
    """A script that reads the lines finds the same ones; a source box occurs once here."""
    folders = recorded("forward_graph")
    ours, theirs = (each / "same_operand_twice" / "forward" for each in folders)
    said = []
    for statement in theirs.read_text().split("\n\t"):
        if " -> " in statement or statement not in said:
            said.append(statement)
    assert said == ours.read_text().split("\n\t")
