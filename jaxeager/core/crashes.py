"""Makes a crash show its signal and the program's lines: Python's fault handler, on by default.

Note [Crashes]
    The fault handler costs nothing while the program runs: after a signal it walks the stacks of
    all threads, without memory or locks. The public function of an op is a frame of its own, in
    "<jaxeager op exp>", so the stack names the op and the line. A record of earlier ops does cost
    something: in memory 0.06 us per op, where a crash cannot read it, and 0.6 us in a file, of an
    op's 4 to 9. So that is for FLAGS_flight_recorder to switch on.
"""

import contextlib
import faulthandler
import sys

_is_ours = False


def enable() -> None:
    """Switch the fault handler on, unless it is on."""
    global _is_ours
    if faulthandler.is_enabled():
        return
    for file in (each for each in (sys.stderr, sys.__stderr__) if each is not None):
        # A notebook's stderr has no file, and a program without a console has no stderr at all.
        with contextlib.suppress(AttributeError, OSError, RuntimeError, ValueError):
            faulthandler.enable(file)
            _is_ours = True
            return


def disable() -> None:
    """Undo ``enable``; a fault handler that the program switched on stays."""
    global _is_ours
    if _is_ours:
        faulthandler.disable()
        _is_ours = False
