"""Values of branches joined into one, and the reasons that prevent it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import jax.numpy as jnp
import numpy as np

from jaxeager.core import dtypes
from jaxeager.jit.capture.captured import Returned
from jaxeager.jit.capture.unset import UNSET
from jaxeager.jit.lowering.states import NUMBERS, Opaque

if TYPE_CHECKING:
    import jax
    from jax.core import ShapedArray


INTERNAL = "_jx_value"  # the return value; a branch without return leaves it unset


class Differs(Exception):
    """Raised for values that cannot be one value of a program; its text ends a sentence."""


class Out:
    """A placeholder for an output of a branch of a program.

    Attributes:
        place: its number among the outputs.
    """

    __slots__ = ("place",)

    def __init__(self, place: int):
        self.place = place


class Joining:
    """The joining of the values that branches return.

    Args:
        avals: for each branch, a function that returns the aval of a Returned.
        tensors: for each branch, a function that returns the outside tensor of a Returned, or None.

    Attributes:
        outputs: for each output its source in each branch, a Returned or a number, and its dtype
            and shape.
    """

    def __init__(self, avals: Sequence[Callable], tensors: Sequence[Callable]):
        self._avals, self._tensors = avals, tensors
        self.outputs: list[tuple[list, np.dtype, tuple]] = []

    def joined(self, values: Sequence[object], fills: bool = False) -> Any:
        """Return one value for those of the branches, with Out where a tensor is chosen.

        A value that is neither a tensor nor a number stays an Opaque.

        Args:
            values: one of each branch.
            fills: whether an unset value is filled from another one.

        Raises:
            Differs: when they do not match.
        """
        values = [e.value if type(e) is Opaque and e.value is UNSET else e for e in values]
        unset = [each is UNSET for each in values]
        if all(unset):
            return UNSET
        if any(unset):
            if not fills:
                self._unlike(values)
            given = next(each for each in values if each is not UNSET)
            values = [given if each is UNSET else each for each in values]
            return self._filled(values, unset)
        kinds = {type(each) for each in values}
        if any(map(_is_nested, values)):
            return self._nested(values, fills) if len(kinds) == 1 else self._unlike(values)
        return self._leaf(values)

    def _filled(self, values: list, unset: list[bool]) -> Any:
        """Join values where some branches have none, so that any value will do."""
        first = values[unset.index(False)]
        if type(first) in (list, tuple):
            columns = [
                [UNSET if no else each[at] for each, no in zip(values, unset, strict=True)]
                for at in range(len(first))
            ]
            return type(first)([self.joined(column, True) for column in columns])
        if type(first) is dict:
            return {
                key: self.joined(
                    [UNSET if no else v[key] for v, no in zip(values, unset, strict=True)], True
                )
                for key in first
            }
        if type(first) is not Returned:
            return first
        aval = self._avals[unset.index(False)](first)
        zero = np.zeros((), aval.dtype)[()]
        sources = [zero if no else each for each, no in zip(values, unset, strict=True)]
        return self._output(sources, aval.dtype, aval.shape)

    def _nested(self, values: Sequence[Any], fills: bool) -> Any:
        first = values[0]
        if isinstance(first, dict):
            if any(list(each) != list(first) for each in values):
                keys = " or ".join(str(list(each)) for each in reversed(values))
                raise Differs(f"is a dict with the keys {keys}")
            return {key: self.joined([each[key] for each in values], fills) for key in first}
        if len({len(each) for each in values}) > 1:
            sizes = " or ".join(str(len(each)) for each in reversed(values))
            raise Differs(f"is a {type(first).__name__} of {sizes} items")
        made = [self.joined(each, fills) for each in zip(*values, strict=True)]
        return type(first)(*made) if hasattr(first, "_fields") else type(first)(made)

    def _leaf(self, values: Sequence[Any]) -> Any:
        if all(type(each) is Opaque for each in values):
            if all(same(each.value, values[0].value) for each in values):
                return values[0]
            self._unlike(values)
        if any(type(each) is Opaque for each in values):
            self._unlike(values)
        if not any(type(each) is Returned for each in values):
            return self._numbers(values)
        outside = [
            tensor(each) if type(each) is Returned else None
            for each, tensor in zip(values, self._tensors, strict=True)
        ]
        if outside[0] is not None and all(each is outside[0] for each in outside):
            return outside[0]
        avals = [
            aval(each) if type(each) is Returned else None
            for each, aval in zip(values, self._avals, strict=True)
        ]
        kinds = {(each.shape, each.dtype) for each in avals if each is not None}
        if len(kinds) > 1:
            self._unlike(values)
        ((shape, dtype),) = kinds
        for each in values:
            if type(each) is not Returned and (shape or not fits(each, dtype)):
                self._unlike(values)
        return self._output(list(values), dtype, shape)

    def _numbers(self, values: Sequence[Any]) -> Any:
        first = values[0]
        if all(same(each, first) for each in values):
            return first
        if any(type(each) is int and not -(2**63) <= each < 2**63 for each in values):
            self._unlike(values)
        dtype = np.result_type(*[number_dtype(each) for each in values])
        if len({np.dtype(number_dtype(each)).kind == "b" for each in values}) > 1:
            self._unlike(values)
        return self._output(list(values), dtype, ())

    def _output(self, sources: list, dtype: np.dtype, shape: tuple) -> Out:
        self.outputs.append((sources, dtype, shape))
        return Out(len(self.outputs) - 1)

    def _unlike(self, values: Sequence[object]) -> NoReturn:
        texts = [
            text_of(each, aval(each) if type(each) is Returned else None)
            for each, aval in zip(values, self._avals, strict=True)
        ]
        raise Differs(f"is {' or '.join(reversed(texts))}")


def _is_nested(value: object) -> bool:
    return isinstance(value, (list, tuple, dict)) and type(value) is not Returned


def same(value: object, other: object) -> bool:
    """Return whether values that are not tensors are the same."""
    if value is other:
        return True
    if type(value) is not type(other):
        return False
    if isinstance(value, float):
        return repr(value) == repr(other)
    try:
        return bool(value == other)
    except Exception:  # objects whose comparison does not return a bool
        return False


def number_dtype(number: complex | np.generic) -> np.dtype:
    """Return the dtype of a Python number in a program."""
    if isinstance(number, np.generic):
        return number.dtype
    if isinstance(number, bool):
        return np.dtype("bool")
    if isinstance(number, int):
        return np.dtype("int64")
    return np.dtype("complex64") if isinstance(number, complex) else dtypes.default_float()


def fits(number: object, dtype: np.dtype) -> bool:
    """Return whether a number can be a tensor of a dtype without a change of value."""
    if isinstance(number, np.generic):
        return number.dtype == dtype
    if isinstance(number, bool) or dtype == np.dtype("bool"):
        return isinstance(number, bool) and dtype == np.dtype("bool")
    if isinstance(number, int):
        return True
    if isinstance(number, complex):
        return jnp.issubdtype(dtype, jnp.complexfloating)
    return jnp.issubdtype(dtype, jnp.inexact)


def text_of(value: object, aval: jax.Array | ShapedArray | None = None) -> str:
    """Return the text of a value for errors: dtype and shape of a tensor, else the value."""
    if aval is not None:
        return f"{aval.dtype}[{', '.join(map(str, aval.shape))}]"
    if isinstance(value, Opaque):
        value = value.value
    if value is UNSET:
        return "not set"
    if value is None or isinstance(value, (str, *NUMBERS)):
        return repr(value)
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} of {len(value)} items"
    return f"a {type(value).__name__}"
