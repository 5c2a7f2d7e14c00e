"""Logical ops, which take any dtype here."""

from __future__ import annotations

from jaxeager.onnx.converter import RowCall, row

_OPERATORS = {
    "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not",
}  # fmt: skip


@row(*_OPERATORS)
def _logical(call: RowCall) -> str:
    """Convert the operands to bool first: what is not 0 is True."""
    operands = [call.builder.cast(each, "bool") for each in call.operands.values()]
    return call.builder.node(_OPERATORS[call.name], operands)
