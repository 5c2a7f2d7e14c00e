"""Values that can be looked at without waiting, and the check of ids that uses them."""

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.index_parse import can_be_looked_at


def known_values(x) -> np.ndarray | None:
    """Returns a tensor's values when they are on a CPU, without a copy; else None.

    An accelerator is never waited for, and inside jax.jit there are no values.
    """
    array = x._array
    return np.asarray(array) if array.size and can_be_looked_at(array) else None


def check_range(what: str, ids, count: int) -> None:
    """Raises when an id on a CPU is outside [0, count). About 15 us.

    Raises:
        InvalidArgumentError: naming the id.
    """
    found = known_values(ids)
    if found is None:
        return
    for bad in (found.min(), found.max()):
        if not 0 <= bad < count:
            raise InvalidArgumentError(
                f"{what} expected >= 0 and < {count}, but got {bad}. Please check input value."
            )
