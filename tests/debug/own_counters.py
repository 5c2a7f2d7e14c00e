"""Sets this library's counters of names to their start, for scripts that run on both libraries.

It is a file of its own so that what real Paddle runs, on which its records hang, stays the same
when this library's inside changes.
"""

import importlib


def reset() -> None:
    """Sets them back, as in a process that is new."""
    importlib.import_module("jaxeager.debug.common.naming").reset()
    importlib.import_module("jaxeager.tensor.tensor")._counters.clear()
