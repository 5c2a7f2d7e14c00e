"""Values that can be looked at without waiting, and the check of ids that uses them."""

import numpy as np

from jaxeager.errors import InvalidIndexError
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.rules.looking import can_be_looked_at


def known_values(x) -> np.ndarray | None:
    """Returns a tensor's values when they are on a CPU, without a copy; else None.

    An accelerator is never waited for, and inside jax.jit there are no values.
    """
    array = x._array
    return np.asarray(array) if array.size and can_be_looked_at(array) else None


def check_range(what: str, ids, count: int) -> None:
    """Raises when an id on a CPU is outside [0, count). About 2 us.

    Raises:
        InvalidIndexError: naming the id.
    """

    def error(bad: int) -> InvalidIndexError:
        return InvalidIndexError(
            f"{what} expected >= 0 and < {count}, but got {bad}. Please check input value."
        )

    check_within(ids._array, 0, count, error)
