"""Checks of values: whether one may look at an array, and who is told of what it refuses."""

from jaxeager.core.arrays import can_be_read
from jaxeager.core.flags import flag
from jaxeager.graph import events
from jaxeager.graph.mode import read_silent


def can_be_looked_at(array) -> bool:
    """Says whether the values of an array can be read cheaply: it is in host memory or on a CPU.

    On an accelerator looking would wait for the device (FLAGS_check_index=1 has it look there, see
    ``check_within`` of indexing/index_parse.py), inside jax.jit there is nothing to look at, and
    FLAGS_check_index=0 asks not to look at all.
    """
    return bool(flag("FLAGS_check_index")) and can_be_read(array)


def refused(error: Exception) -> Exception:
    """Return the error for a value that a check refuses, after tools were told of it."""
    if events.value_refused is not None and not read_silent():
        events.value_refused(error)
    return error
