"""Whether a check may look at the values of an array."""

from jaxeager.core.arrays import can_be_read
from jaxeager.core.flags import flag


def can_be_looked_at(array) -> bool:
    """Says whether the values of an array can be read cheaply: it is in host memory or on a CPU.

    On an accelerator looking would wait for the device (FLAGS_check_index=1 has it look there, see
    ``check_within`` of indexing/index_parse.py), inside jax.jit there is nothing to look at, and
    FLAGS_check_index=0 asks not to look at all.
    """
    return bool(flag("FLAGS_check_index")) and can_be_read(array)
