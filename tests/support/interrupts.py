"""Interrupts that fall where one wants them: at the n-th place of a call, in whatever frame.

``sys.settrace`` with ``f_trace_opcodes`` lets a function raise before any bytecode of any Python
frame that a call runs, JAX's own among them. Raised is where CPython itself looks for signals: at
the beginning of a function, behind a call and where a loop goes back. (Elsewhere ``with lock:``
itself could be cut in two.) What runs in C alone has no such place.
"""

import dis
import functools
import sys
from collections.abc import Callable


class Interrupt(KeyboardInterrupt):
    """What is raised; no code but a test's catches it by its name."""


# What may not be disturbed: frames that hold locks of the interpreter, or pytest is in, and those
# of finalizers, whose exceptions CPython drops.
_LEFT_ALONE = ("importlib", "_pytest", "/threading.py", "/weakref.py", "/jax/_src/lib/__init__.py")


def _is_left_alone(frame) -> bool:
    return any(part in frame.f_code.co_filename for part in _LEFT_ALONE)


@functools.cache
def _places_of(code) -> frozenset[int]:
    """Returns the offsets of a code before which CPython looks for signals."""
    places, before = set(), ""
    for instruction in dis.get_instructions(code):
        if before.startswith(("RESUME", "CALL")) or instruction.opname.startswith("JUMP_BACKWARD"):
            places.add(instruction.offset)
        before = instruction.opname
    return frozenset(places)


def interrupted_at(number: int, call: Callable) -> int | None:
    """Runs a call and raises Interrupt at its place number ``number``.

    Args:
        number: counted from 0 over all frames that the call enters, in the order they run.
        call: a function of no arguments.

    Returns:
        None when it was interrupted, else how many places it passed.
    """
    seen, is_sent = 0, False

    def trace(frame, event, argument):
        nonlocal seen, is_sent
        if is_sent or _is_left_alone(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and frame.f_lasti in _places_of(frame.f_code):
            if seen == number:
                is_sent = True
                sys.settrace(None)
                raise Interrupt
            seen += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        return None
    finally:
        sys.settrace(before)
    return None if is_sent else seen


def places_in(call: Callable) -> int:
    """Returns how many places a call passes."""
    seen = interrupted_at(-1, call)
    assert seen is not None
    return seen
