"""The path of a call that writes its result into its first operand: ``x.add_(y)``."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# What a closure sets in its ``try`` exists wherever it is used: ``out`` is None otherwise.
# pyright: reportPrivateUsage=false, reportPossiblyUnboundVariable=false

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from jaxeager.core import dtypes, ports
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from jaxeager.graph.atomic import set_each
from jaxeager.graph.hooks import retention_of_the_written
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode, read_enabled, read_silent
from jaxeager.graph.node import GradNode
from jaxeager.graph.saved import save
from jaxeager.graph.traced_writes import note_write
from jaxeager.graph.views import shared_writes
from jaxeager.graph.views.stale import raw_array, wants
from jaxeager.graph.views.storage import Storage
from jaxeager.ops.call.bad_operands import bad_operand
from jaxeager.ops.call.observers import call_in_stages, lookers, show, show_node
from jaxeager.ops.call.operands import read, readers_of, scalar_array
from jaxeager.ops.call.path import compute
from jaxeager.ops.call.plan import Plan, plan_of
from jaxeager.ops.call.recording import aval_of, mask_of, record
from jaxeager.ops.call.running import UNCOMMON
from jaxeager.ops.call.wrapping import new_node

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.atomic import Also
    from jaxeager.ops.call.types import Arrays, Attrs, Function, Operands, Scalars
    from jaxeager.ops.row import OpRow
    from jaxeager.tensor.tensor import Tensor

_INEXACT = dtypes.FLOATS | dtypes.COMPLEX


def check_inplace(target: Tensor, what: str = "Leaf Var", writes: bool = True) -> None:
    """Raise when a tensor may not be written in place: a leaf that requires a gradient.

    Args:
        target: the tensor; a view of such a leaf may not be written either.
        what: the beginning of the message.
        writes: False when only its shape is to change.
    """
    if not grad_mode.enabled:
        return
    meta = target._meta
    if meta is not None and not meta.stop_gradient and meta.is_leaf() and not meta.is_lent:
        raise InvalidArgumentError(
            f"{what} ({target.name}) that doesn't stop gradient can't use inplace strategy."
        )
    if writes and target._storage.sharers is not None:
        shared_writes.check_no_leaf_above(target, what)


def call_inplace(row: OpRow, operands: Operands, attrs: Attrs = (), scalars: Scalars = ()) -> Any:
    """Run an op, write its output into the first operand and return that.

    The tensor's version increases by one and it becomes an output of the new node. Nothing is
    changed when an error is raised.

    Raises:
        InvalidArgumentError: for a leaf that requires grad, or when the output has another shape
            because operands broadcast.
    """
    return _path_of(row)(operands, attrs, scalars)


@functools.cache
def _path_of(row: OpRow) -> Function:
    return closure_in_place(row) or functools.partial(run_inplace, plan_of(row))


def run_inplace(
    plan: Plan,
    operands: Operands,
    attrs: Attrs = (),
    scalars: Scalars = (),
    seen: events.Call | None = None,
) -> Any:
    """Do the work of ``call_inplace`` for a row's plan."""
    if lookers and seen is None and events.has_stages and not read_silent():
        return call_in_stages(run_inplace, plan, operands, attrs, scalars, True)
    row, target = plan.row, operands[0]
    if not hasattr(target, "_storage"):
        raise bad_operand(f"{row.name}_", row.operands[0].name, 0, target)
    check_inplace(target, writes=row.view is None)
    operands, arrays, scalars, edges, outs = compute(plan, operands, attrs, scalars, seen, True)
    out: Any = outs[0]
    if row.broadcast and out.shape != target._array.shape:
        raise InvalidArgumentError(
            f"The shape of broadcast output {list(out.shape)} is different from that of inplace "
            f"tensor {list(target._array.shape)} in the Inplace operation."
        )
    if lookers:
        show(events.kernel_ran, row, operands, attrs, (out,), True)
    if grad_mode.written is not None:
        note_write(target)
    storage, node = target._storage, None
    version = storage.version
    try:
        storage.version = version + row.moves_version
        meta = shared_writes.KEEP
        if edges:
            node = record(plan, operands, arrays, attrs, scalars, edges, [target], outs)
            _unchecked_target(row, node, operands, arrays[0], storage)
            if lookers:
                show_node(node, seen)
            meta = AutogradMeta(False, node, 0, 0)
        elif read_enabled() and wants(target._meta):
            meta = ports.overwritten(target, out)  # see Note [Overwritten values]
        _write(row, target, out, meta, attrs, arrays)
    except BaseException:
        if raw_array(target) is not out:  # see Note [Interrupts] in graph/atomic.py
            storage.version = version
        raise
    if lookers:
        show(events.op_ran, row, operands, attrs, (target,), node, True)
    show(events.op_wrote, row, target)
    return target


def closure_in_place(row: OpRow) -> Function | None:
    """Return the function ``(operands, attrs, scalars)`` that an op's in-place calls go through.

    It handles the common case, as in Note [Closures]: a target that does not share its memory, and
    no observers. None for a row with lists, views or hidden outputs.
    """
    plan = plan_of(row)
    if plan.returns_list or row.has_lists or plan.is_view or plan.hidden or plan.count != 1:
        return None
    kernels, is_differentiable, met = row.forward_kernels, row.is_differentiable, plan.met
    needs_float = row.promote == "float" or row.check is not None
    readers, kinds, kept, moves = readers_of(row), plan.kinds, plan.kept, row.moves_version

    def call(operands: Operands, attrs: Attrs = (), scalars: Scalars = ()) -> Any:
        target = operands[0]
        is_recording = is_differentiable and read_enabled()
        try:
            arrays, edges, is_wanted = read(readers, operands, is_recording)
            storage, old = target._storage, target._meta
            version = storage.version
            if (
                lookers
                or events.op_wrote is not None
                or storage.sharers is not None
                or (wants(old) and read_enabled() and (old.is_leaf() or not is_wanted))
                or (met is not None and not _meet(arrays, met, needs_float))
            ):
                out = None
            else:
                numbers = scalars
                if scalars:
                    dtype = arrays[0].aval.dtype
                    numbers = tuple([scalar_array(each, dtype) for each in scalars])
                out = kernels[attrs](*arrays, *numbers)
                if out.aval.shape != arrays[0].aval.shape:
                    out = None
        except UNCOMMON:
            out = None
        if out is None:
            return run_inplace(plan, operands, attrs, scalars)

        if not is_wanted:
            set_each(((storage, "version", version + moves), (target, "_array", out)))
            return target
        mask = mask_of(plan, operands, edges)
        shapes = tuple([aval_of(arrays[slot]) for slot in kinds]) if kinds else ()  # pyright: ignore[reportUnknownArgumentType]  # maybe unbound
        saved: Arrays = []
        for place in kept:
            if place < 0:
                saved.append((out, storage, version + moves))
            elif place == 0 or arrays[place] is None:
                saved.append(None if place else (arrays[0], None, 0))  # see _unchecked_target
            else:
                held = getattr(operands[place], "_storage", None)
                saved.append((arrays[place], held, held.version if held else 0))
        avals = (out.aval,)
        node = new_node(row, attrs, numbers, tuple(edges), mask, tuple(saved), shapes, avals)
        meta = AutogradMeta(False, node)
        writes: Also = (
            (storage, "version", version + moves),
            (target, "_meta", meta),
            (target, "_array", out),
        )
        if old is not None:
            writes = (*writes, *retention_of_the_written(old, meta))
        set_each(writes)
        return target

    return call


def _meet(arrays: Arrays, met: tuple[int, int], needs_float: bool) -> bool:
    """Return whether promotion has nothing to do."""
    dtype = arrays[met[0]].aval.dtype
    return dtype is arrays[met[1]].aval.dtype and (not needs_float or dtype in _INEXACT)


def _write(
    row: OpRow,
    target: Tensor,
    out: jax.Array,
    meta: AutogradMeta | None,
    attrs: Attrs,
    arrays: Arrays,
) -> None:
    """Set the value of an in-place op's target, and of all tensors that share its memory."""
    if row.view is not None:
        shared_writes.move(target, row, attrs, tuple(arrays[1:]), out, meta)
    elif target._storage.sharers is None:
        shared_writes.assign(target, out, meta)
    else:
        shared_writes.write_shared(target, out, meta, grad_mode.enabled)


def _unchecked_target(
    row: OpRow, node: GradNode, operands: Operands, old: jax.Array, storage: Storage
) -> None:
    """Save the overwritten operand as its old array, unchecked: see Note [Version snapshots].

    If the same tensor is another operand too, that one keeps the version from before the write, and
    backward raises an error, as in Paddle.
    """
    saved: Arrays = list(node.saved)
    for position, name in enumerate(row.saves):
        slot = row.slots.get(name)
        if slot == 0:
            saved[position] = save(old, None)
        elif slot is not None and getattr(operands[slot], "_storage", None) is storage:
            array, _, version = saved[position]
            saved[position] = array, storage, version - 1
    node.saved = tuple(saved)
