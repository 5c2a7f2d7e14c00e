"""The lines of a verbose log about the call of an op: as an operator, or by its name."""

import dis
import functools
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

from jaxeager.debug.vlog import vlog
from jaxeager.graph.node import next_pointer

_PACKAGE = str(Path(__file__).absolute().parents[2]) + os.sep
# Folders whose frames are between a call and its op.
_ROOMS = ("debug", "graph", "ops")
_INSIDE = (
    *(f"{_PACKAGE}{room}{os.sep}" for room in _ROOMS),
    f"{_PACKAGE}tensor{os.sep}operators.py", "<jaxeager ",
)  # fmt: skip
_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
_INDEXING = {"[": "_getitem", "[=": "_setitem"}
_WITHIN = frozenset(["div_scale", "pow", "scale"])  # ops that a method runs for a number
_pointers: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # of leaves without a node
_has_said = False  # whether a leaf was ever announced
_REVERSED = frozenset(["_rsubtract", "_rdivide", "_rpower", "swapped"])


def method(name: str) -> str | None:
    """Return which method of Tensor, an operator, called the op that is being called.

    Args:
        name: the name of its API.

    Returns:
        "" if it was called by its name; None if no further line is needed: for an index, and for
        the cast of an operand before the operator's own op.
    """
    symbol, is_reversed = _operator()
    if symbol in _INDEXING:
        vlog.log("eager_method", 4, f"Call new indexing strategy {_INDEXING[symbol]}_dygraph")
        return None
    if symbol not in _METHODS:
        return ""
    return None if name == "cast" else f"tensor__{'r' * is_reversed}{_METHODS[symbol]}__method"


def say_call(log: Callable, method: str, name: str) -> None:
    """Write how an op was called.

    Args:
        log: a function that writes a line: it accepts a module, a level and a text.
        method: the result of ``method``.
        name: the name of its API.
    """
    if not method:
        log("ops_api", 6, f"Call eager_api_{name}")
        log("eager_op_function", 6, f"Running Eager Final State API: {name}")
    elif name not in _WITHIN:
        log("eager_math_op_patch", 6, f"Calling {name}_ad_func in {method}")


def _operator() -> tuple[str, bool]:
    """Return the operator that the op's caller used, "" for none, and whether it is reversed."""
    frame, is_reversed = sys._getframe(2), False
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_INSIDE):
            return _symbols(code).get(frame.f_lasti, ""), is_reversed
        is_reversed = is_reversed or code.co_name in _REVERSED
        frame = frame.f_back
    return "", False


@functools.lru_cache(1024)
def _symbols(code) -> dict[int, str]:
    """Return the operators of instructions by offset, "[" for an index."""
    found = {each.offset: _symbol(each) for each in dis.get_instructions(code)}
    return {offset: symbol for offset, symbol in found.items() if symbol}


def _symbol(instruction) -> str:
    """Return the operator of an instruction, "[" for an index, "" for none."""
    name = instruction.opname
    if name in ("BINARY_SUBSCR", "BINARY_SLICE"):
        return "["
    if name in ("STORE_SUBSCR", "STORE_SLICE"):
        return "[="
    if name == "COMPARE_OP":
        return instruction.argrepr.removeprefix("bool(").rstrip(")")
    if name.startswith("BINARY"):
        return "[" if instruction.argrepr == "[]" else instruction.argrepr.rstrip("=")
    return ""


def say_leaf(meta) -> None:
    """Write that a tensor became a leaf, with the number its accumulation node will have."""
    global _has_said
    _has_said = True
    pointer = _pointers[meta] = next_pointer()
    vlog.log("accumulation_node", 5, f"Construct GradNodeAccumulation({pointer:#x})")


def number_leaves(node) -> None:
    """Give the leaves of a new node the numbers that were announced for them."""
    for edge in node.edges if _has_said else ():
        if edge is not None and edge.node.is_leaf and not hasattr(edge.node, "pointer"):
            pointer = _pointers.pop(edge, None)
            if pointer is not None:
                edge.node.pointer = pointer
