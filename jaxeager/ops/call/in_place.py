"""The path of a call that writes its result into its first operand: ``x.add_(y)``."""

from typing import Any

from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events, views
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode, read_enabled, read_silent
from jaxeager.graph.node import GradNode
from jaxeager.graph.saved import save
from jaxeager.graph.stale import raw_array, wants
from jaxeager.graph.storage import Storage
from jaxeager.graph.traced import note_write
from jaxeager.ops.bad_operands import bad_operand
from jaxeager.ops.call.looking import call_in_stages, lookers, show, show_node
from jaxeager.ops.call.path import compute
from jaxeager.ops.call.plan import Plan, plan_of
from jaxeager.ops.call.recording import record


def check_inplace(target, what: str = "Leaf Var", writes: bool = True) -> None:
    """Raises when a tensor may not be written in place: a leaf that gradients are wanted of.

    Args:
        target: the tensor; a view of such a leaf may not be written either.
        what: how the message begins.
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
        views.check_no_leaf_above(target, what)


def call_inplace(row, operands: tuple, attrs: tuple = (), scalars: tuple = ()):
    """Runs an op and writes its output into the first operand, which it returns.

    The tensor's version moves by one and it becomes an output of the new node. Nothing is changed
    when an error is raised.

    Raises:
        InvalidArgumentError: for a leaf that requires grad, or when the output has another shape
            because operands broadcast.
    """
    return run_inplace(plan_of(row), operands, attrs, scalars)


def run_inplace(plan: Plan, operands: tuple, attrs: tuple = (), scalars: tuple = (), seen=None):
    """Does what ``call_inplace`` does, by a row's plan."""
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
        meta = views.KEEP
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
        if raw_array(target) is not out:  # see Note [Interrupts] in graph/at_once.py
            storage.version = version
        raise
    if lookers:
        show(events.op_ran, row, operands, attrs, (target,), node, True)
    show(events.op_wrote, row, target)
    return target


def _write(row, target, out, meta, attrs: tuple, arrays: list) -> None:
    """Gives the target of an in-place op its value, and everything that shares its memory."""
    if row.view is not None:
        views.move(target, row, attrs, tuple(arrays[1:]), out, meta)
    elif target._storage.sharers is None:
        views.assign(target, out, meta)
    else:
        views.write_shared(target, out, meta, grad_mode.enabled)


def _unchecked_target(row, node: GradNode, operands: tuple, old, storage: Storage) -> None:
    """Saves the overwritten operand as its old array, unchecked: see Note [Version snapshots].

    Where the same tensor is another operand too it keeps the version from before the write, and
    backward says so, as Paddle does.
    """
    saved = list(node.saved)
    for position, name in enumerate(row.saves):
        slot = row.slots.get(name)
        if slot == 0:
            saved[position] = save(old, None)
        elif slot is not None and getattr(operands[slot], "_storage", None) is storage:
            array, _, version = saved[position]
            saved[position] = array, storage, version - 1
    node.saved = tuple(saved)
