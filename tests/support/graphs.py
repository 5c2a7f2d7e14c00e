"""Reads dumped graphs, and compares two of them up to the numbers of their nodes."""

import re
from collections import Counter, defaultdict
from typing import NamedTuple

_NODE = re.compile(r'\t(node_\d+)\[label="((?:[^"\\]|\\.)*)" (.*)\]')
_EDGE = re.compile(r'\t(node_\d+)->(node_\d+)\[label="((?:[^"\\]|\\.)*)"\]')
_POINTER = re.compile(r"(Ptr|GradNode): (0x[0-9a-f]+)")


class Node(NamedTuple):
    """One node: the text before its pointer, the pointer, the text after it, and its style."""

    label: str
    pointer: str
    more: tuple[str, ...]
    style: str

    @property
    def color(self) -> str:
        """Return its color."""
        found = re.search(r'(?<!font)color="(.*?)"', self.style)
        assert found, f"no color: {self.style}"
        return found[1]


class Graph(NamedTuple):
    """Nodes by name; edges as (source, target, label), in order."""

    nodes: dict[str, Node]
    edges: list[tuple[str, str, str]]


def read_graph(text: str) -> Graph:
    """Return the graph of a .dot of Paddle's form; raise for any other form."""
    first, *lines, last = text.split("\n")
    assert (first, last) == ("digraph G {", "} // end G")
    nodes, edges = {}, []
    for line in lines:
        if found := _EDGE.fullmatch(line):
            edges.append(found.groups())
            continue
        name, label, style = _groups(_NODE, line)
        before, pointer, *more = label.split("\\n")
        word, number = _groups(_POINTER, pointer)
        assert name not in nodes
        nodes[name] = Node(f"{before} {word}", number, tuple(more), style)
    return Graph(nodes, edges)


def _groups(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = pattern.fullmatch(text)
    assert found, f"not of Paddle's form: {text}"
    return found.groups()


def are_same(a: Graph, b: Graph) -> bool:
    """Return whether two graphs are isomorphic, with the labels and styles of nodes and edges."""
    return _match(_Colored(a), _Colored(b))


class _Colored:
    """A graph whose nodes have colors, refined until neighbors distinguish no more nodes."""

    def __init__(self, graph: Graph, colors=None):
        self.graph = graph
        self.colors = colors or {k: (n.label, n.style) for k, n in graph.nodes.items()}
        self._refine()

    def _refine(self) -> None:
        count = 0
        while count != len(set(self.colors.values())):
            count = len(set(self.colors.values()))
            around = defaultdict(list)
            for source, target, label in self.graph.edges:
                around[source].append(("to", label, self.colors[target]))
                around[target].append(("from", label, self.colors[source]))
            self.colors = {
                name: hash((color, tuple(sorted(around[name], key=repr))))
                for name, color in self.colors.items()
            }

    def classes(self) -> dict:
        """Return the names of the nodes of each color."""
        found = defaultdict(list)
        for name, color in self.colors.items():
            found[color].append(name)
        return found

    def with_marked(self, name: str) -> "_Colored":
        """Return the same with one node distinguished."""
        return _Colored(self.graph, {**self.colors, name: "marked"})


def _match(a: _Colored, b: _Colored) -> bool:
    if Counter(a.colors.values()) != Counter(b.colors.values()):
        return False
    ours, theirs = a.classes(), b.classes()
    several = [color for color, names in ours.items() if len(names) > 1]
    if several:
        color = min(several, key=lambda each: len(ours[each]))
        marked = a.with_marked(ours[color][0])
        return any(_match(marked, b.with_marked(name)) for name in theirs[color])
    twin = {names[0]: theirs[color][0] for color, names in ours.items()}
    moved = Counter((twin[s], twin[t], label) for s, t, label in a.graph.edges)
    return moved == Counter(b.graph.edges)
