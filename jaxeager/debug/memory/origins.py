"""The origins of arrays: the op and the line that made each, and when, while in use."""

import time
import weakref
from typing import NamedTuple

import jax

from jaxeager.core.symbolic import is_symbolic
from jaxeager.core.weak_entries import removing_ref
from jaxeager.debug.stacks import stacks
from jaxeager.debug.stacks.lines import line_of_node, running_line
from jaxeager.graph import events


class Origin(NamedTuple):
    """The origin of an array.

    Attributes:
        maker: an op, a node of backward, "to_tensor", or an optimizer's rule.
        line: the program's file and line; for a gradient the line that recorded its node.
        began: seconds since the epoch.
        call: how many calls of ``Origins.next_call`` there were before.
    """

    maker: str
    line: str
    began: float
    call: int


class Origins(events.Observer):
    """Records the origin of each array for as long as the array lives. About 5 us per op."""

    def __init__(self):
        self._known: dict[int, tuple[weakref.ref, Origin]] = {}
        self._call = 0

    def next_call(self) -> None:
        """Count a call: arrays made from now on have the next ``call``."""
        self._call += 1

    def of(self, array) -> Origin | None:
        """Return the origin of an array, None if it was made before recording began."""
        found = self._known.get(id(array))
        return found[1] if found is not None and found[0]() is array else None

    def note(self, arrays, maker: str, line: str | None = None) -> None:
        """Record the origin of arrays; skip None and arrays with a known origin."""
        line = running_line() if line is None else line
        origin = Origin(maker, line, time.time(), self._call)
        for array in arrays:
            if isinstance(array, jax.Array) and not is_symbolic(array) and self.of(array) is None:
                self._known[id(array)] = removing_ref(self._known, array), origin

    # ---- events

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        self.note(arrays, row.api_name + "_" * is_inplace)

    def array_made(self, array):
        self.note([array], "to_tensor")

    def node_ended(self, node, grads, results):
        if node.is_leaf:
            return
        self.note(results, node.name(), str(line_of_node(node)) or None)

    def step_ended(self, rule, params, state):
        kept = [each for param in params for each in (param, *state.slots(param))]
        self.note([each._array for each in kept], rule.name)


origins: Origins | None = None
_users = 0


def begin_use() -> Origins:
    """Record origins from now on, until ``end_use``; calls nest."""
    global origins, _users
    _users += 1
    if origins is None:
        origins = Origins()
        stacks.begin_use()
        events.observe(origins)
    return origins


def end_use() -> None:
    """Undo one ``begin_use``."""
    global origins, _users
    _users -= 1
    if _users == 0 and origins is not None:
        events.unobserve(origins)
        stacks.end_use()
        origins = None


def set_enabled(value: bool) -> None:
    """Apply FLAGS_trace_allocations."""
    global _is_on
    if value != _is_on:
        _is_on = value
        begin_use() if value else end_use()


_is_on = False
