"""Stands in for the package graphviz in real Paddle's process: it writes DOT text, no pictures.

Paddle's capture_forward_subgraph_guard builds its graph with ``graphviz.Digraph``. This one has
what that needs, and quotes as the package does.
"""

import os
import re

_PLAIN = re.compile(r"[a-zA-Z_]\w*|-?(\.\d+|\d+(\.\d*)?)")


def _quoted(text):
    return text if _PLAIN.fullmatch(text) else '"' + text.replace('"', '\\"') + '"'


def _attributes(label, attributes):
    pairs = [] if label is None else [("label", label)]
    pairs += sorted(attributes.items())
    return " ".join(f"{key}={_quoted(value)}" for key, value in pairs)


class Digraph:
    """A directed graph: its statements, in the order they were made."""

    def __init__(self):
        self.statements = []

    def attr(self, kind=None, **attributes):
        """Sets attributes of the graph, or of all that follow of a kind."""
        self.statements.append(f"{kind or 'graph'} [{_attributes(None, attributes)}]")

    def node(self, name, label=None, **attributes):
        """Adds a node."""
        self.statements.append(f"{_quoted(name)} [{_attributes(label, attributes)}]")

    def edge(self, source, target, label=None, **attributes):
        """Adds an edge."""
        ends = f"{_quoted(source)} -> {_quoted(target)}"
        self.statements.append(f"{ends} [{_attributes(label, attributes)}]")

    def render(self, filename=None, format=None, **options):
        """Writes the text; a picture would need Graphviz."""
        path = filename or "Digraph.gv"
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        lines = "".join(f"\t{statement}\n" for statement in self.statements)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"digraph {{\n{lines}}}\n")
        return path
