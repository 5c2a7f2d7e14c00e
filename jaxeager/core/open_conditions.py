"""The conditions that decide a question about open sizes, and the numbers that break them."""

# JAX has no public names for what is in its symbolic sizes.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.core.size_comparisons import FLOORDIV, JAX_SIZE, Size, is_a_sum_from

if TYPE_CHECKING:
    from jax.core import ShapedArray


class Condition(NamedTuple):
    """A condition on a symbol.

    Attributes:
        name: the symbol.
        kind: ">=" and "<=" a number; "same" as another symbol; "step", a multiple.
        value: that number, or symbol.
        rest: for "step", the amount by which it is below a multiple.
    """

    name: str
    kind: str
    value: Any
    rest: int = 0


def conditions_for_sign(difference: JAX_SIZE) -> list[list[Condition]]:
    """Return conditions under which the sign of a difference is known.

    First a lower bound of the sizes, then an upper bound of a single one.
    """
    names = sorted(difference._get_vars())
    if len(names) != 1:
        fits = (n for n in range(2, 33) if is_a_sum_from(difference, n))
        return [[Condition(name, ">=", n) for name in names] for n in fits][:1]
    signs = [_value(difference, names[0], size) >= 0 for size in _TRIED]
    others = [place for place, each in enumerate(signs) if each != signs[-1]]
    if not others or others[-1] >= _DENSE:
        return []
    first = signs.index(not signs[0])
    return [[Condition(names[0], ">=", others[-1] + 2)], [Condition(names[0], "<=", first)]]


_DENSE = 2048
_TRIED = [*range(1, _DENSE + 1), *[10**power for power in range(4, 9)]]


def _value(size: Size, name: str, value: int) -> int:
    return int(size._evaluate({name: value}))


def conditions_for_zero(difference: Size) -> list[Condition]:
    """Return conditions under which a difference is 0: symbols that are equal, or multiples."""
    names = sorted(difference._get_vars(), key=lambda name: (len(name), name))
    if len(names) == 2 and all(
        not each.is_constant and each.to_var() for each, _ in difference._sorted_terms
    ):
        factors = [factor for _, factor in difference._sorted_terms]
        return [Condition(names[1], "same", names[0])] if sum(factors) == 0 else []
    divided, period = _divided_symbols(difference)
    draws = random.Random(0)
    for step in [n for n in range(2, min(period, _MOST_STEP) + 1) if period % n == 0]:
        for rest in range(step if len(divided) == 1 else 1):
            tried = [
                {name: step * draws.randrange(1, 99) - rest if name in divided
                 else draws.randrange(1, 99) for name in names}
                for _ in range(24)
            ]  # fmt: skip
            if all(int(difference._evaluate(sizes)) == 0 for sizes in tried):
                return [Condition(name, "step", step, rest) for name in sorted(divided)]
    return []


_MOST_STEP = 256


def _divided_symbols(difference: JAX_SIZE) -> tuple[set[str], int]:
    """Return the divided symbols of a size, and the period of their remainders."""
    names: set[str] = set()
    period = 1
    waiting = [difference]
    while waiting:
        for term, _ in waiting.pop()._sorted_terms:
            for factor, _ in term._factors:
                waiting += factor.operands
                number = JAX_SIZE._to_constant(factor.operands[1]) if factor.operands else None
                if factor.operation == FLOORDIV and number is not None and number > 0:
                    names |= factor.operands[0]._get_vars()
                    period = math.lcm(period, number)
    return names, period


# ---- in files


_BOUND = re.compile(r"([a-z]\w*) (>=|<=) (\d+)")


def bounds_of(avals: Sequence[ShapedArray]) -> list[str]:
    """Return the conditions on the symbols in shapes, as text: "size1 >= 2"."""
    scopes = [size.scope for aval in avals for size in aval.shape if isinstance(size, JAX_SIZE)]
    return [bound.debug_str for bound in scopes[0]._explicit_constraints] if scopes else []


def is_bound(text: object) -> bool:
    """Return whether a text is one of ``bounds_of``."""
    return isinstance(text, str) and _BOUND.fullmatch(text) is not None


def broken_condition(size: JAX_SIZE, given: int, bounds: Sequence[str]) -> str | None:
    """Return the condition of an input's size, in words, when a number breaks it; else None.

    Args:
        size: the size that the program was traced with.
        given: the number.
        bounds: those of the program.
    """
    single = size._to_single_term()
    name = None if single is None else single[2].to_var()
    if single is None or name is None:
        return None  # no input has exactly this size
    rest, step, _ = single
    count = (given - rest) // step
    if (given - rest) % step != 0 or count < 1:
        least = step + rest
        return f"sizes {least}, {least + step}, {least + 2 * step} and so on"
    for symbol, sign, number in (bound.split() for bound in bounds):
        least_or_most = int(number)
        is_broken = count < least_or_most if sign == ">=" else count > least_or_most
        if symbol == name and is_broken:
            return f"{size} {sign} {step * least_or_most + rest}"
    return None
