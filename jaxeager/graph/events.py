"""Events: the one protocol by which tools observe ops and the graph.

Note [Events]
    A tool is an ``Observer`` (observer.py): it overrides the events it needs and is registered by
    ``observe``. For every event this module has an attribute of that name: None while no tool needs
    the event, else one function that notifies all tools that do. The code that emits an event only
    checks for None. A call of an op does even less: it checks whether anything is active at all
    (ops/call/observers.py, Note [Looking on]). A backward then reports every step (graph/engine.py,
    Note [One drain]).

    There are two kinds of op events. ``kernel_ran`` and ``op_ran`` are cheap. The events of a
    ``Call`` follow it through the five stages, which costs about 4 us more: every call then uses
    the path with loops (ops/call/path.py). ``take_stack`` is cheaper still and not an event: it
    gives new nodes their ``stack``.

    Computation that the package does for itself (views read again, a tool's own arithmetic) is not
    shown; it runs in a ``silent`` block. An observer that raises stops the op or the backward of
    the event.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from jaxeager.graph.mode import grad_mode
from jaxeager.graph.observer import (
    ENDS,
    EVENTS,
    GRAPH,
    LAYERS,
    OPS,
    RUNS,
    STAGES,
    Backward,
    Call,
    Observer,
)

if TYPE_CHECKING:
    from jaxeager.graph.types import Event, Listener

__all__ = [
    "ENDS", "EVENTS", "GRAPH", "LAYERS", "OPS", "RUNS", "STAGES", "Backward", "Call", "Observer",
    "at_once", "in_force", "notify", "observe", "observing", "on_change", "set_take_stack",
    "silent", "try_unobserve", "unobserve",
]  # fmt: skip

_observers: list[Observer] = []
_lock = threading.RLock()
_changed: list[Callable[[], object]] = []  # called after the observers have changed
_is_refreshing = False
_changing = 0  # the nesting depth of ``at_once`` blocks

kernel_ran: Event = None
op_ran: Event = None
op_failed: Event = None
call_began: Event = None
operands_ready: Event = None
kernel_found: Event = None
kernel_finished: Event = None
node_made: Event = None
call_ended: Event = None
call_failed: Event = None
layer_called: Event = None
layer_began: Event = None
layer_ended: Event = None
layer_failed: Event = None
backward_began: Event = None
backward_ended: Event = None
node_began: Event = None
gradients_met: Event = None
node_ended: Event = None
node_ran: Event = None
node_failed: Event = None
gradient_passed: Event = None
gradient_shown: Event = None
hook_began: Event = None
hook_ended: Event = None
leaf_made: Event = None
value_written: Event = None
value_detached: Event = None
value_read: Event = None
value_refused: Event = None
composite_casts: Event = None
array_made: Event = None
nn_layer_began: Event = None
nn_layer_ended: Event = None
update_began: Event = None
update_ended: Event = None
step_began: Event = None
step_ended: Event = None
node_recorded: Event = None
vjp_ran: Event = None
op_wrote: Event = None
rank_call_began: Event = None
rank_call_ended: Event = None
rank_wait_began: Event = None
rank_wait_ended: Event = None
part_began: Event = None
part_ended: Event = None
take_stack: Event = None  # gives nodes their ``stack``; not an event, see above

has_ops = False  # whether any tool needs op events
has_stages = False  # whether any tool needs a Call
has_graph = False  # whether any tool needs events of backward
has_nodes = False  # whether any tool needs events of its nodes
has_layers = False  # whether any tool needs events of PyLayers


def notify(event: Event, *what: object) -> None:
    """Send an event, one of this module's functions, if any tool needs it."""
    if event is not None:
        event(*what)


def observe(observer: Observer, first: bool = False) -> None:
    """Register an observer, in every thread.

    Args:
        observer: notified of the events that its class overrides.
        first: notify it before the existing ones (for naming, which the others rely on).
    """
    with _lock:
        _observers.insert(0, observer) if first else _observers.append(observer)
        _refresh()


def unobserve(observer: Observer) -> None:
    """Undo one ``observe`` of the same object; do nothing when there was none."""
    with _lock:
        for position, each in enumerate(_observers):
            if each is observer:
                del _observers[position]
                break
        _refresh()


def try_unobserve(observer: Observer) -> bool:
    """Do ``unobserve`` unless observers are just being changed; return whether it did.

    It never waits, so the garbage collector may call it at any point.
    """
    if _is_refreshing or not _lock.acquire(blocking=False):
        return False
    try:
        unobserve(observer)
    finally:
        _lock.release()
    return True


@contextlib.contextmanager
def at_once() -> Generator[None]:
    """Apply all changes of observers within a block together at its end."""
    global _changing
    with _lock:
        _changing += 1
        try:
            yield
        finally:
            _changing -= 1
            _refresh()


@contextlib.contextmanager
def observing(observer: Observer) -> Generator[None]:
    """Register an observer for a block."""
    observe(observer)
    try:
        yield
    finally:
        unobserve(observer)


@contextlib.contextmanager
def silent() -> Generator[None]:
    """Hide from all observers what this thread runs in a block."""
    before = grad_mode.silent
    grad_mode.silent = True
    try:
        yield
    finally:
        grad_mode.silent = before


def set_take_stack(function: Callable[[], object] | None) -> None:
    """Set a function whose result every node recorded from now on gets as its ``stack``.

    Args:
        function: called without arguments where the node is made, shown or silent; None: nodes get
            no stack.
    """
    global take_stack
    with _lock:
        take_stack = function
        _refresh()


def in_force() -> tuple[Observer, ...]:
    """Return the registered observers, in their order."""
    return tuple(_observers)


def on_change(function: Callable[[], object]) -> None:
    """Call a function without arguments whenever the observers have changed."""
    _changed.append(function)


def _refresh() -> None:
    """Rebuild the module's functions from the registered observers."""
    if _changing:
        return
    scope = globals()
    scope["_is_refreshing"] = True
    try:
        _compose_all(scope)
        for function in _changed:
            function()
    finally:
        scope["_is_refreshing"] = False


def _compose_all(scope: dict[str, object]) -> None:
    """Build the functions that send events, and set which kinds are needed."""
    listeners: dict[str, list[Listener]] = {event: [] for event in EVENTS}
    for each in _observers:
        for event in _wanted(type(each)):
            listeners[event].append(getattr(each, event))
    for event, functions in listeners.items():
        scope[event] = _composed(functions, event in ENDS)
    scope["has_ops"] = any(scope[event] is not None for event in OPS + STAGES)
    scope["has_stages"] = any(scope[event] is not None for event in STAGES)
    scope["has_graph"] = any(scope[event] is not None for event in GRAPH)
    scope["has_nodes"] = any(scope[event] is not None for event in GRAPH if event not in RUNS)
    scope["has_layers"] = any(scope[event] is not None for event in LAYERS)


@functools.lru_cache(1024)
def _wanted(kind: type) -> list[str]:
    """Return the events that a class of observers overrides."""
    return [event for event in EVENTS if getattr(kind, event) is not getattr(Observer, event)]


def _composed(listeners: list[Listener], is_end: bool) -> Event:
    """Return one function that calls them all in order; a single one is returned as it is."""
    if len(listeners) < 2:
        return listeners[0] if listeners else None

    def notify_all(*arguments: object) -> None:
        raised: BaseException | None = None
        for listener in listeners:
            try:
                listener(*arguments)
            except BaseException as error:
                raised = raised or error
        if raised is not None:
            raise raised

    def notify_each(*arguments: object) -> None:
        for listener in listeners:
            listener(*arguments)

    return notify_all if is_end else notify_each
