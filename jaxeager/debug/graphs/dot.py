"""DOT text and pictures of graphs built with pydot.

The text has one statement per line, in order, with attributes separated by spaces. This is the
form that Paddle's tools write, which scripts parse line by line.
"""

import logging
import re
from pathlib import Path

import pydot

from jaxeager.core import flags
from jaxeager.debug.graphs.backward_graph import MAX_PICTURE_NODES, picture_kinds, render
from jaxeager.errors import UnavailableError

logger = logging.getLogger("jaxeager.debug")

_PLAIN = re.compile(r"[a-zA-Z_][a-zA-Z_0-9]*|-?(\.[0-9]+|[0-9]+(\.[0-9]*)?)")
_KEYWORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict"}


def quoted(text: str) -> str:
    """Return text in DOT form: unchanged if it is a word or a number, else in quotes.

    Characters that are not valid UTF-8 are written as escapes.

    Example:
        >>> quoted("matmul1"), quoted("0.84"), quoted("#999999")
        ('matmul1', '0.84', '"#999999"')
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _KEYWORDS:
        return text
    text = text.encode(errors="backslashreplace").decode()
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def new_node(name: str, **attributes: str) -> pydot.Node:
    """Return a node with a name and attributes; both may be any text."""
    return pydot.Node(quoted(name), **_quoted_values(attributes))


def new_edge(source: str, target: str, **attributes: str) -> pydot.Edge:
    """Return an edge between two nodes given by name."""
    return pydot.Edge(quoted(source), quoted(target), **_quoted_values(attributes))


def _quoted_values(attributes: dict[str, str]) -> dict:
    return {key: quoted(value) for key, value in attributes.items()}


def to_text(graph: pydot.Dot) -> str:
    """Return a graph's nodes and edges as DOT text, in the order they were added."""
    statements = [*graph.get_nodes(), *graph.get_edges()]
    statements.sort(key=lambda statement: statement.get_sequence())
    lines = [f"\t{_statement(each)}\n" for each in statements]
    return "".join(["digraph {\n", *lines, "}\n"])


def _statement(thing) -> str:
    if isinstance(thing, pydot.Edge):
        head = f"{thing.get_source()} -> {thing.get_destination()}"
    else:
        head = thing.get_name()
    attributes = " ".join(f"{key}={value}" for key, value in thing.get_attributes().items())
    return f"{head} [{attributes}]"


def draw(text: str, path: Path, count: int) -> list[Path]:
    """Draw the graph of a DOT file: ``path.svg``, ``path.png``.

    FLAGS_graph_pictures lists the kinds. If pictures cannot be drawn, the log states the reason.

    Args:
        text: DOT text.
        path: the file.
        count: the number of its nodes.

    Returns:
        the pictures' paths.
    """
    if count > MAX_PICTURE_NODES:
        logger.warning(
            "No picture of %s: it has %d nodes, and pictures are drawn up to %d.",
            path, count, MAX_PICTURE_NODES,
        )  # fmt: skip
        return []
    drawn = []
    for kind in picture_kinds(str(flags.flag("FLAGS_graph_pictures"))):
        picture = path.with_name(f"{path.name}.{kind}")
        try:
            render(text, picture, kind)
        except UnavailableError as error:
            logger.warning("No picture of %s: %s", path, error.message)
            break
        drawn.append(picture)
    return drawn
