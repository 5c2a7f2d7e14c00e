"""Recorder: the calls of kernels that have not run yet, and the trie of those seen before.

Note [Recording]
    A call of a kernel in lazy mode is a step in a trie: from the calls before it, by the kernel and
    where its operands come from, to a ``Place``, which knows what the call returns. A path that was
    walked before computes nothing: it makes a Pending for each result and writes the call down.
    Operands from outside of the segment are numbered in the order they are met, and are of a
    ``kind`` (shape, dtype, device), a small number that stands for all three in the key.

    A segment ends when somebody asks for a value. What ran is known by its place in the trie and by
    which results are still referred to: only those are made (``sys.getrefcount``, which is exact:
    the list of the recorder is the one reference that is not somebody else's).
"""

import sys
import threading
from typing import Any

import jax
from jax.core import ShapedArray

from jaxeager.core.lazy import segments
from jaxeager.core.lazy.pending import Array, Pending

_new = object.__new__
LONGEST = 4000  # calls in a segment
MOST_PLACES = 200_000  # in a trie; then it begins again


class Place:
    """Where a path of calls has come to.

    Attributes:
        after: the places that the next call leads to, by (kernel, where its operands come from,
            how they are nested).
        avals: what the call returned, flat.
        nesting: how that is nested; None for a single array.
        ends: the segments that ended here, by the numbers of the results that were referred to.
    """

    __slots__ = ("after", "avals", "ends", "nesting")

    def __init__(self, avals: tuple = (), nesting: Any = None):
        self.after: dict[tuple, Place] = {}
        self.avals, self.nesting = avals, nesting
        self.ends: dict[tuple, segments.Segment] = {}


class Recorder:
    """The calls of one thread that have not run yet: see Note [Recording]."""

    __slots__ = ("calls", "lock", "made", "numbers", "outside", "place", "places", "root")

    def __init__(self):
        self.lock = threading.RLock()
        self.root, self.places = Place(), 1
        self._begin()

    def _begin(self) -> None:
        self.place = self.root
        self.calls: list[tuple] = []  # (kernel, where its operands come from, how they are nested)
        self.made: list[Pending] = []
        self.outside: list[Any] = []
        self.numbers: dict[int, int] = {}  # of what comes from outside, by id

    def record(self, kernel: Any, operands: tuple) -> Any:
        """Write a call down, and return what it returns, pending; NotImplemented for no such call.

        Args:
            kernel: a Kernel.
            operands: its operands, in lists or not.
        """
        with self.lock:
            nesting = None
            sources = self._sources(operands)
            if sources is None:
                operands, nesting = jax.tree.flatten(operands)
                sources = self._sources(operands)
                if sources is None:
                    return NotImplemented
            call = (kernel, sources, nesting)
            place = self.place.after.get(call)
            if place is None:
                place = self._new_place(kernel, operands, nesting)
                self.place.after[call] = place
            self.place = place
            self.calls.append(call)
            made = self.made
            outs = []
            for aval in place.avals:
                out = _new(Pending)
                out.aval, out.value, out.segment, out.place = aval, None, self, len(made)
                made.append(out)
                outs.append(out)
            if len(self.calls) >= LONGEST:
                self.run()
            return out if place.nesting is None else place.nesting.unflatten(outs)

    def _sources(self, operands) -> tuple | None:
        """Return where operands come from; None when one is no array that can be recorded."""
        sources = []
        for array in operands:
            if type(array) is Pending:
                if array.value is None and array.segment is self:
                    sources.append(array.place)
                    continue
                array = array.ready()
            elif type(array) is not Array:
                return None
            number = self.numbers.get(id(array))
            if number is None:
                kind = _kind_of(array)
                if kind is None:
                    return None
                self.outside.append(array)
                number = self.numbers[id(array)] = -len(self.outside) - (kind << BITS)
            sources.append(number)
        return tuple(sources)

    def _new_place(self, kernel: Any, operands, nesting) -> Place:
        """Return the place of a call that was not seen here before."""
        structs = [_struct(array.aval) for array in operands]
        given = structs if nesting is None else nesting.unflatten(structs)
        out = jax.eval_shape(kernel.rule, *given)
        leaves, nested = jax.tree.flatten(out)
        self.places += 1
        is_single = jax.tree_util.treedef_is_leaf(nested)
        return Place(tuple([_aval(each) for each in leaves]), None if is_single else nested)

    def finish(self, pending: Pending) -> None:
        """Run what was recorded, so that a pending array has its value."""
        with self.lock:
            if pending.value is None:
                self.run()

    def run(self) -> None:
        """Run what was recorded."""
        with self.lock:
            if not self.calls:
                return
            if WHY is not None:
                WHY(self)
            place, calls, made, outside = self.place, self.calls, self.made, self.outside
            self._begin()
            if self.places > MOST_PLACES:
                self.root, self.places = Place(), 1
                self.place = self.root
            live = tuple([at for at in range(len(made)) if sys.getrefcount(made[at]) > 2])
            segment = place.ends.get(live)
            if segment is None:
                segment = place.ends[live] = segments.Segment(calls, len(made), live)
            segment.run(outside, made)


BITS = segments.BITS
WHY: Any = None  # is told of each segment, for reports
_kinds: dict[tuple, int] = {}
_of_aval: dict[int, tuple[Any, int]] = {}


def _kind_of(array: Any) -> int | None:
    """Return the number of an array's shape, dtype and device; None for one on several devices."""
    sharding = array.sharding
    if type(sharding) is not jax.sharding.SingleDeviceSharding:
        return None
    aval = array.aval
    key = (aval.shape, aval.dtype, aval.weak_type, sharding, array.committed)
    kind = _kinds.get(key)
    if kind is None:
        kind = _kinds[key] = len(_kinds)
    return kind


def _struct(aval: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def _aval(struct: Any) -> ShapedArray:
    return ShapedArray(struct.shape, struct.dtype, weak_type=struct.weak_type)
