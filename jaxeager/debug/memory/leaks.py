"""debug.leaks: the arrays that a step leaves alive each time, and their holders."""

import gc
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from jaxeager.arrays.as_array import live_arrays
from jaxeager.debug.memory import origins
from jaxeager.debug.memory.holders import kind_of
from jaxeager.debug.memory.live import described
from jaxeager.debug.memory.path_text import Holder

_MOST = 8  # the most arrays of a leak whose holders are searched


class Leak(NamedTuple):
    """Arrays of one kind that remain after each call.

    Attributes:
        maker: the op that made them.
        line: the program's line.
        shape: their shape.
        dtype: the name of their dtype.
        per_call: how many remain per call.
        bytes_per_call: the bytes of those.
        holders: the names through which they live, each a Holder with ``name``, ``scope``,
            ``line``, ``through`` and ``advice``.
    """

    maker: str
    line: str
    shape: tuple[int, ...]
    dtype: str
    per_call: float
    bytes_per_call: float
    holders: tuple[Holder, ...]


class Leaks(list):
    """The leaks of a step, the largest first; its text shows the line and holders of each.

    Attributes:
        calls: how often the step was called.
    """

    calls = 0

    def __str__(self) -> str:
        if not self:
            return f"Nothing stays: {self.calls} calls left no array behind."
        total = sum(each.bytes_per_call for each in self)
        lines = [f"Each call leaves {total:.0f} bytes behind ({self.calls} calls):"]
        for each in self:
            lines.append(
                f"  {each.bytes_per_call:.0f} bytes: {each.per_call:g} x "
                f"{each.dtype}{list(each.shape)}, made by {each.maker} at {each.line or '?'}"
            )
            for holder in each.holders:
                lines.append(f"    held by {holder}")
                lines.append(f"      {holder.advice}")
            if not each.holders:
                lines.append("    held by no object that could be found")
        return "\n".join(lines)


def leaks(step: Callable, calls: int = 3) -> Leaks:
    """Call a step several times; return the arrays that each call leaves alive, and their holders.

    An array that is made once and kept (an optimizer's state, a cache) is not a leak, nor is one
    that a later call replaces, such as ``x.grad``. A leak is present for every call but the last.

    Args:
        step: a function without arguments.
        calls: how often it is called, after one call whose arrays are ignored; 2 or more.

    Returns:
        a list of Leak, the largest first, that prints as a text; empty when nothing leaks.

    Example:
        >>> import jaxeager as paddle
        >>> kept = []
        >>> found = paddle.debug.leaks(lambda: kept.append(paddle.ones([256])))
        >>> [(each.maker, each.shape, each.bytes_per_call) for each in found]
        [('full', (256,), 1024.0)]
    """
    known = origins.begin_use()
    try:
        step()
        first = known._call + 1
        for _ in range(max(calls, 2)):
            known.next_call()
            step()
        known.next_call()
        gc.collect()
        found = _grouped(known, range(first, first + max(calls, 2) - 1))
    finally:
        origins.end_use()
    found.calls = max(calls, 2)
    return found


def _grouped(known: origins.Origins, calls: range) -> Leaks:
    """Return the arrays that are alive from every one of some calls, by kind."""
    kinds = defaultdict(lambda: defaultdict(list))
    for array in live_arrays():
        origin = known.of(array)
        if origin is not None and origin.call in calls:
            key = origin.maker, origin.line, tuple(array.shape), array.dtype.name
            kinds[key][origin.call].append(array)
    found = Leaks()
    for (maker, line, shape, dtype), by_call in kinds.items():
        if len(by_call) < len(calls):
            continue
        arrays = [array for each in by_call.values() for array in each]
        count = len(arrays) / len(calls)
        size = sum(array.nbytes for array in arrays) / len(calls)
        some = described(arrays[:_MOST])
        held: dict[str, Holder] = {}
        for holder in (holder for each in some for holder in each.holders):
            held.setdefault(kind_of(holder), holder)
        holders = tuple(held.values())
        found.append(Leak(maker, line, shape, dtype, count, size, holders))
    found.sort(key=lambda each: -each.bytes_per_call)
    return found
