"""planned: a decorator that caches what a function derives from its arguments.

Note [Plans]
    ``F.conv2d(x, weight, stride=2, padding="SAME")`` has to find strides, paddings and dilations,
    a row and its attributes before it calls the row. They depend on the shapes and on the other
    arguments, so a function of these computes them, and ``planned`` keeps its result, the plan.
    From the second call on the plan is found by its key: the arguments with their types, because 1,
    1.0 and True, or 0.0 and -0.0, may mean different things.

    Only plain values make a key: numbers, text, None, slices, dtypes, and lists and tuples of
    these. With anything else, a Tensor for example, the function runs every time; so no plan keeps
    a tensor alive. Results that depend on values in memory, such as the bounds of indices, are not
    part of a plan. Errors are not kept, and each function keeps a bounded number of plans.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import EllipsisType, NoneType
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

Known = TypeVar("Known")
Given = TypeVarTuple("Given")
Plan = TypeVar("Plan")

LIMIT = 1024
_AS_THEY_ARE: frozenset[type] = frozenset({int, str, NoneType, EllipsisType})


class _NoKeyError(Exception):
    """An argument has a type whose values may be equal and yet mean different things."""


def key_of(value: Any) -> Any:
    """Return a hashable that equals another one only when both values mean the same.

    Raises:
        _NoKeyError: for a value that is not plain.
    """
    kind = type(value)  # pyright: ignore[reportUnknownVariableType]  # of anything
    if kind in _AS_THEY_ARE:
        return value
    if kind is bool:
        return kind, value
    if kind is float:
        return kind, value.hex()  # distinguishes 0.0 from -0.0, and finds nan
    if kind is tuple or kind is list:
        return kind, *_keys_of(value)
    if kind is slice:
        return kind, key_of(value.start), key_of(value.stop), key_of(value.step)
    if isinstance(value, np.integer | np.bool_):
        return kind, value.item()
    if isinstance(value, np.dtype):
        return kind, value
    raise _NoKeyError


def _keys_of(values: Iterable[object]) -> list[Hashable]:
    return [each if type(each) in _AS_THEY_ARE else key_of(each) for each in values]


def planned(work: Callable[[Known, *Given], Plan]) -> Callable[[Known, *Given], Plan]:
    """Decorate a function so that it runs once for each distinct set of arguments.

    All calls with equal arguments share one result, so it must not be changed; None is not kept.
    From the second one on a call costs about 0.6 us. See Note [Plans].

    Args:
        work: a function of (known, *arguments): ``known`` is hashable and compared as it is (a
            shape, several shapes), the others are the user's arguments.
    """
    plans: dict[Hashable, Plan] = {}

    @functools.wraps(work)
    def plan(known: Known, *arguments: *Given) -> Plan:
        try:
            key = (
                known,
                *[each if type(each) in _AS_THEY_ARE else key_of(each) for each in arguments],
            )
        except _NoKeyError:
            return work(known, *arguments)
        found = plans.get(key)
        if found is None:
            found = work(known, *arguments)
            if found is not None:
                if len(plans) >= LIMIT:
                    plans.clear()
                plans[key] = found
        return found

    plan.plans = plans  # type: ignore[attr-defined]
    return plan
