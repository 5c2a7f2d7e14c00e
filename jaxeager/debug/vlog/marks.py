"""backward_vlog_guard: the backward of what is recorded in a block is written to the verbose log.

Note [Marks]
    A guard gives every node that its thread records a ``Mark``, in the node's ``notes``: the node
    has it, so another node can never be taken for it, and it goes when the node goes. As long as
    one is alive, an observer looks at the beginning of each backward whether a marked node is
    among its nodes, and then hands what happens to the log: while a marked node runs, and hands on
    its gradients, the thread has the level of its mark. The log itself only comes into force, and
    every op then takes the long way, where a marked node runs a user's code: that of a PyLayer, of
    a hook, or all of it with ``create_graph``.

    Leaves have no mark, as in Paddle: what their accumulation adds is the sum over every use of the
    leaf, inside and outside the guard.
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
    """The level of one guard, which is another object than that of any other guard."""

    level: int


class _Thread(threading.local):
    def __init__(self):
        self.levels: list[_Entry] = []  # of the guards this thread is in
        self.told: list[bool] = []  # of its backwards, the innermost last: if the log is told


_thread = _Thread()
_alive: weakref.WeakSet[Mark] = weakref.WeakSet()
_lock = threading.RLock()
_guards: list["_Entry"] = []  # of every thread
_is_reading = False


def guard_level() -> int | None:
    """Return the level of the innermost guard this thread is in; None outside."""
    return _thread.levels[-1].level if _thread.levels else None


_CAPTURES = "captures_in"  # what observers have that keep the nodes of a thread
_capturing: set[int] = set()  # and 0, which is no thread


def is_captured() -> bool:
    """Return whether the log says of this thread's nodes that a guard of either kind has them."""
    return guard_level() is not None or threading.get_ident() in _capturing


def _look_around() -> None:
    _capturing.clear()
    _capturing.update(getattr(each, _CAPTURES, 0) for each in events.in_force())


events.on_change(_look_around)


def mark_of(node) -> Mark | None:
    """Return a node's mark, None when it has none."""
    notes = getattr(node, "notes", None)
    return None if notes is None else notes.get("vlog")


def capture_text(node) -> str:
    """Return the line of the forward log that says a node is marked."""
    return f"Capture the grad node{node.name()}({node.node_ptr():#x})for subgraph."


@contextlib.contextmanager
def backward_vlog_guard(level: int) -> Iterator[None]:
    """Write to stderr what the backward of the ops called in a block does, and nothing else.

    Args:
        level: how much, as for ``set_vlog_level``; it is in force while a node that was recorded in
            the block runs, in whatever thread that is. A block inside another has its own level.

    Returns:
        a context manager, also a decorator.

    Raises:
        InvalidTypeError: when the level is not an int.

    Paddle: leaving an inner guard switches the outer one off too, and a later node at the same
        address is taken for one that was recorded in the guard.

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
    finally:  # in any order, and in any thread
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
    """Marks what this thread records in a guard; in force while there is one."""

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
    """Return a method that tells the log of an event of a backward, unless it is told anyway."""

    def hand_on(self, *what):
        told = _thread.told
        if told and told[-1] and not vlog.is_in_force():
            getattr(vlog.writer_of_backward(), event)(*what)

    return hand_on


class _Reader(events.Observer):
    """Tells the log of a backward with a marked node; in force while one is alive."""

    node_began, node_ended = _handed_on("node_began"), _handed_on("node_ended")
    node_failed, gradient_passed = _handed_on("node_failed"), _handed_on("gradient_passed")
    hook_began, hook_ended = _handed_on("hook_began"), _handed_on("hook_ended")

    def backward_began(self, run):
        is_told = any(mark_of(node) is not None for node in run.tasks)
        _thread.told.append(is_told)
        if is_told:
            vlog.writer_of_backward().backward_began(run)

    def backward_ended(self, run, error):
        global _is_reading
        is_told = _thread.told.pop() if _thread.told else False  # none: no mark was there yet
        if is_told and not vlog.is_in_force():
            vlog.writer_of_backward().backward_ended(run, error)
        for node in run.tasks:
            if node.released and mark_of(node) is not None:
                node.notes.pop("vlog", None)  # it does not run again
        with _lock:
            if not _alive and _is_reading:
                _is_reading = False
                events.unobserve(self)


_marker, _reader = _Marker(), _Reader()
