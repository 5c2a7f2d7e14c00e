"""Open sizes as values of an ONNX graph.

Note [Open sizes in ONNX]
    JAX writes a size as an expression of symbols: ``64*batch``, ``floordiv(size1, 2)``. ONNX has
    the symbols as names of dimensions of inputs; a node that needs the value of a size computes it
    from ``Shape`` of the input that has it. So the text of an expression, which is an expression
    of Python but for the ``^`` of a power, is read and written as nodes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import UnimplementedError
from jaxeager.onnx.graph_builder import GraphBuilder

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


_OPERATORS = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul"}
_FUNCTIONS = {"max": "Max", "min": "Min"}


def define_sizes(builder: GraphBuilder, inputs: dict[str, Sequence[Any]]) -> None:
    """Give each open size its value, read from the shape of an input that has it.

    A size that is a multiple (``2*size1``, ``2*size1 - 1``) gives the value of its symbol.

    Args:
        builder: the graph.
        inputs: the shapes of inputs by name.
    """
    known: set[str] = set()
    for name, shape in inputs.items():
        for axis, size in enumerate(shape):
            symbols = symbols_of(size)
            if len(symbols) != 1 or symbols <= known:
                continue
            (symbol,) = symbols
            vector = builder.node("Shape", [name], start=axis, end=axis + 1)
            value = builder.squeeze(vector, 0)
            offset = int(size._evaluate({symbol: 0}))
            factor = int(size._evaluate({symbol: 1})) - offset
            if offset:
                value = builder.node("Sub", [value, builder.constant(offset, "int64")])
            if factor != 1:
                value = builder.node("Div", [value, builder.constant(factor, "int64")])
            builder.define_size(symbol, value)
            known.add(symbol)


def symbols_of(size: Any) -> set[str]:
    """Return the names of the symbols in a size."""
    return set(size._get_vars()) if is_symbolic(size) else set()


def size_value(builder: GraphBuilder, size: Any) -> str:
    """Return the name of an int64 of no dimensions with the value of a size."""
    if not is_symbolic(size):
        return builder.constant(int(size), "int64")
    return _written(builder, ast.parse(str(size).replace("^", "**"), mode="eval").body)


def shape_vector(builder: GraphBuilder, shape: Sequence[Any]) -> str:
    """Return the name of a vector of int64 with the values of sizes.

    It is a constant where no size is open. ``Reshape`` can do with less: ``reshape_vector``.
    """
    if not any(map(is_symbolic, shape)):
        return builder.integers(*map(int, shape))
    parts = [
        builder.unsqueeze(size_value(builder, size), 0)
        if is_symbolic(size)
        else builder.integers(int(size))
        for size in shape
    ]
    return parts[0] if len(parts) == 1 else builder.node("Concat", parts, axis=0)


def reshape_vector(builder: GraphBuilder, shape: Sequence[Any]) -> str:
    """Return the shape to give to ``Reshape``: -1 for an open size, if only one is open."""
    is_open = [is_symbolic(size) for size in shape]
    if sum(is_open) == 1 and all(o or size for o, size in zip(is_open, shape, strict=True)):
        return builder.integers(*[-1 if is_symbolic(size) else int(size) for size in shape])
    return shape_vector(builder, shape)


def iota(builder: GraphBuilder, size: Any, dtype: DTypeLike = "int64") -> str:
    """Return the name of the vector 0, 1, ... below a size."""
    if not is_symbolic(size):
        return builder.constant(np.arange(int(size)), dtype)
    zero, one = builder.constant(0, "int64"), builder.constant(1, "int64")
    vector = builder.node("Range", [zero, size_value(builder, size), one])
    return vector if np.dtype(dtype) == np.int64 else builder.cast(vector, dtype)


def _written(builder: GraphBuilder, part: ast.expr) -> str:
    """Write a part of the expression of a size as nodes."""
    match part:
        case ast.Constant(value=int(value)):
            return builder.constant(value, "int64")
        case ast.Name(id=symbol):
            return builder.symbol(symbol)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return builder.node("Neg", [_written(builder, inner)])
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))):
            base = _written(builder, left)
            return builder.node("Pow", [base, builder.constant(power, "int64")])
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            operands = [_written(builder, left), _written(builder, right)]
            return builder.node(_OPERATORS[type(operator)], operands)
        case ast.Call(func=ast.Name(id=name), args=[left, right]):
            operands = [_written(builder, left), _written(builder, right)]
            if name in _FUNCTIONS:
                return builder.node(_FUNCTIONS[name], operands)
            if name == "mod":
                return builder.node("Mod", operands)  # the sign of the divisor, as Python's
            if name == "floordiv":
                rest = builder.node("Mod", operands)
                return builder.node("Div", [builder.node("Sub", [operands[0], rest]), operands[1]])
    raise UnimplementedError(
        f"paddle.onnx.export: the size {ast.unparse(part)} cannot be written in ONNX."
    )
