"""Tensors with a known value in terms of sizes: ``n / 2``, ``paddle.shape(x)[1]``.

While ``jit.save`` traces a program, a size that is combined with a float must become a tensor. Its
value in terms of sizes stays known through +, -, *, / with integers or decimal numbers, so that
``math.ceil(n / 4)``, ``x.reshape([shape[0], -1])`` and ``paddle.zeros([n // 2])`` get their sizes.
In a captured function whose shapes are numbers, ``paddle.shape`` and ``numel`` are known likewise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxeager.core import dtypes, ports
from jaxeager.core.open_size import OpenSize, as_array
from jaxeager.core.size_comparisons import Undecided
from jaxeager.core.symbolic import is_symbolic
from jaxeager.tensor.tensor import Tensor


class Ratio(NamedTuple):
    """An open size, or an int, over an integer from 1."""

    number: Any
    over: int


class OpenNumber(Tensor):
    """A 0-D or 1-D Tensor, made while a program is traced, whose elements are known as sizes."""

    __slots__ = ()  # as many as a Tensor's: see with_known
    _elements: Ratio | list[Ratio]
    _of: Any  # the array with these elements

    @property
    def known(self) -> Ratio | list[Ratio] | None:
        """Return its value; None once something else has been written into it."""
        return self._elements if self._array is self._of else None

    def item(self, *args: Any) -> Any:
        """Return its value as a size, if it is an integer."""
        known = self.known
        if args or not isinstance(known, Ratio) or known.over != 1:
            return super().item(*args)
        return known.number

    def tolist(self) -> Any:
        """Return its values as sizes, if they are integers."""
        known = self.known
        if isinstance(known, list) and all(each.over == 1 for each in known):
            return [each.number for each in known]
        return super().tolist()

    def __getitem__(self, item: Any) -> Any:
        known, found = self.known, super().__getitem__(item)
        if isinstance(known, list) and isinstance(item, (int, slice)):
            return with_known(found, known[item])
        return found

    def __setitem__(self, item: Any, value: Any) -> None:
        known, given = self.known, _ratio_of(value)
        super().__setitem__(item, value)
        if given is None or given.over != 1 or not _holds_sizes(self._array.dtype):
            return
        if isinstance(known, list) and isinstance(item, int):
            known = list(known)
            known[item] = given
            self._elements, self._of = known, self._array

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.known, list):
            return iter([self[place] for place in range(len(self.known))])
        return super().__iter__()

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Return it in another dtype; the value stays known for an integer dtype."""
        found = super().astype(dtype, *args, **kwargs)
        known = self.known
        if known is None or not _holds_sizes(dtypes.to_numpy(dtype)):
            return found
        return with_known(found, known)

    cast = astype

    def __floor__(self) -> Any:
        return _rounded(self, lambda known: known.number // known.over)

    def __ceil__(self) -> Any:
        return _rounded(self, lambda known: -(-known.number // known.over))

    def __trunc__(self) -> Any:
        return _rounded(self, _truncated)

    def __int__(self) -> int:
        return super().__int__() if self.known is None else int(_number(self, "int()"))

    def __float__(self) -> float:
        if self.known is None:
            return super().__float__()
        return float(_number(self, "float(), or a function of math,"))

    def __index__(self) -> int:
        if self.known is None:
            return super().__index__()
        return operator.index(_number(self, "range(), or a list's index,"))


def _holds_sizes(dtype: np.dtype) -> bool:
    """Return whether numbers of a dtype may be sizes: an integer dtype that does not cut them."""
    return np.issubdtype(dtype, np.integer) and dtype.itemsize >= 4


def _truncated(known: Ratio) -> Any:
    if known.number < 0:
        return -(-known.number // known.over)
    return known.number // known.over


def _rounded(value: OpenNumber, way: Callable[[Ratio], Any]) -> Any:
    known = value.known
    if known is None:
        raise Undecided("a tensor that was written into is rounded; its value is not known.")
    if isinstance(known, list):
        raise Undecided("a tensor of several sizes is rounded; round them one by one.")
    return way(known)


def _number(value: OpenNumber, what: str) -> Any:
    """Return the number of a size that is not open.

    Raises:
        Undecided: when it is open, or there are several.
    """
    known = value.known
    if not isinstance(known, Ratio) or is_symbolic(known.number):
        raise _no_number(known, what)
    whole, over = known
    return whole if over == 1 else whole / over


def _no_number(known: Ratio | list[Ratio] | None, what: str) -> Undecided:
    parts = known if isinstance(known, list) else [known] if known is not None else []
    text = ", ".join(str(n) if over == 1 else f"({n})/{over}" for n, over in parts)
    return Undecided(
        f"{what} needs the value of {text}, which is open while the program is written. "
        "math.floor(n / 2), math.ceil(n / 2) and n // 2 return sizes; n**0.5 and n / 2 are tensors "
        "to compute with.",
        is_users=True,
    )


def open_number(size: Any) -> OpenNumber:
    """Return an open size as a 0-D tensor of int64, or a shape as a 1-D one."""
    if isinstance(size, tuple):
        array = jnp.stack([as_array(each) for each in size])
        return with_known(ports.as_tensor(array, True), [Ratio(each, 1) for each in size])
    return with_known(ports.as_tensor(as_array(size), True), Ratio(size, 1))


def known_number(tensor: Tensor, size: Any) -> OpenNumber:
    """Return a tensor that a program computes, with its values: a size, or a shape of numbers."""
    is_shape = isinstance(size, tuple)
    return with_known(tensor, [Ratio(each, 1) for each in size] if is_shape else Ratio(size, 1))


def with_known(tensor: Tensor, known: Ratio | list[Ratio]) -> OpenNumber:
    """Return a new tensor as an OpenNumber with known elements.

    Its class changes, so that it stays a view of the tensor that it was cut from.
    """
    tensor.__class__ = OpenNumber
    assert isinstance(tensor, OpenNumber)
    tensor._elements, tensor._of = known, tensor._array
    return tensor


# ---- arithmetic


def _ratio_of(value: object) -> Ratio | None:
    """Return a number as a Ratio; None when the number is not known."""
    if isinstance(value, OpenNumber):
        known = value.known
        return known if isinstance(known, Ratio) else None
    if isinstance(value, OpenSize):
        return Ratio(value, 1)
    if isinstance(value, (int, float, np.integer, np.floating)) and np.isfinite(value):
        exact = Fraction(int(value) if isinstance(value, (int, np.integer)) else float(value))
        short = exact.limit_denominator(_MOST)
        if float(short) == float(exact):
            return Ratio(short.numerator, short.denominator)
    return None


_MOST = 4096  # 0.1 is 1/10; for other numbers the result is a tensor without a known value


def _sum(a: Ratio, b: Ratio) -> Ratio:
    return Ratio(a.number * b.over + b.number * a.over, a.over * b.over)


def _difference(a: Ratio, b: Ratio) -> Ratio:
    return Ratio(a.number * b.over - b.number * a.over, a.over * b.over)


def _product(a: Ratio, b: Ratio) -> Ratio:
    return Ratio(a.number * b.number, a.over * b.over)


def _quotient(a: Ratio, b: Ratio) -> Ratio | None:
    if is_symbolic(b.number) or b.number == 0:
        return None
    sign = 1 if b.number > 0 else -1
    return Ratio(sign * a.number * b.over, a.over * abs(b.number))


def _floor(a: Ratio, b: Ratio) -> Ratio | None:
    found = _quotient(a, b)
    return None if found is None else Ratio(found.number // found.over, 1)


def _rest(a: Ratio, b: Ratio) -> Ratio | None:
    whole = _floor(a, b)
    return None if whole is None else _difference(a, _product(whole, b))


_OPERATORS: dict[str, Callable[[Ratio, Ratio], Ratio | None]] = {
    "add": _sum, "sub": _difference, "mul": _product, "truediv": _quotient, "floordiv": _floor,
    "mod": _rest,
}  # fmt: skip


def _operator(name: str, work: Callable[[Ratio, Ratio], Ratio | None], is_turned: bool) -> Callable:
    plain = getattr(Tensor, name)

    def run(self: OpenNumber, other: object) -> Any:
        given = ports.open_number(other) if isinstance(other, OpenSize) else other
        found = plain(self, given)
        its, our = _ratio_of(other), self.known
        if found is NotImplemented or its is None or our is None:
            return found
        alone = None if isinstance(our, list) else our
        ours: list[Ratio] = our if isinstance(our, list) else [our]
        each = [work(its, mine) if is_turned else work(mine, its) for mine in ours]
        known = [_shortened(one) for one in each if one is not None]
        if len(known) < len(each):
            return found
        return with_known(found, known if alone is None else known[0])

    run.__name__ = run.__qualname__ = name
    return run


def _shortened(known: Ratio) -> Ratio:
    """Return a Ratio over the smallest number."""
    for over in range(known.over, 1, -1):
        if known.over % over == 0 and known.number % over == 0:
            return Ratio(known.number // over, known.over // over)
    return known


for _name, _work in _OPERATORS.items():
    setattr(OpenNumber, f"__{_name}__", _operator(f"__{_name}__", _work, False))
    setattr(OpenNumber, f"__r{_name}__", _operator(f"__r{_name}__", _work, True))
