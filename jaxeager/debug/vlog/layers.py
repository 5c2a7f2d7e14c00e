"""The lines of the verbose log about PyLayers, and the indent of the calls inside them.

Note [Indent]
    Calls inside a PyLayer, forward or backward, are written one tab deeper, so that editors can
    fold them. The tab ends with the call, even if the call fails or the levels change meanwhile: if
    the log was switched on inside, there is no tab to remove, and if it was switched off inside,
    all tabs have been removed already (vlog.indent).
"""

from jaxeager.debug.common import naming
from jaxeager.debug.vlog import marks as vlog_marks
from jaxeager.debug.vlog import nodes as vlog_nodes
from jaxeager.debug.vlog import vlog
from jaxeager.debug.vlog.edges import say_edges
from jaxeager.graph import events
from jaxeager.graph.pylayer import GradNodePyLayer


class Layers(events.Observer):
    """Writes the lines about a PyLayer's ``apply``."""

    def layer_began(self, layer, inputs, node):
        name = layer.__name__
        _say(3, f"{name}:Running PyLayer Apply ")
        vlog.indent(+1)
        _say(4, f"{name}:Construct PyLayerContext")
        _say(6, "PyLayer construct PyLayerContext finish...")
        _say(6, f"{name}:Prepare Pylayer forward args ")
        _say(6, f"{name}:Input size is {len(_ranks_of(inputs, node))}")
        _say(6, f"{name}:PyLayer forward args is ready, begin call user's forward function...")

    def layer_ended(self, layer, inputs, outputs, node):
        name = layer.__name__
        _say(6, f"{name}:PyLayer forward function finish...")
        if node is not None:
            _say_node(name, node)
        widths = [None] * len(outputs) if node is None else node.call.widths
        _say(3, f"{name}:PyLayer output size {len(widths)}")
        _say(3, f"{name}:Finish PyLayer Apply")
        vlog.indent(-1)
        if vlog.is_on("eager_py_layer", 3):
            ranks = _ranks_of(inputs, node)
            text = f"\nForward Debug Info {{\nAPI_Name: {_call_name(name, outputs)} \nInput: [ \n"
            text += _slots_text("input", inputs, ranks) + "]  \nOutput: [ \n"
            text += _slots_text("out", outputs, widths) + "] } "
            _say(3, text)

    def layer_failed(self, layer, error):
        vlog.indent(-1)


def _say(level: int, text: str) -> None:
    vlog.log("eager_py_layer", level, text)


def _say_node(name: str, node) -> None:
    kind, pointer = node.name(), f"{node.node_ptr():#x}"
    _say(3, f"{name}:Create grad node {kind} addr {pointer}")
    if vlog_marks.is_captured():
        _say(3, vlog_marks.capture_text(node))
    if vlog.is_on("grad_node_info", 5):
        say_edges(node)
    _say(6, f"{name}:PyLayer construct backward node finish...")


def _call_name(name: str, outputs: list) -> str:
    """Return the name of the call, "Outer1"."""
    return (naming.call_of(outputs[0]) if outputs else None) or name


def _ranks_of(tensors: list, node) -> list:
    """Return how many tensors each input slot has, None for one that is not a list."""
    return [None] * len(tensors) if node is None else list(node.ranks)


def _slots_text(what: str, tensors: list, ranks: list) -> str:
    """Return ``( input0 , [ {..}, {..},  ]), `` for every slot."""
    texts, start = [], 0
    for slot, rank in enumerate(ranks):
        count = 1 if rank is None else rank
        values = [vlog_nodes.Value(each, None, "") for each in tensors[start : start + count]]
        start += count
        listed = vlog_nodes.list_text(values, "eager_py_layer")
        texts.append(f"( {what}{slot} , {listed}), ")
    return " \n".join(texts)


# ---- backward


def is_layer(node) -> bool:
    """Return whether a node belongs to a PyLayer."""
    return isinstance(node, GradNodePyLayer)


def begin_backward(node) -> None:
    """Write that a PyLayer's node runs, and indent the calls inside it."""
    vlog.indent(+1)
    vlog.log("py_layer_node", 3, f"Running Eager Backward Node: {node.name()}")


def enter_backward() -> None:
    """Write that the user's backward is about to be called."""
    text = "PyLayer backward args is ready, begin call user's backward function..."
    vlog.log("py_layer_node", 6, text)


def end_backward(node, results) -> None:
    """Write that it has returned, and end the indent."""
    vlog.log("py_layer_node", 6, "PyLayer backward function finish...")
    vlog.log("py_layer_node", 6, f"Pylayer backward output size {len(node.ranks)}")
    vlog.log("py_layer_node", 6, f"Pylayer forward duplicable input size{len(node.ranks)}")
    leave_backward()


def leave_backward() -> None:
    """End the indent."""
    vlog.indent(-1)
