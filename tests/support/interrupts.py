"""Interrupts that fall where one wants them: at the n-th place of a call, in whatever frame.

CPython lets a function raise before any bytecode of any Python frame that a call runs, JAX's own
among them: ``sys.monitoring`` from 3.12 on, before that ``sys.settrace`` with ``f_trace_opcodes``
(which from 3.12 on misses the first frames). Raised is where CPython itself looks for signals: at
the beginning of a function, behind a call and where a loop goes back. (Elsewhere ``with lock:``
itself could be cut in two.) What runs in C alone has no such place.
"""

import dis
import functools
import sys
import threading
from collections.abc import Callable

from jax._src import core


class Interrupt(KeyboardInterrupt):
    """What is raised; no code but a test's catches it by its name."""


# What may not be disturbed: frames that hold locks of the interpreter, or pytest is in, and those
# of finalizers, whose exceptions CPython drops.
_LEFT_ALONE = (
    "importlib",
    "_pytest",
    "/threading.py",
    "/weakref.py",
    "/jax/_src/lib/__init__.py",
    __file__,
)
_NONE: frozenset[int] = frozenset()


@functools.cache
def _places_of(code) -> frozenset[int]:
    """Returns the offsets of a code before which CPython looks for signals."""
    if any(part in code.co_filename for part in _LEFT_ALONE):
        return _NONE
    places, before = set(), ""
    for instruction in dis.get_instructions(code):
        looks = before.startswith(("RESUME", "CALL")) and not before.startswith("CALL_INTRINSIC")
        if looks or instruction.opname.startswith("JUMP_BACKWARD"):
            places.add(instruction.offset)
        before = instruction.opname
    return frozenset(places)


def _run_monitored(call: Callable, reach: Callable) -> None:
    """Runs a call; calls ``reach`` at each place of it, and what that raises is raised there."""
    monitoring = sys.monitoring
    tool, event = monitoring.PROFILER_ID, monitoring.events.INSTRUCTION
    thread = threading.get_ident()

    def look(code, offset):
        if offset not in _places_of(code):
            return monitoring.DISABLE
        if threading.get_ident() == thread:
            reach()
        return None

    monitoring.use_tool_id(tool, "interrupts")
    try:
        monitoring.register_callback(tool, event, look)
        monitoring.set_events(tool, event)
        call()
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)


def _run_traced(call: Callable, reach: Callable) -> None:
    """Does what ``_run_monitored`` does where CPython has no sys.monitoring."""

    def trace(frame, event, argument):
        places = _places_of(frame.f_code)
        if not places:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and frame.f_lasti in places:
            reach()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)


def interrupted_at(number: int, call: Callable) -> int | None:
    """Runs a call and raises Interrupt at its place number ``number``.

    Args:
        number: counted from 0 over all frames that the call enters, in the order they run.
        call: a function of no arguments.

    Returns:
        None when it was interrupted, else how many places it passed.
    """
    seen = 0

    def reach():
        nonlocal seen
        seen += 1
        if seen == number + 1:
            raise Interrupt

    run = _run_monitored if sys.version_info >= (3, 12) else _run_traced
    try:
        run(call, reach)
    except Interrupt:
        core.reset_trace_state()  # JAX takes its trace away before the "try" that puts it back
        return None
    except ValueError as error:
        if not fell_into_jax(error):
            raise
        return None
    return None if 0 <= number < seen else seen


def fell_into_jax(error: ValueError) -> bool:
    """Says whether an interrupt came while JAX compared keys: from 0.12 on it raises this then."""
    return "Cache keys should be comparable" in str(error)


def places_in(call: Callable) -> int:
    """Returns how many places a call passes."""
    seen = interrupted_at(-1, call)
    assert seen is not None
    return seen
