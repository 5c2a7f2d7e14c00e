"""Nodes joined where ONNX says in one what a program says in two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import helper

from jaxeager.onnx.graph_builder import GraphBuilder

if TYPE_CHECKING:
    from onnx import NodeProto


def joined(nodes: Sequence[NodeProto], builder: GraphBuilder, outputs: Sequence[str]) -> list:
    """Return the nodes with biases of convolutions inside them, and without those that do nothing.

    Args:
        nodes: the nodes in order, which are changed.
        builder: has the constants, and the kinds of results.
        outputs: the names of the graph's results.
    """
    _leave_out_leading_axes(nodes, builder)
    return _results_named(_biases_inside(nodes, builder.constants), outputs)


_BROADCASTING = frozenset({"Add", "Sub", "Mul", "Div"})


def _leave_out_leading_axes(nodes: Sequence[NodeProto], builder: GraphBuilder) -> None:
    """Read an operand without the leading axes of size 1 that broadcasting adds anyway."""
    made_by = {node.output[0]: node for node in nodes}
    for node in nodes:
        if node.op_type not in _BROADCASTING:
            continue
        for place, name in enumerate(node.input):
            added = builder.constants.get(_axes_of(made_by.get(name)))
            other = builder.kinds.get(node.input[1 - place])
            kind = builder.kinds.get(node.output[0])
            if added is None or other is None or kind is None:
                continue
            has_all_axes = len(other[1]) == len(kind[1])
            if has_all_axes and added.tolist() == list(range(added.size)):
                node.input[place] = made_by[name].input[0]


def _axes_of(node: NodeProto | None) -> str:
    return node.input[1] if node is not None and node.op_type == "Unsqueeze" else ""


def _readers(nodes: Sequence[NodeProto]) -> Counter:
    """Return how often each name is read by a node, inner graphs included."""
    return Counter(name for node in nodes for name in reads(node))


def reads(node: NodeProto) -> list[str]:
    """Return the names that a node reads, those that its inner graphs read included."""
    inner = [each for part in node.attribute if part.HasField("g") for each in part.g.node]
    return [*node.input, *[name for each in inner for name in reads(each)]]


def _biases_inside(nodes: Sequence[NodeProto], constants: dict[str, np.ndarray]) -> list:
    """Make ``Add`` of a bias per channel the third input of the convolution before it."""
    made_by = {node.output[0]: node for node in nodes}
    readers, kept = _readers(nodes), []
    for node in nodes:
        conv, bias = _biased(node, made_by, constants)
        if conv is None or readers[conv.output[0]] > 1:
            kept.append(node)
            continue
        conv.input.append(bias)
        conv.output[0] = node.output[0]
        kept = [each for each in kept if each is not conv]  # the bias may be made after it
        kept.append(conv)
    return kept


def _biased(
    node: NodeProto, made_by: dict, constants: dict[str, np.ndarray]
) -> tuple[NodeProto | None, str]:
    """Return the convolution and the vector whose sum a node is; (None, "") for another node."""
    if node.op_type != "Add":
        return None, ""
    conv, shaped = (made_by.get(name) for name in node.input)
    if conv is None or shaped is None or conv.op_type not in ("Conv", "ConvTranspose"):
        return None, ""
    kernel, rank = constants.get(conv.input[1]), len(_attribute(conv, "kernel_shape")) + 2
    vector = _vector_of_channels(shaped, constants, rank)
    if kernel is None or not vector or len(conv.input) > 2:
        return None, ""
    is_transposed = conv.op_type == "ConvTranspose"
    groups = _attribute(conv, "group")
    channels = kernel.shape[1] * groups if is_transposed else kernel.shape[0]
    return (conv, vector) if constants[vector].size == channels else (None, "")


def _attribute(node: NodeProto, name: str) -> Any:
    return next(helper.get_attribute_value(each) for each in node.attribute if each.name == name)


def _vector_of_channels(node: NodeProto, constants: dict[str, np.ndarray], rank: int) -> str:
    """Return the vector that a node gives the shape (1, channels, 1, ...); "" for another node."""
    if node.op_type not in ("Reshape", "Unsqueeze"):
        return ""
    vector, given = constants.get(node.input[0]), constants.get(node.input[1])
    if vector is None or given is None or vector.ndim != 1:
        return ""
    shape = [1, vector.size, *[1] * (rank - 2)]
    expected = shape if node.op_type == "Reshape" else [0, *range(2, rank)]
    return node.input[0] if given.tolist() == expected else ""


def _results_named(nodes: Sequence[NodeProto], outputs: Sequence[str]) -> list:
    """Give the nodes that make results their names, instead of copying them."""
    made_by = {name: node for node in nodes for name in node.output}
    readers, kept = _readers(nodes), []
    for node in nodes:
        maker: Any = made_by.get(node.input[0]) if node.op_type == "Identity" else None
        is_result = node.output[0] in outputs and node.input[0] not in outputs
        if maker is not None and is_result and readers[node.input[0]] == 1:
            place = list(maker.output).index(node.input[0])
            maker.output[place] = node.output[0]
        else:
            kept.append(node)
    return kept
