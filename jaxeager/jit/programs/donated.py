"""Calls of programs that write new values into the memory of the old ones.

Note [Donating programs]
    A program that writes tensors and keeps nothing for a backward, such as a whole training step,
    donates the arrays of its tensors to XLA as an optimizer's step does: see Note [Donation] of
    optimizer/fused.py for the conditions under which no other code reads them. So weights and
    moments are in memory once, not twice, and at the same addresses: a GPU can reuse its graph of
    kernels without new addresses. Afterwards all tensors have their new values or, after any
    exception, their old ones.

    A program does not donate in these cases: a backward may need the tensors that it has read; it
    writes one of its arguments (another tensor on every call); it changes the shape of a tensor; or
    a tool observes ops.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING

from jaxeager.core.itemgetters import picker
from jaxeager.jit.capture.lifted import THERE
from jaxeager.optimizer.donation import donating
from jaxeager.optimizer.fused import Buffers, storage_of

if TYPE_CHECKING:
    from jax.core import ShapedArray

    from jaxeager.jit.capture.captured import Captured
    from jaxeager.tensor import Tensor


class Donated:
    """The call of a program that donates.

    Args:
        forward: the pure function of the program's arrays that returns its outputs.
        inputs: its inputs, (kind, number) each, or ("constant", array).
        found: the Captured of the program.
        count: the number of outputs.
    """

    def __init__(self, forward: Callable, inputs: Sequence[tuple], found: Captured, count: int):
        written = found.written
        place = {each.lifted: at for at, each in enumerate(written)}
        first = [each.output for each in written]
        order = first + [n for n in range(count) if n not in set(first)]
        self._pick = picker([each.lifted for each in written])
        self._moved = [each.versions for each in written]
        kept = [each for each in found.graded if found.expected[each.lifted].gradient != THERE]
        self._cleared = picker([each.lifted for each in found.graded])
        self._zeros = [each.zeros for each in found.graded]
        self._dropped = len(kept) != len(found.graded)
        self._are_fixed = not (found.replaced or found.grads_of)
        self._others = [e for e in inputs if not (e[0] == "lifted" and e[1] in place)]
        self._in_order = picker([order.index(number) for number in range(count)])
        self._buffers: Buffers | None = None
        self._lock = threading.RLock()

        def program(old, *others):
            rest = iter(others)
            given = [
                old[place[value]] if kind == "lifted" and value in place else next(rest)
                for kind, value in inputs
            ]
            outs = forward(*given)
            return [outs[number] for number in order]

        program.__name__ = program.__qualname__ = forward.__name__
        self._step = donating(program)

    def run(self, tensors: Sequence, given: dict[str, list], storages: list) -> Sequence:
        """Run the program, set the values of the tensors it writes, and return its outputs.

        Args:
            tensors: those of ``Program.tensors_of``.
            given: the draws, and the values that are new on each call, by kind.
            storages: those of the written tensors, if known.
        """
        more = [
            tensors[value]._array
            if kind == "lifted"
            else (value if kind == "constant" else given[kind][value])
            for kind, value in self._others
        ]
        metas = list(map(_meta_of, self._cleared(tensors)))
        also = list(zip(metas, repeat("zeros"), self._zeros, strict=False))
        if self._dropped:  # where there was none, there is none again
            also += zip(metas, repeat("grad"), repeat(None))
        with self._lock:
            buffers = self._buffers_for(tensors)
            storages = storages or list(map(storage_of, buffers.tensors))
            versions = list(map(operator.add, map(_version_of, storages), self._moved))
            returned = buffers.run(self._step, more, also, (storages, versions))
        return self._in_order(returned)

    def _buffers_for(self, tensors: Sequence) -> Buffers:
        """Return the Buffers of the tensors it writes: on most calls those of the last call."""
        buffers = self._buffers
        if buffers is not None and self._are_fixed:
            return buffers
        written = self._pick(tensors)
        if buffers is None or not all(map(operator.is_, buffers.tensors, written)):
            buffers = self._buffers = Buffers(list(written), buffers)
        return buffers


_version_of = operator.attrgetter("version")
_meta_of = operator.attrgetter("_meta")


def can_donate(found: Captured, avals: Sequence, count: int) -> bool:
    """Return whether a program may write into the arrays of its tensors.

    Args:
        found: the Captured of the program.
        avals: those of its outputs.
        count: the number of its arguments.
    """
    numbers = [each.lifted for each in found.written]
    return (
        bool(numbers)
        and (not found.places or found.released)
        and all(each.place is None for each in found.written)
        and len(set(numbers)) == len(numbers) == len({each.output for each in found.written})
        and min(numbers) >= count
        and all(output is None for _, output, *_ in found.graded)
        and all(_keeps_its_kind(found.tensors[e.lifted], avals[e.output]) for e in found.written)
    )


def _keeps_its_kind(tensor: Tensor, aval: ShapedArray) -> bool:
    array = tensor._array
    return array.shape == aval.shape and array.dtype == aval.dtype
