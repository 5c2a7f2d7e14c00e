"""The path of a call of several tensors, or with several results: see Note [Closures]."""

# What a closure sets in its ``try`` exists wherever it is used: ``out`` is None otherwise.
# pyright: reportPossiblyUnboundVariable=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.core import dtypes
from jaxeager.graph.mode import read_enabled
from jaxeager.ops.call.observers import cast_operands, early, lookers, show_result
from jaxeager.ops.call.operands import read, readers_of, scalar_array
from jaxeager.ops.call.plan import plan_of
from jaxeager.ops.call.recording import give_to, record
from jaxeager.ops.call.running import UNCOMMON
from jaxeager.ops.call.wrapping import wrap

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Attrs, Function, Operands, Outs, Scalars
    from jaxeager.ops.row import OpRow

_INEXACT = dtypes.FLOATS | dtypes.COMPLEX


def several_operands(row: OpRow, general: Function) -> Function:
    """Return the function ``(operands, attrs, scalars)`` of an op of several tensors, or outputs.

    An operand that gets no gradient may be a bare array, an optional one None. Operands and the
    result may be lists of tensors.
    """
    plan = plan_of(row)
    kernels, record_kernels, count = plan.kernels, plan.record_kernels, plan.count
    is_differentiable, met = row.is_differentiable, plan.met
    needs_float = row.promote == "float" or row.check is not None
    readers = readers_of(row)
    hidden, returns_list = plan.hidden, plan.returns_list

    def call(operands: Operands, attrs: Attrs = (), scalars: Scalars = ()) -> Any:
        if early:
            casted = cast_operands(row, operands)
            if casted is None:
                return general(plan, operands, attrs, scalars)
            operands = casted
        is_recording = is_differentiable and read_enabled()
        try:
            arrays, edges, wanted = read(readers, operands, is_recording)
            numbers = scalars
            if scalars:
                dtype = arrays[0].aval.dtype
                numbers = tuple([scalar_array(each, dtype) for each in scalars])
            if met is not None and (
                arrays[met[0]].aval.dtype is not arrays[met[1]].aval.dtype
                or (needs_float and arrays[met[0]].aval.dtype not in _INEXACT)
            ):
                out: Outs | None = None
            else:
                kernel = record_kernels[attrs] if wanted else kernels[attrs]
                out = kernel(*arrays, *numbers) if numbers else kernel(*arrays)
        except UNCOMMON:
            out = None
        if out is None:
            return general(plan, operands, attrs, scalars)

        outs = out if type(out) is tuple else (out,)
        tensors = [wrap(array) for array in (outs[:-hidden] if hidden and wanted else outs)]  # pyright: ignore[reportArgumentType]  # none is a tuple
        node = None
        if wanted:
            node = record(plan, operands, arrays, attrs, numbers, edges, tensors, outs)
            give_to(node, tensors, returns_list)
        if lookers:
            show_result(row, operands, attrs, tuple(tensors), node)
        if returns_list:
            return tensors
        return tensors[0] if count == 1 else tuple(tensors)

    return call
