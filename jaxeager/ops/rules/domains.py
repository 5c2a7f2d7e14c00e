"""Checks that values are meaningful: probabilities, scales, rates and lengths.

Note [Checked domains]
    A draw from a probability of 2 or a rate of -1 returns numbers without meaning. A Python number
    is always checked. An array is checked when that does not wait: in host memory or on a CPU (one
    pass over it, about 8 us for a small one; FLAGS_check_index=0 turns it off). On an accelerator
    FLAGS_check_index=1 makes the device check (debug/checks/index_checks.py), and inside jax.jit
    there is no value to check.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer

from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.rules.value_checks import can_be_looked_at, refused


class Domain(NamedTuple):
    """The range of a number; nan is outside of every range.

    Attributes:
        text: the requirement in the error message, such as "must be above 0".
        least: the lowest.
        most: the highest.
        above: whether ``least`` itself is not allowed.
        below: whether ``most`` itself is not allowed.
        of: a function of an array of values that returns the numbers to compare; None compares the
            values.
    """

    text: str
    least: float = -math.inf
    most: float = math.inf
    above: bool = False
    below: bool = False
    of: Callable[[Any], Any] | None = None

    def holds(self, values: Any) -> Any:
        """Return which values are inside, for a NumPy or JAX array or a number."""
        low = values > self.least if self.above else values >= self.least
        return low & (values < self.most if self.below else values <= self.most)


PROBABILITY = Domain("must be in [0, 1]", 0, 1)
CHANCE_OF_SUCCESS = Domain("must be above 0 and at most 1", 0, 1, above=True)
POSITIVE = Domain("must be above 0", 0, above=True)
NOT_NEGATIVE = Domain("must be 0 or more", 0)
FINITE = Domain("must be finite", above=True, below=True)
FINITE_NOT_NEGATIVE = Domain("must be finite and 0 or more", 0, below=True)


def check_domain(
    what: str, value: object, domain: Domain, kind: type[Exception] = InvalidArgumentError
) -> None:
    """Raise for the first value outside a domain; see Note [Checked domains].

    Args:
        what: the name of the value, with which the message begins.
        value: a number, a Tensor, an array or a list.
        domain: the allowed range.
        kind: the class of the exception.

    Raises:
        InvalidArgumentError: or ``kind``, when there is such a value.
    """
    check_values(value, domain, partial(_error, what, domain, kind))


def check_values(value: object, domain: Domain, error: Callable[[Any], Exception]) -> None:
    """Raise ``error(number)`` for the first value outside a domain, as ``check_domain`` does."""
    if isinstance(value, (bool, int, float)):
        if not domain.holds(value):
            raise refused(error(value))
        return
    array = getattr(value, "_array", value)
    if isinstance(array, Tracer):
        return
    if isinstance(array, jax.Array) and not can_be_looked_at(array):
        if ports.look_at_values is not None:
            ports.look_at_values(array, domain, error)
        return
    values = np.asarray(array)
    if values.dtype.kind in "OUSc" or values.size == 0:  # not real numbers, or nothing to compare
        return
    if values.dtype.itemsize == 2:  # NumPy warns of a nan in half precision
        values = values.astype(np.float32)
    values = values if domain.of is None else domain.of(values)
    if _extremes_hold(values, domain):
        return
    good = domain.holds(values)
    if not good.all():
        raise refused(error(np.extract(~good, values)[0]))


def _extremes_hold(values: np.ndarray, domain: Domain) -> bool:
    """Return whether the smallest and the largest value are inside; both are nan if any value is.

    They are found without a temporary array, so a large array takes a third of the time.
    """
    if not domain.holds(np.minimum.reduce(values, None)):
        return False
    if domain.most == math.inf and not domain.below:
        return True
    return bool(domain.holds(np.maximum.reduce(values, None)))


def _error(what: str, domain: Domain, kind: type[Exception], found: Any) -> Exception:
    number = found.item() if hasattr(found, "item") else found
    return kind(f"{what} {domain.text}, but received {number}.")
