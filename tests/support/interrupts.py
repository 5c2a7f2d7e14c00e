"""Interrupts at a chosen point: at the n-th place of a call, in whatever frame.

CPython allows a function to raise before any bytecode of any Python frame that a call runs,
including JAX's own: ``sys.monitoring`` from 3.12 on, before that ``sys.settrace`` with
``f_trace_opcodes`` (which from 3.12 on misses the first frames). The exception is raised where
CPython itself checks for signals: at the beginning of a function, after a call and where a loop
jumps back. (Elsewhere ``with lock:`` itself could be cut in two.) Code that runs in C alone has no
such place.
"""

import dis
import functools
import sys
import threading
from collections.abc import Callable

from jax._src import core


class Interrupt(KeyboardInterrupt):
    """The raised interrupt; only tests catch it by its name."""


# Frames that must not be interrupted: those that hold locks of the interpreter, those of pytest,
# and those of finalizers, whose exceptions CPython drops.
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
    """Return the offsets of a code before which CPython checks for signals."""
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
    """Run a call; call ``reach`` at each place of it, where its exception is raised."""
    assert sys.version_info >= (3, 12)
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
    """Do the same as ``_run_monitored`` when CPython has no sys.monitoring."""

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
    """Run a call and raise Interrupt at its place number ``number``.

    Args:
        number: counted from 0 over all frames that the call enters, in the order they run.
        call: a function of no arguments.

    Returns:
        None when it was interrupted, else the number of places it passed.
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
        core.reset_trace_state()  # JAX removes its trace before the "try" that restores it
        return None
    except ValueError as error:
        if not fell_into_jax(error):
            raise
        return None
    return None if 0 <= number < seen else seen


def fell_into_jax(error: ValueError) -> bool:
    """Return whether an interrupt fell where JAX compares keys: 0.12 and later raise this then."""
    return "Cache keys should be comparable" in str(error)


def places_in(call: Callable) -> int:
    """Return the number of places that a call passes."""
    seen = interrupted_at(-1, call)
    assert seen is not None
    return seen
