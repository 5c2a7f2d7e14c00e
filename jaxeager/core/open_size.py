"""Sizes that represent any number: those of shapes while ``jit.save`` traces a program.

Note [Open sizes]
    An OpenSize is one of JAX's symbolic dimensions (``jax.export.symbolic_shape``), with three
    additions that programs of Paddle need:

    - One form for equal sizes. JAX compares two sizes by their written form, so that it does not
      recognize ``h + (7 - h % 7) % 7`` as a multiple of 7, nor the sizes after a convolution as ``h
      // 2``. Here ``%`` is rewritten with ``//``, divisions are merged, and ``min`` is rewritten
      with ``max``.
    - A tensor where a number is needed. A size that is combined with a float, or raised to a power
      that is not a size, becomes a tensor: ``x / n**0.5``. For JAX, and for kernels, it becomes an
      array.
    - A reason for the refusal. A comparison that depends on the size raises ``Undecided``, with the
      difference that decides. In the user's program ``n == 3`` raises it too: to JAX two sizes that
      are not known to be equal are different, which would decide an ``if`` permanently. The sizes
      that JAX and kernels take to be different in this way are kept in ``doubts``:
      jit/saved_model/open_sizes.py may try again under the condition that they are equal.

    JAX's own arithmetic on OpenSizes returns OpenSizes, so only the sizes of a program's inputs
    have to be created as such. JAX recognizes its symbolic dimensions by type in some tables; the
    end of this file adds OpenSize to them.
"""

# JAX has no public names for its symbolic sizes and its tables by type, and few types of them.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import core as _core  # JAX has no public name for these tables by type
from jax._src import dtypes as _dtypes
from jax._src.export import shape_poly as _poly
from jax._src.numpy import einsum as _einsum
from jax.core import Tracer
from jax.export import SymbolicScope, symbolic_shape

from jaxeager.core import ports
from jaxeager.core.size_comparisons import (
    FLOORDIV,
    JAX_SIZE,
    Size,
    Undecided,
    caller,
    compared,
    equals,
    is_a_sum_from,
    is_size,
)

_MAX = _poly._DimFactor.MAX


class OpenSize(JAX_SIZE):
    """A size that represents any number from 1: see Note [Open sizes]."""

    __slots__ = ()
    __hash__ = JAX_SIZE.__hash__

    # ---- sums and products

    def __add__(self, other: object):
        return _sum_or_product(self, other, "__add__")

    def __radd__(self, other: object):
        return _sum_or_product(self, other, "__radd__")

    def __sub__(self, other: object):
        return _sum_or_product(self, other, "__sub__")

    def __rsub__(self, other: object):
        return _sum_or_product(self, other, "__rsub__")

    def __mul__(self, other: object):
        return _sum_or_product(self, other, "__mul__")

    def __rmul__(self, other: object):
        return _sum_or_product(self, other, "__rmul__")

    def __neg__(self):
        return open_size(JAX_SIZE.__neg__(self))

    def __pos__(self):
        return self

    # ---- divisions

    def __floordiv__(self, other: Size):
        if not is_size(other):
            return _with_value(self, other, "__floordiv__")
        return _quotient(self, other)

    def __rfloordiv__(self, other: object):
        return open_size(JAX_SIZE.__rfloordiv__(self, other))

    def __mod__(self, other: Size):
        if not is_size(other):
            return _with_value(self, other, "__mod__")
        return self - _quotient(self, other) * other

    def __rmod__(self, other: object):
        return open_size(JAX_SIZE.__rmod__(self, other))

    def __divmod__(self, other: Size):
        return self // other, self % other

    def __rdivmod__(self, other: Size):
        return other // self, other % self

    def __truediv__(self, other: object):
        return _with_value(self, other, "__truediv__")

    def __rtruediv__(self, other: object):
        return _with_value(self, other, "__rtruediv__")

    def __pow__(self, other: object, modulo: object = None):
        if modulo is None and isinstance(other, int) and other >= 0:
            return math.prod([self] * other)
        return _with_value(self, other, "__pow__")

    def __rpow__(self, other: object, modulo: object = None):
        return _with_value(self, other, "__rpow__")

    # ---- comparisons

    def __eq__(self, other: object):
        return equals(self, other, "==")

    def __ne__(self, other: object):
        found = equals(self, other, "!=")
        return not found if type(found) is bool else found

    def __ge__(self, other: object):
        return compared(self, other, "__ge__", ">=")

    def __le__(self, other: object):
        return compared(self, other, "__le__", "<=")

    def __gt__(self, other: object):
        return compared(self, other, "__gt__", ">")

    def __lt__(self, other: object):
        return compared(self, other, "__lt__", "<")

    def max(self, other: Size):
        """Return the greater of two sizes."""
        return _greatest(self, other)

    def min(self, other: Size):
        """Return the lesser of two sizes."""
        return self + other - _greatest(self, other)

    rmax = max
    rmin = min

    # ---- conversions to one number

    def __index__(self):
        raise _no_number(self, "a Python int (range(), int(), a list's index)")

    def __int__(self):
        raise _no_number(self, "a Python int (range(), int(), a list's index)")

    def __float__(self):
        raise _no_number(self, "a Python float (float(), a function of math)")

    def __bool__(self):
        found = equals(self, 0, "!=")
        return not found

    def __round__(self, digits: object = None):
        return self

    def __floor__(self):
        return self

    __ceil__ = __trunc__ = __floor__

    def __deepcopy__(self, memo: object):
        return self


def _no_number(size: OpenSize, what: str) -> Undecided:
    return Undecided(
        f"the size {size} is open and has no value while the program is written, but {what} "
        "needs one. +, -, *, // and % of sizes return sizes; n**0.5, n / 2 and x * n return "
        "tensors; paddle.arange(n) counts.",
        is_users=True,
    )


def open_size(size: Any) -> Any:
    """Return a symbolic dimension of JAX as an OpenSize; anything else as it is."""
    return OpenSize(size._sorted_terms, size.scope) if type(size) is JAX_SIZE else size


def open_shape(text: str, scope: SymbolicScope) -> tuple[Size, ...]:
    """Return the shape that a text describes, as ``jax.export.symbolic_shape`` reads it."""
    return tuple(map(open_size, symbolic_shape(text, scope=scope)))


# ---- sizes with sizes, and with values


def _sum_or_product(size: OpenSize, other: object, name: str) -> Any:
    if is_size(other):
        return _rounded_up(open_size(getattr(JAX_SIZE, name)(size, other)))
    return _with_value(size, other, name)


def _with_value(size: OpenSize, other: object, name: str) -> Any:
    """Return the result of an operation of a size with a float, an array or a tensor."""
    if hasattr(other, "_storage") or isinstance(other, (list, tuple, str)):
        return NotImplemented
    if isinstance(other, Tracer) or caller().startswith(INSIDE):
        return getattr(JAX_SIZE, name)(size, other)
    return getattr(ports.open_number(size), name)(other)


INSIDE = ("jax.", "jaxeager.ops.", "jaxeager.core.", "jaxeager.arrays.", "jaxeager.kernels.")
"""Beginnings of the names of modules that need arrays."""


def as_tensor(size: OpenSize) -> Any:
    """Return a size as a 0-D tensor of int64."""
    return ports.open_number(size)


def as_array(size: Size) -> jax.Array:
    """Return a size as a 0-D array of int64, which unlike a Python int is not weakly typed."""
    return lax.convert_element_type(size, jnp.int64)


# ---- one form for equal sizes


def _quotient(size: Size, divisor: Size) -> Size:
    """Return the floor of a division of sizes.

    For a divisor from 2 on, the terms that it divides are taken out. The others have one form: the
    first has a positive factor, no factor is common to all, and an inner division is merged.
    """
    if isinstance(divisor, JAX_SIZE):
        reduced, left = _reduced(size, divisor)
        if left is not None:
            return reduced if left == 1 else _quotient(reduced, left)
        return open_size(JAX_SIZE.__floordiv__(size, divisor))
    divisor = int(divisor)
    if divisor < 0:
        return _quotient(-size, -divisor)
    if divisor < 2:
        return open_size(JAX_SIZE.__floordiv__(size, divisor))
    whole, rest = _divided(size, divisor)
    if not isinstance(rest, JAX_SIZE):
        return whole + rest // divisor
    if rest._leading_term[1] < 0:
        return whole - _quotient(divisor - 1 - rest, divisor)
    return whole + _floor(rest, divisor)


def _rounded_up(size: Size) -> Size:
    """Return a sum in which ``n - n // 2`` is written as ``(n + 1) // 2``."""
    factors = dict(size._sorted_terms) if isinstance(size, JAX_SIZE) else {}
    for term, factor in factors.items():
        inner = None if term.is_constant or factor >= 0 else term.to_factor()
        if inner is None or inner.operation != FLOORDIV or inner.operands[1] != 2:
            continue
        whole = open_size(inner.operands[0])
        parts = [each for each in whole._sorted_terms if not each[0].is_constant]
        if all(each > 0 and factors.get(part, 0) >= -factor * each for part, each in parts):
            for part, count in [
                (whole, factor),
                (_times(term, 1, size.scope), -factor),
                (_quotient(open_size(JAX_SIZE.__add__(whole, 1)), 2), -factor),
            ]:
                size = JAX_SIZE._linear_combination(size, 1, part, count, whole.scope)
            return open_size(size)
    return size


def _reduced(size: Size, divisor: JAX_SIZE) -> tuple[Size, int | None]:
    """Return a division without the symbols common to all terms of both: ``b * n // (2 * b)``.

    The second result is the remaining divisor, a number; None when it is not one.
    """
    (term, factor), *rest = divisor._sorted_terms
    if rest:
        return size, None
    found = 0
    try:
        for each, count in size._sorted_terms:
            found = found + _times(each.divide(term), count, size.scope)
    except jax.errors.InconclusiveDimensionOperation:
        return size, None
    return (found, factor) if isinstance(found, JAX_SIZE) else (size, None)


def _divided(size: JAX_SIZE, divisor: int) -> tuple[Size, Size]:
    """Return quotient and rest: the terms that a number divides, and the remaining ones."""
    whole, rest = 0, 0
    for term, factor in size._sorted_terms:
        of_whole, of_rest = (
            divmod(factor, divisor) if term.is_constant or factor % divisor == 0 else (0, factor)
        )
        whole = whole + _times(term, of_whole, size.scope)
        rest = rest + _times(term, of_rest, size.scope)
    return whole, rest


def _times(term: _poly._DimTerm, factor: int, scope: SymbolicScope) -> Size:
    return open_size(JAX_SIZE._from_term(term, factor, scope)) if factor else 0


def _floor(rest: JAX_SIZE, divisor: int) -> Size:
    """Return the floor of a division from which no term can be taken out."""
    factors = [factor for term, factor in rest._sorted_terms if not term.is_constant]
    common = math.gcd(divisor, *factors)
    if common > 1:
        return _quotient(_shrunk(rest, common), divisor // common)
    for term, factor in rest._sorted_terms:
        inner = None if term.is_constant or factor != 1 else term.to_factor()
        if inner is not None and inner.operation == FLOORDIV:
            dividend, by = map(open_size, inner.operands)
            by = JAX_SIZE._to_constant(by)
            if by is not None and by > 0:
                others = rest - _times(term, 1, rest.scope)
                return _quotient(dividend + by * others, by * divisor)
    return open_size(JAX_SIZE._from_operation(FLOORDIV, rest, divisor, scope=rest.scope))


def _shrunk(size: JAX_SIZE, common: int) -> Size:
    """Return a size divided by a common factor; the constant is rounded down."""
    found = 0
    for term, factor in size._sorted_terms:
        found = found + _times(term, factor // common, size.scope)
    return found


def _greatest(first: Size, second: Size) -> Size:
    """Return the greater of two sizes: one choice, plus the excess of the others."""
    kept: list[Size] = []
    for each in [*_choices(first), *_choices(second)]:
        if not any(_reaches(other, each) for other in kept):
            kept = [other for other in kept if not _reaches(each, other)]
            kept.append(each)
    kept.sort(key=lambda each: (isinstance(each, JAX_SIZE), str(each)))
    least, above = kept[0], 0
    for each in kept[1:]:
        above = _from_max(above, each - least)
    return least + above


def _from_max(first: Size, second: Size) -> Size:
    scope = (second if isinstance(second, JAX_SIZE) else first).scope
    return open_size(JAX_SIZE._from_operation(_MAX, first, second, scope=scope))


def _choices(size: Size) -> list[Size]:
    """Return the sizes whose maximum a size is."""
    for term, factor in size._sorted_terms if isinstance(size, JAX_SIZE) else ():
        inner = None if term.is_constant or factor != 1 else term.to_factor()
        if inner is not None and inner.operation == _MAX:
            others = size - _times(term, 1, size.scope)
            return [
                choice
                for operand in inner.operands
                for choice in _choices(_as_number(open_size(operand)) + others)
            ]
    return [size]


def _as_number(size: Size) -> Size:
    """Return an operand, as an int if it is a number."""
    constant = JAX_SIZE._to_constant(size)
    return size if constant is None else constant


def _reaches(size: Size, other: Size) -> bool:
    """Return whether a size is known to be at least another one."""
    low, _ = _poly._bounds_decision(size - other, _poly.BoundsPrecision.FOR_GEQ0_OR_LEQ0)
    return low >= 0 or is_a_sum_from(size - other, 1)


# ---- JAX's tables by type

_core.pytype_aval_mappings[OpenSize] = JAX_SIZE._get_aval
_dtypes.register_weak_scalar_type(OpenSize)
_dtypes.python_scalar_types.add(OpenSize)
_dtypes.python_scalar_types_to_dtypes[OpenSize] = _dtypes.python_scalar_types_to_dtypes[int]
_dtypes.register_canonicalize_value_handler(OpenSize, None)
_einsum._poly_einsum_handlers[OpenSize] = _einsum._poly_einsum_handlers[JAX_SIZE]
