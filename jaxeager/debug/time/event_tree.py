"""The ops and nodes in the events of a recorder: their names, and the time that is their own."""

from collections.abc import Iterable

from jaxeager.debug.time.timed_events import Event, TracerEventType

OPS = (TracerEventType.Operator, TracerEventType.PythonOp)


def is_counted(event: Event) -> bool:
    """Return whether an event is an op or node, or a wait for a call between ranks."""
    return event.kind in OPS or event.is_wait


def ops_in(roots: Iterable[Event]) -> Iterable[Event]:
    """Yield the events of ops and nodes, including nested ones."""
    return (event for event in _every(roots) if event.kind in OPS)


def waits_in(roots: Iterable[Event]) -> Iterable[Event]:
    """Yield the waits for calls between ranks."""
    return (event for event in _every(roots) if event.is_wait)


def _every(roots: Iterable[Event]) -> Iterable[Event]:
    """Yield events, those inside others after them."""
    waiting = list(roots)
    while waiting:
        event = waiting.pop()
        waiting += event.children
        yield event


def outermost(roots: Iterable[Event]) -> list[Event]:
    """Return the counted events that are in no other one, in order of time."""
    found: list[Event] = []
    waiting = list(roots)
    while waiting:
        event = waiting.pop()
        if is_counted(event):
            found.append(event)
        else:
            waiting += event.children
    return sorted(found, key=lambda event: event.begin_ns)


def own_ns(event: Event) -> int:
    """Return the time of an event, without that of making kernels and of counted ones inside it."""
    inside = sum([each.duration_ns for each in outermost(event.children)])
    return max(event.duration_ns - event.compile_ns - inside, 0)


def named(event: Event) -> tuple[str, str]:
    """Return the name of an op or node, and its kind."""
    if event.name.startswith("Global_"):
        return event.name.removeprefix("Global_"), "node"
    return event.name.removesuffix(" dygraph"), "op"
