"""Sets this library's counters of names to their start, for scripts that run on both libraries.

It is a separate file so that the text that real Paddle runs, on which its records depend, does not
change with the internals of this library.
"""

import importlib


def reset() -> None:
    """Reset them, as in a new process."""
    importlib.import_module("jaxeager.debug.common.naming").reset()
    importlib.import_module("jaxeager.tensor.tensor")._counters.clear()
