"""Observers of calls: tools, mixed precision, hooks on saved tensors, JAX's own tracing.

Note [Looking on]
    ``lookers`` is a list with an entry for each observer, in any thread. So before a call begins,
    and again when it has its result, it only checks whether a list is empty (``if lookers:``, about
    10 ns). If it is not, the call checks the state of its thread, which is mixed precision and
    hooks (graph/mode.py), and the events that tools subscribe to (graph/events.py).

    Few observers have to see a call before it begins: mixed precision, which casts its operands,
    tools that are notified of each stage, and JAX when it differentiates. These are in ``early`` as
    well, so that all others cost nothing before the result exists.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.graph import events
from jaxeager.graph.events import notify
from jaxeager.graph.mode import read_amp, read_capture, read_saved_hooks, read_silent, read_traced
from jaxeager.graph.saved_hooks import pack_node
from jaxeager.kernels.lazy import mode as lazy_mode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jaxeager.graph.node import GradNode
    from jaxeager.ops.call.plan import Plan
    from jaxeager.ops.call.types import Attrs, Function, Operands, Results, Scalars
    from jaxeager.ops.row import OpRow
    from jaxeager.tensor.tensor import Tensor

lookers: list[str] = []
early: list[str] = []
_TOOLS, _STAGES = "tools", "stages"
_TRACING = frozenset({"to_jax", "to_static"})
_EARLY = frozenset({"auto_cast"}) | _TRACING


def watch(who: str) -> None:
    """Make every call check its observers, until ``unwatch`` of the same name; calls nest.

    Args:
        who: the name of the observer.
    """
    lookers.append(who)
    if who in _EARLY:
        early.append(who)
    if who in _TRACING:
        _tell_lazy_mode()


def unwatch(who: str) -> None:
    """Undo one ``watch``."""
    lookers.remove(who)
    if who in _EARLY:
        early.remove(who)
    if who in _TRACING:
        _tell_lazy_mode()


def _look_for_tools() -> None:
    is_looking = events.has_ops or events.take_stack is not None
    if is_looking and _TOOLS not in lookers:
        watch(_TOOLS)
    elif not is_looking and _TOOLS in lookers:
        unwatch(_TOOLS)
    if events.has_stages != (_STAGES in early):
        early.append(_STAGES) if events.has_stages else early.remove(_STAGES)
    _tell_lazy_mode()


def _tell_lazy_mode() -> None:
    """Run kernels immediately while tools observe calls, and while JAX traces the ops."""
    has_tools = events.has_ops or events.has_stages or events.has_graph
    lazy_mode.set_observed(has_tools or not _TRACING.isdisjoint(lookers))


events.on_change(_look_for_tools)


def cast_operands(row: OpRow, operands: Operands) -> Operands | None:
    """Return the operands of a call, cast for the mixed precision of this thread.

    None when the call has to run in stages: tools are notified of each, or JAX differentiates it.
    """
    if (events.has_stages and not read_silent()) or read_traced() or read_capture() is not None:
        return None
    policy = read_amp()
    return operands if policy is None else policy.cast_operands(row, operands)


def see(operands: Iterable[object]) -> None:
    """Show ``jit.to_static`` the tensors that a call is about to read."""
    capture = read_capture()
    if capture is not None:
        capture.see(operands)


def see_gradient(tensor: Any) -> None:
    """Show ``jit.to_static`` a tensor whose gradient is about to be read or set."""
    capture = read_capture()
    if capture is not None:
        capture.see_gradient(tensor)


def show(event: Function | None, *what: object) -> None:
    """Notify the subscriber of a cheap event of ops, unless the package runs the op for itself."""
    if event is not None and not read_silent():
        event(*what)


def show_node(node: GradNode, seen: events.Call | None = None) -> None:
    """Show a new node to this thread's hooks on saved tensors, and to the observer of the call."""
    hooks, take_stack = read_saved_hooks(), events.take_stack
    if hooks is not None:
        pack_node(node, hooks)
    if take_stack is not None:
        node.stack = take_stack()
    if seen is not None:
        seen.node = node
        notify(events.node_made, seen)


def show_result(
    row: OpRow,
    operands: Operands,
    attrs: Attrs,
    tensors: tuple[Tensor, ...],
    node: GradNode | None,
) -> None:
    """Show observers the arrays that a call has made, its node and its results."""
    is_shown, kernel_ran = not read_silent(), events.kernel_ran
    if kernel_ran is not None and is_shown:
        kernel_ran(row, operands, attrs, tuple([tensor._array for tensor in tensors]), False)
    if node is not None:
        show_node(node)
    op_ran = events.op_ran
    if op_ran is not None and is_shown:
        op_ran(row, operands, attrs, tensors, node, False)


def call_in_stages(
    run: Function,
    plan: Plan,
    operands: Operands,
    attrs: Attrs,
    scalars: Scalars,
    is_inplace: bool,
) -> Any:
    """Run a call and notify tools of each of its stages."""
    seen = events.Call(plan.row, operands, attrs, scalars, is_inplace)
    notify(events.call_began, seen)
    try:
        result: Results = run(plan, operands, attrs, scalars, seen)
        seen.outputs = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        notify(events.call_ended, seen)
    except BaseException as error:
        notify(events.call_failed, seen, error)
        raise
    return result
