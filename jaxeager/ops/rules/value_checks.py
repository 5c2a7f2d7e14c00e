"""Checks of values: whether an array can be read, and the report of a refused value to tools."""

from jaxeager.arrays.as_array import can_be_read
from jaxeager.core.flags import flag
from jaxeager.graph import events
from jaxeager.graph.mode import read_silent


def can_be_looked_at(array: object) -> bool:
    """Return whether an array's values can be read cheaply: it is in host memory or on a CPU.

    On an accelerator reading would wait for the device (FLAGS_check_index=1 makes the device check,
    see ``check_within`` of indexing/index_parse.py). Inside jax.jit there is no value to read, and
    FLAGS_check_index=0 turns all checks off.
    """
    return bool(flag("FLAGS_check_index")) and can_be_read(array)


def refused(error: Exception) -> Exception:
    """Return the error for a value that a check refuses, after notifying tools of it."""
    if events.value_refused is not None and not read_silent():
        events.value_refused(error)
    return error
