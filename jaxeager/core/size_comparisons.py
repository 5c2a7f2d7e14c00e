"""Comparisons of open sizes, and the error for a comparison that depends on the sizes.

See Note [Open sizes] in core/open_size.py.
"""

# JAX has no public names for its symbolic sizes, and few types of them.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false

from __future__ import annotations

import math
import sys
from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

import jax
from jax._src import core as _core  # JAX has no public name for its test of a size
from jax._src.export import shape_poly as _poly
from jax.export import SymbolicScope

from jaxeager.core import ports

if TYPE_CHECKING:
    from types import FrameType

JAX_SIZE = _poly._DimExpr
# A number or an open size; Any, as the results of JAX's arithmetic of sizes have no types.
Size: TypeAlias = Any
FLOORDIV = _poly._DimFactor.FLOORDIV


class Undecided(jax.errors.InconclusiveDimensionOperation, TypeError):
    """The error for a program whose behavior depends on an open size.

    Attributes:
        difference: the size that decides; None when another question is undecided.
        is_users: whether a line of the user's program caused it.
        of_zero: whether it decides by being 0 or not, rather than by its sign.
    """

    def __init__(
        self,
        text: str,
        difference: Size | None = None,
        is_users: bool = False,
        of_zero: bool = False,
    ):
        super().__init__(text)
        self.difference = difference
        self.is_users = is_users
        self.of_zero = of_zero


def is_size(value: object) -> bool:
    """Return whether a value can be the size of a dimension: an integer, or an open size."""
    return type(value) is int or isinstance(value, JAX_SIZE) or _core.is_constant_dim(value)


def caller() -> str:
    """Return the name of the module that computes with a size."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").endswith(_BETWEEN):
        frame = frame.f_back
    return "" if frame is None else frame.f_globals.get("__name__", "")


# The user's line is the caller in x.shape == y.shape and in `if n % 2` of a converted function.
_BETWEEN = ("core.open_size", "core.size_comparisons", "tensor.size", "jit.lowering.control")


# ---- bounds


def is_a_sum_from(size: Size, least: int) -> bool:
    """Return whether a size is a sum of non-negative terms, for symbols from a number on.

    JAX bounds each product by itself, so it does not know that ``(h - 2) * (w - 2)`` is not
    negative where h and w are at least 2. With ``h = 2 + h'`` no factor of the products of h' and
    w' is negative.
    """
    if not isinstance(size, JAX_SIZE):
        return size >= 0
    total: dict[tuple[str, ...], int] = {}
    for term, factor in size._sorted_terms:
        products: dict[tuple[str, ...], int] = {(): factor}
        for part, power in term._factors:
            low = _least_of(part, size.scope, least)
            if low is None:
                return False
            for _ in range(power):
                grown = {key: low * value for key, value in products.items()}
                for key, value in products.items():
                    more = tuple(sorted((*key, str(part))))
                    grown[more] = grown.get(more, 0) + value
                products = grown
        for key, value in products.items():
            total[key] = total.get(key, 0) + value
    return all(value >= 0 for value in total.values())


def _least_of(part: _poly._DimFactor, scope: SymbolicScope, least: int) -> int | None:
    """Return the lower bound of a symbol, a division or a maximum; None if there is none."""
    size = JAX_SIZE._from_term(_poly._DimTerm.from_factor(part, 1), 1, scope)
    low, _ = _poly._bounds_decision(size, _poly.BoundsPrecision.BEST)
    if part.var is not None:
        return max(int(low), least)
    return None if math.isinf(low) else int(low)


# ---- comparisons


def equals(size: Size, other: Any, sign: str) -> Any:
    """Return whether two sizes are equal; if that is undecided, False, or an error for users."""
    if hasattr(other, "_storage"):
        return NotImplemented
    if not is_size(other) or (isinstance(other, JAX_SIZE) and other.scope is not size.scope):
        return False
    rest = size - other
    found = _is_zero(rest)
    if found is None:
        if _is_asked_by_user():
            raise _undecided(size, other, sign, None, True)
        doubts.append(rest)
    return bool(found)


def equal_sizes(first: Size, second: Size) -> bool:
    """Return whether two sizes are equal, for an op whose result depends on it.

    ``==`` returns False for open sizes that might be equal. That is right for an op that raises an
    error then, or has the same result either way.

    Raises:
        Undecided: when it depends on what an open size is.
    """
    rest = first - second
    found = _is_zero(rest)
    if found is None:
        raise _undecided(first, second, "==", rest, False, of_zero=True)
    return found


def _is_zero(rest: Size) -> bool | None:
    """Return whether a difference of sizes is 0; None if that depends on the sizes."""
    if not isinstance(rest, JAX_SIZE):
        return bool(rest == 0)
    low, high = _poly._bounds_decision(rest, _poly.BoundsPrecision.BEST)
    if low == high == 0:
        return True
    return None if low <= 0 <= high else False


def equal_shapes(first: tuple[Size, ...], second: tuple[Size, ...]) -> bool:
    """Return whether two shapes are equal; see ``equal_sizes``."""
    return len(first) == len(second) and all(map(equal_sizes, first, second))


def compared(size: Size, other: Any, name: str, sign: str) -> Any:
    """Return the result of one of the methods of ``<``, ``<=``, ``>`` and ``>=``.

    Raises:
        Undecided: when it depends on what an open size is.
    """
    if hasattr(other, "_storage"):
        return NotImplemented
    if not is_size(other):
        return getattr(ports.open_number(size), name)(other)
    try:
        return getattr(JAX_SIZE, name)(size, other)
    except jax.errors.InconclusiveDimensionOperation:
        below = name in ("__le__", "__lt__")
        rest = other - size if below else size - other
        if name in ("__gt__", "__lt__"):
            rest = rest - 1
        if is_a_sum_from(rest, 1):
            return True
        if is_a_sum_from(-rest - 1, 1):
            return False
        raise _undecided(size, other, sign, rest, _is_asked_by_user()) from None


def _undecided(
    size: Size, other: Size, sign: str, rest: Size | None, users: bool, of_zero: bool = False
) -> Undecided:
    text = f"whether {size} {sign} {other} depends on the size."
    return Undecided(text, rest, users, of_zero)


doubts: deque[Size] = deque(maxlen=8)  # the last differences that were assumed not to be 0


def _is_asked_by_user() -> bool:
    """Return whether the calling code is neither this package's, nor JAX's, nor Python's own."""
    return not caller().startswith(_LIBRARIES)


_LIBRARIES = ("jax.", "jaxeager.", "numpy.", "functools", "operator", "collections", "copy")
