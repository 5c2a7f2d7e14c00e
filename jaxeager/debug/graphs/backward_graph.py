"""The backward graph of some tensors, as DOT text and as pictures.

Note [How the picture reads]
    An orange box is a tensor that backward starts from, a grey ellipse a GradNode, a green box the
    GradNodeAccumulation of a leaf, with the leaf's name. An arrow is one gradient; its label is the
    gradient's dtype and shape, and (slot, rank) if the receiving node accepts more than one.
"""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pydot

from jaxeager.debug.common.placement_text import placement_text
from jaxeager.errors import InvalidArgumentError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jaxeager.tensor import Tensor

logger = logging.getLogger("jaxeager.debug")

FORMATS = ("dot", "svg", "png", "pdf")
# Graphviz needs a fifth of a second for a chain of this many nodes and minutes for a dense graph,
# and a larger picture is not readable.
MAX_PICTURE_NODES = 2000

_FONT = "Helvetica,Arial,sans-serif"
_GRAPH_STYLE = {"rankdir": "TB", "nodesep": "0.35", "ranksep": "0.35", "bgcolor": "white"}
_NODE_STYLE = {"style": "filled", "fontname": _FONT, "fontsize": "12", "fontcolor": "#1f2328"}
_EDGE_STYLE = {"fontname": _FONT, "fontsize": "10", "fontcolor": "#57606a", "color": "#57606a"}
_ROOT_STYLE = {"shape": "box", "fillcolor": "#ffe2b8", "color": "#c77700"}
_OP_STYLE = {"shape": "ellipse", "fillcolor": "#eef1f4", "color": "#6e7781"}
_ARROW_STYLE = '\tedge [fontname="Arial" fontsize="11"]\n'
_ARROW = re.compile(r'(->[^\[\n]*\[label=")((?:[^"\\]|\\.)*)(")')
_LEAF_STYLE = {"shape": "box", "fillcolor": "#cfeeda", "color": "#1a7f47"}


class Arrow(NamedTuple):
    """One gradient: from a node of ``nodes`` (by index) to another."""

    source: int
    target: int
    label: str


class BackwardGraph(NamedTuple):
    """Every node that backward can reach, nearest first, and the gradients between them.

    Attributes:
        roots: per requested tensor, its text and the index of its node.
        nodes: GradNodes and GradNodeAccumulations, in order of distance from the roots.
        arrows: one per gradient passed, including parallel ones.
    """

    roots: list[tuple[str, int]]
    nodes: list
    arrows: list[Arrow]


class Pictures(list[Path]):
    """The paths of the files of a graph; notebooks show the .svg among them."""

    def _repr_svg_(self) -> str | None:
        picture = next((path for path in self if path.suffix == ".svg"), None)
        return None if picture is None else picture.read_text(encoding="utf-8")


def draw_backward_graph(
    tensors: Tensor | list[Tensor] | tuple[Tensor, ...],
    path: str,
    format: str | Sequence[str] = ("dot", "svg"),
    show_slots: bool = False,
) -> list[Path]:
    """Write the graph that backward from ``tensors`` would traverse; return the files written.

    Call it before ``backward()`` or after: the nodes remain, only their saved tensors are freed.
    The .dot is always written. Pictures need ``pip install "jaxeager[viz]"`` or Graphviz's ``dot``
    on PATH, and a graph of at most 2,000 nodes; otherwise a line of the log states the reason.

    Args:
        tensors: one tensor that an op made, or a list of them.
        path: where to write, for example "out/loss"; the files are out/loss.dot, out/loss.svg.
            Folders are created.
        format: one of "dot", "svg", "png", "pdf", or several.
        show_slots: write on every arrow the (slot, rank) it leaves from and the one it goes to.

    Returns:
        The paths written, the .dot first.

    Raises:
        InvalidArgumentError: for an unknown format, or a tensor without a graph.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.debug import draw_backward_graph
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> folder = getfixture("tmp_path")
        >>> [path.name for path in draw_backward_graph((x * x).sum(), folder / "square", "dot")]
        ['square.dot']
    """
    formats = _checked_formats(format)
    graph = walk_backward_graph(tensors, show_slots)
    stem = Path(path)
    if stem.suffix.lstrip(".") in FORMATS:
        stem = stem.with_suffix("")
    stem.parent.mkdir(parents=True, exist_ok=True)
    text = to_dot(graph)
    written = Pictures([stem.with_name(stem.name + ".dot")])
    written[0].write_text(text, encoding="utf-8")
    pictures = [kind for kind in formats if kind != "dot"]
    if pictures and len(graph.nodes) > MAX_PICTURE_NODES:
        logger.warning(
            "No picture of %s: it has %d nodes, and pictures are drawn up to %d. "
            "The .dot holds all of it; draw a tensor nearer to the leaves for a smaller graph.",
            written[0], len(graph.nodes), MAX_PICTURE_NODES,
        )  # fmt: skip
        return written
    for kind in pictures:
        picture = stem.with_name(f"{stem.name}.{kind}")
        try:
            render(text, picture, kind)
        except UnavailableError as error:
            logger.warning("No picture of %s: %s", written[0], error.message)
            break
        written.append(picture)
    return written


def walk_backward_graph(
    tensors: Tensor | list[Tensor] | tuple[Tensor, ...], show_slots: bool = False
) -> BackwardGraph:
    """Return the graph of one tensor or a list of them, as plain lists.

    Args:
        tensors: one tensor that an op made, or a list of them.
        show_slots: include both ends of every arrow, as (slot, rank), in its label.

    Raises:
        InvalidArgumentError: when no op recorded on the tape made one of the tensors.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.debug import walk_backward_graph
        >>> x = paddle.to_tensor(3.0, stop_gradient=False)
        >>> [node.name() for node in walk_backward_graph(x * x).nodes]
        ['MultiplyGradNode', 'GradNodeAccumulation']
    """
    tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    index: dict = {}
    roots = []
    for tensor in tensors:
        node = tensor.grad_fn
        if node is None or tensor.stop_gradient:
            raise InvalidArgumentError(
                f"Tensor {tensor.name} of shape {list(tensor.shape)} has no graph: it "
                f"has stop_gradient={tensor.stop_gradient} and no recorded op made it. Give a "
                "tensor computed, outside no_grad, from one with stop_gradient=False."
            )
        text = f"{tensor.name}\n{_meta_text(tensor.dtype, tensor.shape)}"
        text = f"{text} {placement_text(tensor)}".rstrip()
        roots.append((text, index.setdefault(node, len(index))))
    nodes, arrows = list(index), []
    for source, node in enumerate(nodes):  # the list grows during the loop, to avoid recursion
        for place, meta in _places_and_metas(node):
            edge = meta.edge
            target = index.get(edge.node)
            if target is None:
                target = index[edge.node] = len(nodes)
                nodes.append(edge.node)
            text = _arrow_text(edge, meta, place if show_slots else None)
            arrows.append(Arrow(source, target, text))
    return BackwardGraph(roots, nodes, arrows)


def to_dot(graph: BackwardGraph) -> str:
    """Return the graph as DOT text.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.debug import to_dot, walk_backward_graph
        >>> x = paddle.to_tensor(3.0, stop_gradient=False)
        >>> to_dot(walk_backward_graph(x * x)).splitlines()[0]
        'digraph backward {'
    """
    dot = pydot.Dot("backward", graph_type="digraph", **_GRAPH_STYLE)
    dot.set_node_defaults(**_quoted_values(_NODE_STYLE))
    dot.set_edge_defaults(**_quoted_values(_EDGE_STYLE))
    arriving = dict.fromkeys(range(len(graph.nodes)), "")
    for arrow in graph.arrows:
        arriving[arrow.target] = arrow.label.split("\n")[0]
    for number, (text, target) in enumerate(graph.roots):
        style = _quoted_values(_ROOT_STYLE)
        dot.add_node(pydot.Node(f"root_{number}", label=quoted(text), **style))
        dot.add_edge(pydot.Edge(f"root_{number}", f"node_{target}"))
    for number, node in enumerate(graph.nodes):
        style = _quoted_values(_LEAF_STYLE if node.is_leaf else _OP_STYLE)
        label = quoted(_node_text(node, arriving[number]))
        dot.add_node(pydot.Node(f"node_{number}", label=label, **style))
    for source, target, text in graph.arrows:
        label = quoted(f" {text} ")  # some space between arrow and text
        dot.add_edge(pydot.Edge(f"node_{source}", f"node_{target}", label=label))
    return dot.to_string()


def render(text: str, picture: Path, kind: str) -> None:
    """Write a picture of DOT text with pygraphviz, or with ``dot`` from PATH.

    Raises:
        UnavailableError: when neither is installed, or pygraphviz lacks a system library.
    """
    try:
        import pygraphviz
    except ModuleNotFoundError:
        how = 'run pip install "jaxeager[viz]", or install'
    except ImportError as error:
        how = f"pygraphviz is installed but does not load ({error}); install what it lacks, or"
    else:
        drawing = pygraphviz.AGraph(string=text)
        drawing.draw(str(picture), format=kind, prog="dot")
        drawing.close()
        return
    program = shutil.which("dot")
    if program is None:
        raise UnavailableError(
            f"pictures need Graphviz; {how} Graphviz so that its program dot is on PATH."
        )
    command = [program, f"-T{kind}", "-o", str(picture)]
    subprocess.run(command, input=text, text=True, check=True, encoding="utf-8")


def with_room(text: str) -> str:
    """Return DOT text with some space around the labels of arrows, in the font of boxes.

    Example:
        >>> with_room('digraph {\\n\\ta -> b [label="x@Grad"]\\n}').split("\\t")[-1]
        'a -> b [label=" x@Grad "]\\n}'
    """
    return _ARROW.sub(_padded, text.replace("{\n", f"{{\n{_ARROW_STYLE}", 1))


def _padded(found: re.Match) -> str:
    start, label, end = found.groups()
    for line_end in ("\\n", "\n"):
        label = label.replace(line_end, f" {line_end} ")
    return f"{start} {label} {end}"


def picture_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of pictures that FLAGS_graph_pictures names.

    Raises:
        InvalidArgumentError: for a kind other than svg and png.

    Example:
        >>> picture_kinds("svg, png"), picture_kinds("")
        (('svg', 'png'), ())
    """
    kinds = tuple(filter(None, (word.strip() for word in text.split(","))))
    if not set(kinds) <= {"svg", "png"}:
        raise InvalidArgumentError(
            f"Flag FLAGS_graph_pictures accepts svg, png, both or nothing, but received {text!r}."
        )
    return kinds


def _checked_formats(format) -> tuple[str, ...]:
    formats = (format,) if isinstance(format, str) else tuple(format)
    for kind in formats:
        if kind not in FORMATS:
            raise InvalidArgumentError(
                f"format should be one or several of {', '.join(FORMATS)}, but received {kind!r}."
            )
    return formats


def _places_and_metas(node):
    """Yield (slot, rank) and GradSlotMeta of each forward input that a gradient goes to."""
    for slot, metas in enumerate(node.out_meta):
        for rank, meta in enumerate(metas):
            if meta.edge is not None:
                yield (slot, rank), meta


def _arrow_text(edge, meta, place: tuple[int, int] | None) -> str:
    """Return a gradient's dtype and shape, from its forward output if known, else the input."""
    slots = edge.node.in_meta
    if slots:
        meta = slots[edge.slot][edge.rank]
    text = _meta_text(meta.dtype, meta.shape)
    if place is not None:
        text = f"{text}\n{place} to ({edge.slot}, {edge.rank})"
    elif sum(map(len, slots)) > 1:
        text = f"{text}\n({edge.slot}, {edge.rank})"
    return text


def _meta_text(dtype, shape) -> str:
    """Return "float32[2, 3]", or "" if the op does not keep it."""
    if shape is None:
        return ""
    return f"{getattr(dtype, 'name', dtype)}{list(shape)}"


def _node_text(node, arriving: str) -> str:
    if not node.is_leaf:
        return node.name()
    spec = None if node.sharding is None else str(node.sharding.spec)
    lines = (node.tensor_name, arriving, spec, node.name())
    return "\n".join(line for line in lines if line)


def quoted(text: str) -> str:
    """Return the text as a quoted DOT string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _quoted_values(style: dict[str, str]) -> dict[str, Any]:
    return {name: quoted(value) for name, value in style.items()}
