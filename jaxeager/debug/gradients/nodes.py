"""Texts of a node for the tools of this folder: its names, its line, its numbers."""

import fnmatch
import os
from typing import Any

import numpy as np

from jaxeager.debug.common import naming
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.debug.stacks.stacks import stack_of
from jaxeager.ops.call.gradient import recovered

SHOWN = 6  # the most numbers of an array that are shown


def title_of(node) -> str:
    """Return a node's name, the name of its tensor for a leaf, and the line it comes from."""
    name = naming.node_name(node)
    if node.is_leaf:
        tensor = naming.place_name(node, 0)
        name += f" of {tensor}" if tensor else ""
    line = line_of_node(node).short
    return f"{name} at {line}" if line else name


def is_named(node, where: str) -> bool:
    """Return whether a node matches a name, a pattern of one, a pointer or a file and line.

    Args:
        where: "MultiplyGradNode", "matmul2GradNode", "conv*", "0x55c000000040", a leaf's name, or
            "train.py:8"; the file may have folders, and any frame of the node may match.
    """
    if where in (naming.node_name(node), node.name(), f"{node.node_ptr():#x}"):
        return True
    if node.is_leaf and where == naming.place_name(node, 0):
        return True
    file, colon, line = where.rpartition(":")
    if not (colon and line.isdigit()):
        return any(fnmatch.fnmatchcase(n, where) for n in (naming.node_name(node), node.name()))
    stack = stack_of(node)
    end = os.path.normpath(file)
    return stack is not None and any(
        frame.lineno == int(line)
        and (frame.filename == end or frame.filename.endswith(os.sep + end))
        for frame in stack.summary()
    )


def saved_values(node) -> dict[str, Any]:
    """Return a node's saved arrays by name: a list of them for a list of tensors.

    Raises:
        PermissionDeniedError: when one of them has been written in place since.
    """
    if node.is_leaf or node.released:
        return {}
    names = getattr(node.op, "saves", None) or [f"saved_{k}" for k in range(len(node.saved))]
    pairs = zip(names, recovered(tuple(names), node), strict=True)
    return {name: value for name, value in pairs if value is not None}


def input_names(node) -> list[str]:
    """Return a name for each edge: its operand's, numbered in a list; else "x0", "x1"."""
    operands = getattr(node.op, "differentiable", None)
    if operands is None:
        return [f"x{k}" for k in range(len(node.edges))]
    names: list[str] = []
    for position, operand in enumerate(operands):
        width = None if node.ranks is None else node.ranks[position]
        names += [operand.name] if width is None else [f"{operand.name}{k}" for k in range(width)]
    return names


def brief(value) -> str:
    """Return dtype, shape and the first numbers of an array: "float32[2, 3] [0.5 1 ...]"."""
    if value is None:
        return "nothing"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(brief(each) for each in value) + "]"
    return f"{value.dtype.name}{list(value.shape)} {numbers(value)}"


def numbers(value, count: int = SHOWN) -> str:
    """Return the first numbers of an array, with four significant digits."""
    flat = np.asarray(value).reshape(-1)
    if not np.issubdtype(flat.dtype, np.number) and flat.dtype != bool:
        flat = flat.astype(np.float32)  # bfloat16 and 8-bit floats
    shown = " ".join(f"{each:.4g}" if flat.dtype != bool else str(each) for each in flat[:count])
    more = " ..." if flat.size > count else ""
    return shown if np.ndim(value) == 0 else f"[{shown}{more}]"
