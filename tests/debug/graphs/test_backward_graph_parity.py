"""The graph of a model like that of the debug guide is real Paddle's, node by node."""

import re
from pathlib import Path

import jaxeager as paddle
from jaxeager.debug import walk_backward_graph
from tests.parity.questions import paddle_says

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def edges_of_paddle(text):
    """Return sorted (source name, target name, dtype and shape) of Paddle's own .dot."""
    names = dict(re.findall(r'(node_\d+)\[label="(\w+)\\nPtr', text))
    edges = re.findall(r'(node_\d+)->(node_\d+)\[label="Place\(cpu\)\\n(.*?)"', text)
    return sorted((names[source], names[target], label) for source, target, label in edges)


def edges_here(graph):
    """Return the same of a walked graph."""
    names = [node.name() for node in graph.nodes]
    return sorted((names[source], names[target], label) for source, target, label in graph.arrows)


def test_the_graph_of_the_example_is_paddles(monkeypatch):
    files = paddle_says("graph_of_the_guide")["files"]
    (dot,) = (text for name, text in files.items() if name.endswith("_backward_graph.dot"))
    wanted = edges_of_paddle(dot)
    assert len(wanted) == 25

    monkeypatch.syspath_prepend(EXAMPLES)
    from debug_guide_model import SmallNet

    loss = SmallNet()(paddle.randn([4, 1, 28, 28])).square().mean()
    assert edges_here(walk_backward_graph(loss)) == wanted
