"""debug.leaks: the arrays and graphs that a step leaves alive each time, and their holders."""

import gc
import weakref
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from jaxeager.arrays.as_array import live_arrays
from jaxeager.debug.memory import origins
from jaxeager.debug.memory.holders import holders_of, kind_of
from jaxeager.debug.memory.live import described
from jaxeager.debug.memory.path_text import Holder
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.graph import events

_MOST = 8  # the most arrays of a leak whose holders are searched


class Leak(NamedTuple):
    """Arrays of one kind, or a graph without arrays, that remain after each call.

    Attributes:
        maker: the op that made them; for a graph its last node.
        line: the program's line.
        shape: their shape; () for a graph.
        dtype: the name of their dtype; "" for a graph.
        per_call: how many remain per call; of a graph, how many nodes.
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
        what = f"{total:.0f} bytes" if total else "a graph"
        lines = [f"Each call leaves {what} behind ({self.calls} calls):"]
        for each in self:
            lines.append(f"  {_what(each)} at {each.line or '?'}")
            for holder in each.holders:
                lines.append(f"    held by {holder}")
                lines.append(f"      {holder.advice}")
            if not each.holders:
                lines.append("    held by no object that could be found")
        return "\n".join(lines)


def _what(leak: Leak) -> str:
    if not leak.dtype:
        return f"{leak.per_call:g} nodes without arrays, the last one {leak.maker}"
    kind = f"{leak.dtype}{list(leak.shape)}"
    return f"{leak.bytes_per_call:.0f} bytes: {leak.per_call:g} x {kind}, made by {leak.maker}"


def leaks(step: Callable, calls: int = 3) -> Leaks:
    """Call a step several times; return the arrays that each call leaves alive, and their holders.

    A graph whose backward has run keeps no arrays, but its nodes are memory too, a few kilobytes
    each: where no array leads to a graph that stays, it is a leak of its own.

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
    known, recorded = origins.begin_use(), _Recorded()
    events.observe(recorded)
    try:
        step()
        first = known._call + 1
        for _ in range(max(calls, 2)):
            known.next_call()
            recorded.calls.append([])
            step()
        known.next_call()
        gc.collect()
        found = _grouped(known, range(first, first + max(calls, 2) - 1))
        found += _kept_graph(recorded.calls[1:-1], found)
    finally:
        events.unobserve(recorded)
        origins.end_use()
    found.calls = max(calls, 2)
    return found


class _Recorded(events.Observer):
    """Weak references to the nodes that each call records; the first list is of the warm-up."""

    def __init__(self):
        self.calls: list[list[weakref.ref]] = [[]]

    def node_recorded(self, node):
        self.calls[-1].append(weakref.ref(node))

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        if node is not None:
            self.node_recorded(node)

    def layer_ended(self, layer, inputs, outputs, node):
        if node is not None:
            self.node_recorded(node)


def _kept_graph(calls: list[list[weakref.ref]], known: Leaks) -> list[Leak]:
    """Return a leak for nodes that are alive from every one of some calls.

    None if an array leads to them: if it is part of a graph, or has the same holder.
    """
    known_holders = [holder for each in known for holder in each.holders]
    alive = [[node for node in (each() for each in call) if node is not None] for call in calls]
    if not all(alive) or any(holder.is_graph for holder in known_holders):
        return []
    inner = {id(each) for node in alive[0] for each in node.next_functions}
    some = [node for node in alive[0] if id(node) not in inner][-_MOST:]
    last = some[-1]
    count = sum(map(len, alive)) / len(alive)
    held: dict[str, Holder] = {}
    for holders in holders_of(some).values():
        for holder in holders:
            held.setdefault(kind_of(holder), holder)
    roots = {holder.root for holder in known_holders}
    others = tuple([each for each in held.values() if each.root not in roots])
    if held and not others:
        return []
    return [Leak(last.name(), str(line_of_node(last)), (), "", count, 0.0, others)]


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
