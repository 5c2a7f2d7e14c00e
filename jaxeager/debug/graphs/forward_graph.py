"""The graph of the forward ops that run in a block, as DOT text and as pictures.

Note [What is drawn]
    A grey box is one call of an op, or one PyLayer with everything inside it. An arrow is a tensor
    that one call made and another one used; its label is the tensor's unique name, its shape and
    its dtype. A tensor from outside the block has a separate box. Calls made by backward and by
    other threads are not drawn.

    The text is exactly Paddle's, including its commas (they are left over from the log that Paddle
    reads its graph from), because scripts parse it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pydot

from jaxeager.debug.common import naming
from jaxeager.debug.common.output_files import check_writable
from jaxeager.debug.common.placement_text import placement_text
from jaxeager.debug.graphs import dot
from jaxeager.debug.graphs.backward_graph import with_room
from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events

logger = logging.getLogger("jaxeager.debug")

_NODE_STYLE = {
    "fontname": "Arial", "height": "0.84", "shape": "box", "style": "rounded,filled,bold",
    "width": "1.3",
}  # fmt: skip
_OP_COLORS = {"color": "#999999", "fillcolor": "#999999", "fontcolor": "#ffffff"}
_SOURCE_COLORS = {"color": "#FFE4B5", "fillcolor": "#FFE4B5", "fontcolor": "#ffffff"}
# White on cream is unreadable. Scripts identify the text by it, so only pictures use dark letters.
_UNREADABLE = 'fillcolor="#FFE4B5" fontcolor="#ffffff"'
_READABLE = 'fillcolor="#FFE4B5" fontcolor="#1f2328"'


@contextlib.contextmanager
def capture_forward_subgraph_guard(file_path: str | os.PathLike | None) -> Iterator[None]:
    """Draw the graph of the forward ops that this thread runs in the block.

    At its end, even after an exception, it writes ``file_path`` (DOT text) and pictures of it,
    ``file_path.svg`` and ``file_path.png``. Folders are created. Pictures need ``pip install
    "jaxeager[viz]"`` or Graphviz's ``dot`` on PATH, and a graph of at most 2,000 nodes; otherwise
    a line of the log states the reason. Guards may be nested.

    Args:
        file_path: where to write; None for ``Digraph.gv`` in the working directory.

    Raises:
        InvalidTypeError: when ``file_path`` is not a path.
        InvalidArgumentError: when the file cannot be written.

    Example:
        >>> import jaxeager as paddle
        >>> path = getfixture("tmp_path") / "forward"
        >>> with paddle.utils.capture_forward_subgraph_guard(path):
        ...     y = paddle.ones([2]).exp()
        >>> print(path.read_text().splitlines()[0])
        digraph {
    """
    if file_path is not None and not isinstance(file_path, (str, os.PathLike)):
        raise InvalidTypeError(
            "file_path of capture_forward_subgraph_guard should be a path or None, but received "
            f"{file_path!r}."
        )
    name = "Digraph.gv" if file_path is None else os.fspath(file_path)
    check_writable(name, "file_path of capture_forward_subgraph_guard")
    path = Path(name).absolute()
    recorder = _Recorder()
    try:
        with naming.in_use(), events.observing(recorder):
            yield
    except BaseException:
        try:
            _write(recorder.graph, path)
        except Exception as error:  # must not hide an exception of the block
            logger.warning("The forward graph could not be written to %s: %s", path, error)
        raise
    _write(recorder.graph, path)


def _write(graph: pydot.Dot, path: Path) -> None:
    """Write the text of a graph, and pictures in the same folder."""
    text = dot.to_text(graph)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    count = len(graph.get_nodes())
    dot.draw(with_room(text.replace(_UNREADABLE, _READABLE)), path, count)


class _Recorder(events.Observer):
    """Draws the calls of one thread.

    Attributes:
        graph: the drawing so far.
    """

    def __init__(self):
        self.graph = pydot.Dot(graph_type="digraph")
        self._thread = threading.get_ident()
        self._inputs: dict[int, list] = {}  # by Call: its inputs
        self._layers: list[list] = []  # the inputs of each running PyLayer
        self._backwards = 0
        self._drawn: set[str] = set()  # names of nodes

    def _is_here(self) -> bool:
        return threading.get_ident() == self._thread

    def _is_drawing(self) -> bool:
        return not self._layers and not self._backwards and self._is_here()

    # ---- ops: an in-place op renames its operand, so operands are described before it runs

    def operands_ready(self, call):
        if self._is_drawing():
            self._inputs[id(call)] = _described(call.operands)

    def call_ended(self, call):
        inputs = self._inputs.pop(id(call), None)
        if inputs is not None:
            self._draw(_call_name(call.outputs), inputs)

    def call_failed(self, call, error):
        self._inputs.pop(id(call), None)

    # ---- PyLayers

    def layer_began(self, layer, inputs, node):
        if self._is_here() and not self._backwards:
            self._layers.append(_described(inputs))

    def layer_ended(self, layer, inputs, outputs, node):
        described = self._end_layer()
        if described is not None and self._is_drawing():
            self._draw(_call_name(outputs), described)

    def layer_failed(self, layer, error):
        self._end_layer()

    def _end_layer(self) -> list | None:
        """Return the inputs of the innermost PyLayer; None if it began before the guard."""
        is_ours = self._is_here() and not self._backwards and self._layers
        return self._layers.pop() if is_ours else None

    # ---- backward

    def backward_began(self, run):
        if self._is_here():
            self._backwards += 1

    def backward_ended(self, run, error):
        if self._is_here() and self._backwards:
            self._backwards -= 1

    # ---- drawing

    def _draw(self, name: str | None, inputs: list) -> None:
        """Draw a call and an arrow for each of its inputs."""
        if name is None:  # not counted, because it began before the guard
            return
        self._drawn.add(name)
        self.graph.add_node(dot.new_node(name, label=name, **_OP_COLORS, **_NODE_STYLE))
        for producer, tensor_name, shape, dtype, placed in inputs:
            if producer not in self._drawn:
                producer = f"{tensor_name},_SourceNode"
                self._draw_source(producer)
            text = f"{tensor_name},\nshape:{shape}\ndtype:{dtype},"
            text += f"\nplacements:{placed}" if placed else ""
            self.graph.add_edge(dot.new_edge(producer, name, label=text))

    def _draw_source(self, name: str) -> None:
        if name not in self._drawn:
            self._drawn.add(name)
            self.graph.add_node(dot.new_node(name, label=name, **_SOURCE_COLORS, **_NODE_STYLE))


def _described(operands) -> list[tuple]:
    """Return (call that made it, name, shape, dtype, placements) of each Tensor of operands."""
    found = []
    for tensor in naming.each_of(operands):
        if hasattr(tensor, "_storage"):
            array = tensor._array
            name, shape = naming.name_of(tensor), list(array.shape)
            call, placed = naming.call_of(tensor), placement_text(tensor)
            found.append((call, name, shape, array.dtype.name, placed))
    return found


def _call_name(outputs) -> str | None:
    return naming.call_of(outputs[0]) if len(outputs) else None
