"""The graph of the debug guide's kind of model is, node by node and edge by edge, real Paddle's."""

import re
import subprocess
from pathlib import Path

import jaxeager as paddle
from jaxeager.debug import walk_backward_graph
from tests.parity.harness import needed_paddle

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# The same example on Paddle, which writes its own picture of the same backward.
ON_PADDLE = """
import sys, types
import paddle
debug = types.ModuleType("jaxeager.debug")
debug.draw_backward_graph = None
names = {"jaxeager": paddle, "jaxeager.nn": paddle.nn, "jaxeager.debug": debug}
sys.modules.update(names)
sys.path.insert(0, sys.argv[1])
from debug_guide_model import SmallNet
loss = SmallNet()(paddle.randn([4, 1, 28, 28])).square().mean()
loss.backward(dump_backward_graph_path=sys.argv[2])
"""


def edges_of_paddle(text):
    """Returns sorted (source name, target name, dtype and shape) of Paddle's own .dot."""
    names = dict(re.findall(r'(node_\d+)\[label="(\w+)\\nPtr', text))
    edges = re.findall(r'(node_\d+)->(node_\d+)\[label="Place\(cpu\)\\n(.*?)"', text)
    return sorted((names[source], names[target], label) for source, target, label in edges)


def edges_here(graph):
    """Returns the same of a walked graph."""
    names = [node.name() for node in graph.nodes]
    return sorted((names[source], names[target], label) for source, target, label in graph.arrows)


def test_the_graph_of_the_example_is_paddles(tmp_path, monkeypatch):
    command = [needed_paddle(), "-c", ON_PADDLE, str(EXAMPLES), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    (dot,) = tmp_path.glob("*_backward_graph.dot")
    wanted = edges_of_paddle(dot.read_text(encoding="utf-8"))
    assert len(wanted) == 25

    monkeypatch.syspath_prepend(EXAMPLES)
    from debug_guide_model import SmallNet

    loss = SmallNet()(paddle.randn([4, 1, 28, 28])).square().mean()
    assert edges_here(walk_backward_graph(loss)) == wanted
