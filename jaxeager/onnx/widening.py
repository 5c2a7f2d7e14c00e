"""Dtypes that operators of ONNX, or onnxruntime's, do not compute with: wider ones are used.

A result of wider integers, cut to the bits of the narrow ones, is the same: sums and shifts to the
left are modulo a power of 2, and so are products that the wide ones hold (onnxruntime's ReduceProd
stops at the greatest int32); the other steps here only select or compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.onnx.graph_builder import GraphBuilder

if TYPE_CHECKING:
    from jaxeager.onnx.converter import Step


_WIDER = {
    "int8": "int32", "uint8": "int32", "int16": "int32", "uint16": "int32", "uint32": "int64",
}  # fmt: skip
_OF_INTEGERS = frozenset(
    "reduce_sum reduce_prod reduce_max reduce_min argmax argmin cumsum cumprod cummax cummin max "
    "min clamp neg sign shift_left shift_right_arithmetic integer_pow pow pad".split()
)
_OF_BOOLS = frozenset("argmax argmin dot_general dynamic_update_slice lt_to le_to".split())
_SORTING = frozenset(("sort", "top_k"))


def wider(primitive: str, dtype: np.dtype | None) -> str | None:
    """Return the name of the dtype to compute a step in; None where its own will do."""
    name = getattr(dtype, "name", "")
    if primitive in _SORTING and name == "bfloat16":
        return "float32"
    if primitive in _OF_BOOLS | _SORTING and name == "bool":
        return "int32"
    if primitive in _OF_INTEGERS | _OF_BOOLS | _SORTING:
        return _WIDER.get(name)
    return None


def widened(builder: GraphBuilder, step: Step, names: Sequence[str]) -> list[str]:
    """Return the operands of a step in the dtypes to compute it in, which become the step's."""

    def each_wide(dtypes: Sequence[np.dtype]) -> list[np.dtype]:
        found = [wider(step.eqn.primitive.name, dtype) for dtype in dtypes]
        return [np.dtype(w) if w else own for w, own in zip(found, dtypes, strict=True)]

    given, step.dtypes = step.dtypes, each_wide(step.dtypes)
    step.out_dtypes = each_wide(step.out_dtypes)
    return [
        name if dtype == own else builder.cast(name, dtype)
        for name, dtype, own in zip(names, step.dtypes, given, strict=True)
    ]


def narrowed(builder: GraphBuilder, step: Any, made: Sequence[Any]) -> list[Any]:
    """Return the results of a step that was widened in the dtypes of the program."""
    primitive, found = step.eqn.primitive.name, []
    for variable, value in zip(step.eqn.outvars, made, strict=True):
        is_wide = wider(primitive, getattr(variable.aval, "dtype", None)) is not None
        found.append(builder.cast(value, variable.aval.dtype) if is_wide else value)
    return found
