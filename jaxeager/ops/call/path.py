"""The path of a call: parse, promote, find the kernel, run it, record.

``run`` handles any row and any operands, with a loop over operands and one over outputs. The
closures of closures.py handle common calls, and pass the others to ``run``.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.open_size import as_tensor
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidOperandError
from jaxeager.graph import events
from jaxeager.graph.events import notify
from jaxeager.graph.mode import grad_mode, read_amp, read_enabled, read_silent
from jaxeager.graph.views.view_places import add_view
from jaxeager.ops.call.bad_operands import (
    NUMBER_CLASSES,
    belongs_to_operand,
    beside_operator,
    plain_number,
)
from jaxeager.ops.call.kernels import forward_kernel
from jaxeager.ops.call.observers import call_in_stages, lookers, see, show, show_node
from jaxeager.ops.call.operands import operand_array, promote, scalar_array
from jaxeager.ops.call.plan import Plan, plan_of
from jaxeager.ops.call.recording import edges_of, give_to, record, wants_grad
from jaxeager.ops.call.running import run_kernel, run_seen
from jaxeager.ops.call.wrapping import wrap

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Arrays, Attrs, Edges, Items, Operands, Outs, Scalars
    from jaxeager.ops.row import OpRow
    from jaxeager.tensor.tensor import Tensor


def call(row: OpRow, operands: Operands, attrs: Attrs = (), scalars: Scalars = ()) -> Any:
    """Run an op out of place and return its tensors: one, a tuple, or a list.

    Raises:
        InvalidOperandError: for an operand that is not a Tensor.
        InvalidTypeError: for dtypes that do not promote.
        InvalidArgumentError: for shapes or attributes the op cannot take.
    """
    return run(plan_of(row), operands, attrs, scalars)


def run_operator(plan: Plan, operands: Operands, attrs: Attrs = (), scalars: Scalars = ()) -> Any:
    """Run an op for an operator: like ``run``, but it accepts NumPy arrays too, as in Paddle.

    Returns NotImplemented when the right operand's class decides the result.
    """
    taken: list[Any] = [wrap(on_device(v)) if isinstance(v, np.ndarray) else v for v in operands]
    try:
        return run(plan, tuple(taken), attrs, scalars)
    except InvalidOperandError as error:
        if any(map(is_symbolic, taken)):
            sizes = [as_tensor(v) if is_symbolic(v) else v for v in taken]
            return run(plan, tuple(sizes), attrs, scalars)
        if isinstance(error.operand, NUMBER_CLASSES):
            numbers = [plain_number(v) if v is error.operand else v for v in taken]
            return run(plan, tuple(numbers), attrs, scalars)
        if error.operand is taken[-1] and belongs_to_operand(plan.row.name, error.operand):
            return NotImplemented
        raise beside_operator(error) from None


def run(
    plan: Plan,
    operands: Operands,
    attrs: Attrs = (),
    scalars: Scalars = (),
    seen: events.Call | None = None,
) -> Any:
    """Do the work of ``call`` for a row's plan; tools are notified of ``seen`` in each stage."""
    if lookers:
        if seen is None and events.has_stages and not read_silent():
            return call_in_stages(run, plan, operands, attrs, scalars, False)
        policy = read_amp()
        if policy is not None:
            operands = policy.cast_operands(plan.row, operands)
    operands, arrays, scalars, edges, outs = compute(plan, operands, attrs, scalars, seen)
    visible = outs[: -plan.hidden] if plan.hidden and edges else outs
    if lookers:
        show(events.kernel_ran, plan.row, operands, attrs, visible, False)

    tensors = [wrap(array) for array in visible]
    if plan.is_view and hasattr(operands[0], "_storage"):
        _share_memory(plan.row, operands, arrays, attrs, tensors, bool(edges))
    node = None
    if edges:
        node = record(plan, operands, arrays, attrs, scalars, edges, tensors, outs)
        give_to(node, tensors, plan.returns_list)
    if lookers:
        if node is not None:
            show_node(node, seen)
        show(events.op_ran, plan.row, operands, attrs, tuple(tensors), node, False)
    if plan.returns_list:
        return tensors
    return tensors[0] if plan.count == 1 else tuple(tensors)


def compute(
    plan: Plan,
    operands: Operands,
    attrs: Attrs,
    scalars: Scalars,
    seen: events.Call | None,
    is_inplace: bool = False,
) -> tuple[Operands, Arrays, Scalars, Edges, Items]:
    """Run the path up to the kernel's results.

    Returns:
        operands after promotion, their arrays, scalars as arrays, the result of ``edges_of`` (empty
        if the call is not recorded), and a tuple of the output arrays, with the hidden ones if it
        is recorded.
    """
    row = plan.row
    if lookers:
        see(operands)
    if plan.met is not None:
        operands = promote(row, operands)
    arrays: Arrays = []
    for value in operands:
        array = getattr(value, "_array", None)
        if array is None:
            array = operand_array(row, row.operands[len(arrays)], value)
        arrays.append(array)
    if scalars:
        dtype = arrays[0].aval.dtype
        scalars = tuple([scalar_array(value, dtype) for value in scalars])
    edges: Edges = edges_of(plan, operands) if plan.is_differentiable and read_enabled() else ()
    if seen is not None:
        seen.operands, seen.arrays, seen.scalars = operands, arrays, scalars
        seen.is_recorded = bool(edges)
        notify(events.operands_ready, seen)
    kernel = (plan.record_kernels if edges else plan.kernels).get(attrs)
    if kernel is None:
        kernel = forward_kernel(row, attrs, bool(edges))
    if seen is None:
        out: Outs = run_kernel(row, kernel, arrays, scalars, is_inplace, operands)
    else:
        out = run_seen(row, kernel, arrays, scalars, seen)
    if lookers and grad_mode.traced and not read_enabled():
        out = jax.lax.stop_gradient(out)
    return operands, arrays, scalars, edges, out if type(out) is tuple else (out,)


def _share_memory(
    row: OpRow,
    operands: Operands,
    arrays: Arrays,
    attrs: Attrs,
    tensors: list[Tensor],
    recording: bool,
) -> None:
    """Make the outputs of a view row share the first operand's memory."""
    is_cut = not recording and wants_grad(row, operands)
    if row.view.part is None:  # pyright: ignore[reportOptionalMemberAccess]  # a row of views
        add_view(tensors[0], operands[0], row, attrs, tuple(arrays[1:]), is_cut)
        return
    parts = _parts(row, arrays[0].shape, attrs, len(tensors))
    for tensor, (reader, static, extras) in zip(tensors, parts, strict=True):
        add_view(tensor, operands[0], reader, static, extras, is_cut)


@functools.lru_cache(256)
def _parts(row: OpRow, shape: Items, attrs: Attrs, count: int) -> list[Items]:
    """Return the row, attributes and operands that read each output of a row of several views."""
    static = dict(zip(row.attrs, attrs, strict=True))
    return [row.view.part(shape, position, **static) for position in range(count)]  # pyright: ignore[reportOptionalMemberAccess, reportOptionalCall]  # a row of views
