"""backward_vlog_guard: logs the backward of the nodes that are recorded in a block.

Note [Marks]
    A guard stores a ``Mark`` in the ``notes`` of every node that its thread records. The mark
    belongs to the node, so no other node can be mistaken for it, and it is freed with the node. As
    long as one is alive, an observer checks at the beginning of each backward whether it has a
    marked node, and then forwards its events to the log. While a marked node runs and passes its
    gradients on, the thread has the level of its mark. The log itself, which sends every op through
    the slow path, only becomes active where a marked node runs user code: that of a PyLayer, of a
    hook, or everything with ``create_graph``.

    Leaves have no mark, as in Paddle: the gradient that they accumulate is the sum over every use
    of the leaf, inside and outside the guard.
"""

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jaxeager.debug.vlog import vlog
from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events


class Mark:
    """The level at which a node's backward is written."""

    __slots__ = ("__weakref__", "level")

    def __init__(self, level: int):
        self.level = level


class _Entry(NamedTuple):
    """The level of one guard, as an object that no other guard shares."""

    level: int


class _Thread(threading.local):
    def __init__(self):
        self.levels: list[_Entry] = []  # the guards this thread is in
        self.notified: list[
            bool
        ] = []  # for each running backward, innermost last: is the log notified


_thread = _Thread()
_alive: weakref.WeakSet[Mark] = weakref.WeakSet()
_lock = threading.RLock()
_guards: list["_Entry"] = []  # of all threads
_is_reading = False


def guard_level() -> int | None:
    """Return the level of the innermost guard this thread is in; None outside."""
    return _thread.levels[-1].level if _thread.levels else None


_CAPTURES = "captures_in"  # attribute of observers that capture the nodes of a thread
_capturing: set[int] = set()  # idents of those threads, and 0, which is not a thread


def is_captured() -> bool:
    """Return whether a guard of either kind captures this thread's nodes, for the log."""
    return guard_level() is not None or threading.get_ident() in _capturing


def _on_observers_changed() -> None:
    _capturing.clear()
    _capturing.update(getattr(each, _CAPTURES, 0) for each in events.in_force())


events.on_change(_on_observers_changed)


def mark_of(node) -> Mark | None:
    """Return a node's mark, None if it has none."""
    notes = getattr(node, "notes", None)
    return None if notes is None else notes.get("vlog")


def capture_text(node) -> str:
    """Return the line of the forward log about a captured node."""
    return f"Capture the grad node{node.name()}({node.node_ptr():#x})for subgraph."


@contextlib.contextmanager
def backward_vlog_guard(level: int) -> Iterator[None]:
    """Write to stderr the lines about the backward of the ops called in a block, and no others.

    Args:
        level: the level, as for ``set_vlog_level``; it is active while a node that was recorded in
            the block runs, in any thread. A nested block has its own level.

    Returns:
        a context manager, also a decorator.

    Raises:
        InvalidTypeError: when the level is not an int.

    Paddle: leaving an inner guard switches the outer one off too, and a later node at the same
        address is mistaken for one that was recorded in the guard.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.base.framework import backward_vlog_guard
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> with backward_vlog_guard(0):
        ...     y = paddle.sin(x)
        >>> y.backward()
    """
    if not isinstance(level, int) or isinstance(level, bool):
        raise InvalidTypeError(
            f"vlog level is not an int: backward_vlog_guard takes one level for all modules, but "
            f"received {type(level).__name__}: {level!r}."
        )
    levels, entry = _thread.levels, _Entry(level)
    try:
        with _lock:
            _guards.append(entry)
            levels.append(entry)
            if len(_guards) == 1:
                events.observe(_marker)
        yield
    finally:  # guards may be left in any order, and in any thread
        with _lock:
            for entries in (levels, _guards):
                entries[:] = [each for each in entries if each is not entry]
            if not _guards:
                events.unobserve(_marker)


def _mark(node) -> None:
    """Give a node the level of the guard it was recorded in."""
    global _is_reading
    mark = Mark(_thread.levels[-1].level)
    if getattr(node, "notes", None) is None:
        node.notes = {}
    node.notes["vlog"] = mark
    with _lock:
        _alive.add(mark)
        if not _is_reading:
            _is_reading = True
            events.observe(_reader)


class _Marker(events.Observer):
    """Marks the nodes that a thread records in a guard; active while there is a guard."""

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        if node is not None and _thread.levels:
            _mark(node)

    def layer_ended(self, layer, inputs, outputs, node):
        if node is not None and _thread.levels:
            _mark(node)

    def node_recorded(self, node):
        if _thread.levels:
            _mark(node)


def _handed_on(event: str) -> Callable:
    """Return a method that forwards an event of a backward to the log unless it observes anyway."""

    def hand_on(self, *what):
        notified = _thread.notified
        if notified and notified[-1] and not vlog.is_active():
            getattr(vlog.writer_of_backward(), event)(*what)

    return hand_on


class _Reader(events.Observer):
    """Notifies the log of backwards with a marked node; active while a mark is alive."""

    node_began, node_ended = _handed_on("node_began"), _handed_on("node_ended")
    node_failed, gradient_passed = _handed_on("node_failed"), _handed_on("gradient_passed")
    hook_began, hook_ended = _handed_on("hook_began"), _handed_on("hook_ended")

    def backward_began(self, run):
        is_notified = any(mark_of(node) is not None for node in run.tasks)
        _thread.notified.append(is_notified)
        if is_notified:
            vlog.writer_of_backward().backward_began(run)

    def backward_ended(self, run, error):
        global _is_reading
        is_notified = (
            _thread.notified.pop() if _thread.notified else False
        )  # empty: no mark existed yet
        if is_notified and not vlog.is_active():
            vlog.writer_of_backward().backward_ended(run, error)
        for node in run.tasks:
            if node.released and mark_of(node) is not None:
                node.notes.pop("vlog", None)  # it cannot run again
        with _lock:
            if not _alive and _is_reading:
                _is_reading = False
                events.unobserve(self)


_marker, _reader = _Marker(), _Reader()
