"""The graph of a saved program as text, as a picture, and as a file for Netron.

Note [What Netron reads]
    Netron (the program, and the package of that name) reads MLIR text. A program in the form of
    ``jit.save`` would show as one box, its main function, which calls another one; and it cannot
    read the deeply nested bytecode of ``jax.export`` for most models. So the file for it contains
    the graph of graph.py: a function of the inputs, with an operation ``paddle.<op>`` per
    node, windows and strides of its steps as attributes, and the weights as constants, which Netron
    draws inside the node that takes them. Beyond ``_MOST_WEIGHTS`` bytes a weight is an operation
    without its numbers. It is a picture, not a program: it cannot be run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.core.byte_counts import size_text
from jaxeager.jit.saved_model.graph import Node, ProgramGraph, Value

if TYPE_CHECKING:
    import jax


_MOST_WEIGHTS = 2**25  # bytes of weights in a file for Netron


# ---- text


def graph_text(graph: ProgramGraph) -> str:
    """Return a graph as a table: a line per op, with its operands and results."""
    takes = ", ".join(f"{each.name}: {each.described}" for each in graph.inputs)
    gives = ", ".join(each.described for each in graph.outputs)
    if graph.gradients:
        gives = f"{len(graph.gradients)} gradients"
    numbers = sum(_count(each) for each in graph.weights)
    total = size_text(sum(each.bytes or 0 for each in graph.weights))
    lines = [f"{graph.name}({takes}) -> {gives}"]
    lines.append(
        f"{len(graph.nodes)} ops, {len(graph.weights)} weights: {numbers:,} numbers, {total}"
    )
    rows = [("", "op", "takes", "gives", "weights")]
    for number, node in enumerate(graph.nodes, 1):
        held = sum(each.bytes or 0 for each in node.takes if each.kind == "weight")
        rows.append(
            (
                str(number),
                node.op,
                ", ".join(map(_operand, node.takes)) or "-",
                _first([each.described for each in node.gives]),
                size_text(held) if held else "",
            )
        )
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines += [_row(row, widths) for row in rows]
    returned = list(map(_operand, graph.outputs))
    if graph.gradients:
        pairs = zip(graph.gradients, returned, strict=True)
        return "\n".join([*lines, "gradients", *[f"  of {name}: {value}" for name, value in pairs]])
    return "\n".join([*lines, f"returns {', '.join(returned)}"])


_MOST_SHOWN = 3


def _first(texts: list[str]) -> str:
    """Return the first of some texts, and how many more there are."""
    more = len(texts) - _MOST_SHOWN
    return ", ".join(texts[:_MOST_SHOWN]) + (f", and {more} more" if more > 0 else "")


def _row(row: tuple, widths: list[int]) -> str:
    number, *cells = row
    padded = [f"{cell:{width}}" for cell, width in zip(cells[:-1], widths[1:], strict=True)]
    return "  ".join([f"{number:>{widths[0]}}", *padded, cells[-1]]).rstrip()


def _operand(value: Value) -> str:
    if value.kind == "constant":
        return value.text if 0 < len(value.text) <= 24 else f"constant {value.described}"
    return f"%{value.name}" if value.kind == "made" else value.name


def _count(value: Value) -> int:
    return int(np.prod(value.shape, dtype=np.int64))


# ---- Graphviz


_FONT = {"fontname": "Arial", "fontsize": "11"}
_STYLES = {
    "input": {"shape": "box", "style": "rounded,filled", "fillcolor": "#e8f0fe", **_FONT},
    "op": {"shape": "box", "style": "filled", "fillcolor": "#f6f8fa", **_FONT},
    "output": {"shape": "box", "style": "rounded,filled", "fillcolor": "#e6f4ea", **_FONT},
}


def graph_dot(graph: ProgramGraph) -> str:
    """Return a graph as DOT text: boxes of ops with their weights, arrows with shapes."""
    import pydot

    from jaxeager.debug.graphs import dot as dots

    dot = pydot.Dot("model", graph_type="digraph")
    made: dict[int, str] = {}

    def arrows(values: list[Value], target: str) -> None:
        """Add an arrow for each value; one for many that come from the same node."""
        by_source: dict[str, list[str]] = {}
        for value in values:
            if id(value) in made:
                by_source.setdefault(made[id(value)], []).append(value.described)
        for source, kinds in by_source.items():
            for label in kinds if len(kinds) < _MOST_SHOWN else [f"{len(kinds)} tensors"]:
                dot.add_edge(dots.new_edge(source, target, label=f" {label} ", **_FONT))

    for place, value in enumerate(graph.inputs):
        made[id(value)] = f"input_{place}"
        dot.add_node(dots.new_node(f"input_{place}", label=value.name, **_STYLES["input"]))
    for number, node in enumerate(graph.nodes, 1):
        dot.add_node(dots.new_node(f"op_{number}", label=_node_label(node), **_STYLES["op"]))
        arrows(node.takes, f"op_{number}")
        made.update({id(value): f"op_{number}" for value in node.gives})
    for place, value in enumerate(graph.outputs):
        label = f"output {place}" if len(graph.outputs) > 1 else "output"
        if graph.gradients:
            label = f"gradient of {graph.gradients[place]}"
        dot.add_node(dots.new_node(f"output_{place}", label=label, **_STYLES["output"]))
        arrows([value], f"output_{place}")
    return dots.to_text(dot)


def _node_label(node: Node) -> str:
    lines = [f"{node.op}  {node.layer}".rstrip()]
    for value in node.takes:
        if value.kind == "weight":
            name = value.name.rpartition(".")[2] if node.layer else value.name
            lines.append(f"{name} {value.described}  {size_text(value.bytes or 0)}")
        elif value.kind == "key":
            lines.append(value.name)
        elif value.kind == "constant":
            lines.append(_operand(value))
    return "\n".join(lines)


# ---- Netron


def graph_mlir(
    graph: ProgramGraph, name: str, weights: Mapping[str, jax.Array | np.ndarray]
) -> str:
    """Return a graph as MLIR text for Netron: see Note [What Netron reads].

    Args:
        graph: the graph.
        name: the name of the model.
        weights: the weights' arrays, by name.
    """
    names = _Names()
    takes = ", ".join(f"%{names.of(each)}: {_type(each)}" for each in graph.inputs)
    gives = ", ".join(map(_type, graph.outputs))
    lines = [
        f"module @{_symbol(name)} {{",
        f"  func.func public @{_symbol(graph.name)}({takes}) -> ({gives}) {{",
    ]
    is_small = sum(each.bytes or 0 for each in graph.weights) <= _MOST_WEIGHTS
    written: set[int] = set()
    for number, node in enumerate(graph.nodes, 1):
        for value in node.takes:
            if value.kind not in ("input", "made") and id(value) not in written:
                written.add(id(value))
                array = weights.get(value.name) if is_small and value.kind == "weight" else None
                lines.append(f"    {_constant(value, names.of(value), array)}")
        lines.append(f"    {_operation(node, number, names)}")
    for place, (gradient, value) in enumerate(zip(graph.gradients, graph.outputs, strict=False)):
        symbol = _symbol(gradient.replace(".", "_"))  # Netron shows what is after the last point
        op, kind = f'"paddle.gradient_of_{symbol}"', _type(value)
        lines.append(
            f"    %gradient_{place} = {op}(%{names.of(value)}) {{}} : ({kind}) -> ({kind})"
        )
    returned = ", ".join(f"%{names.of(each)}" for each in graph.outputs)
    if graph.gradients:
        returned = ", ".join(f"%gradient_{place}" for place in range(len(graph.outputs)))
    lines += [f"    return {returned} : {gives}", "  }", "}", ""]
    return "\n".join(lines)


def _operation(node: Node, number: int, names: _Names) -> str:
    count = len(node.gives)
    for place, value in enumerate(node.gives):
        names.name(value, str(number) if count == 1 else f"{number}#{place}")
    left = f"%{number}" if count == 1 else f"%{number}:{count}"
    operands = ", ".join(f"%{names.of(each)}" for each in node.takes)
    given = {"layer": node.layer} if node.layer else {}
    given |= node.attributes
    given["steps"] = ", ".join(f"{step} {n}" for step, n in sorted(node.inside.items()))
    attributes = ", ".join(f"{_symbol(k)} = {json.dumps(v)}" for k, v in given.items())
    takes, gives = (", ".join(map(_type, each)) for each in (node.takes, node.gives))
    op = f'"paddle.{_symbol(node.op)}"'
    return f"{left} = {op}({operands}) {{{attributes}}} : ({takes}) -> ({gives})"


def _constant(value: Value, name: str, array: jax.Array | np.ndarray | None) -> str:
    if array is not None:
        host = np.asarray(array)
        if host.dtype == np.bool_:
            text = json.dumps(host.tolist())
        else:
            text = f'"0x{host.tobytes().hex().upper()}"'
        return f"%{name} = stablehlo.constant dense<{text}> : {_type(value)}"
    given = f'{{name = {json.dumps(value.name)}, kind = "{value.kind}"}}'
    if value.kind == "constant":
        given = f"{{value = {json.dumps(value.text)}}}"
    return f'%{name} = "paddle.{value.kind}"() {given} : () -> {_type(value)}'


class _Names:
    """The names of Values in MLIR: those of inputs and weights, as far as MLIR allows."""

    def __init__(self):
        self._known: dict[int, str] = {}

    def of(self, value: Value) -> str:
        """Return a Value's name; give it one first if needed."""
        if id(value) not in self._known:
            taken = set(self._known.values())
            stem = _symbol(value.name or "constant")
            found, number = stem, 1
            while found in taken:
                number += 1
                found = f"{stem}_{number}"
            self.name(value, found)
        return self._known[id(value)]

    def name(self, value: Value, name: str) -> None:
        """Set the name of a Value."""
        self._known[id(value)] = name


def _symbol(name: str) -> str:
    """Return a name in MLIR's form: letters, digits, "_", "." and "$"."""
    plain = re.sub(r"[^\w.$]", "_", name, flags=re.ASCII)
    return f"_{plain}" if plain[:1].isdigit() or not plain else plain


_TYPES = {
    "bool": "i1", "bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2",
    "complex64": "complex<f32>", "complex128": "complex<f64>",
}  # fmt: skip


def _type(value: Value) -> str:
    element = _TYPES.get(value.dtype)
    if element is None:
        found = re.fullmatch(r"(u?)(int|float)(\d+)", value.dtype)
        element = value.dtype if found is None else f"{found[1]}{found[2][0]}{found[3]}"
    sizes = [f"{size}x" if isinstance(size, int) else "?x" for size in value.shape]
    return f"tensor<{''.join(sizes)}{element}>"


# ---- files


def write_pictures(
    graph: ProgramGraph, folder: Path, name: str, weights: Mapping[str, jax.Array | np.ndarray]
) -> tuple[list[Path], str]:
    """Write a graph's files; return their paths, and why there is no picture ("" if there is).

    Args:
        graph: the graph.
        folder: the folder, which is made if needed.
        name: the name of the model.
        weights: the weights' arrays, by name.
    """
    from jaxeager.debug.graphs import backward_graph
    from jaxeager.errors import UnavailableError

    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name}.{graph.name}"
    dot, netron = folder / f"{stem}.dot", folder / f"{stem}.netron.mlir"
    text = graph_dot(graph)
    dot.write_text(text, encoding="utf-8")
    netron.write_text(graph_mlir(graph, name, weights), encoding="utf-8")
    picture = folder / f"{stem}.svg"
    try:
        backward_graph.render(text, picture, "svg")
    except UnavailableError as error:
        return [dot, netron], error.message
    return [dot, picture, netron], ""
