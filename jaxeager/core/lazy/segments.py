"""Segment: calls of kernels that run as one executable."""

from typing import Any

import jax

from jaxeager.core import kernel_memory

BITS = 20  # of the number of an operand from outside; what is above them is its kind


class Segment:
    """Calls that were recorded one after the other, up to where somebody asked for a value.

    Args:
        calls: (kernel, where its operands come from, how they are nested) of each.
        count: how many results they have.
        live: the numbers of those that somebody refers to.
    """

    __slots__ = ("calls", "count", "executable", "live", "seen")

    def __init__(self, calls: list[tuple], count: int, live: tuple):
        self.calls, self.count, self.live = calls, count, live
        self.seen = 0
        self.executable: Any = None

    def run(self, outside: list, made: list) -> None:
        """Compute the results that somebody refers to.

        Args:
            outside: the operands that come from outside.
            made: the pending arrays, by number.
        """
        self.seen += 1
        if not self.live:
            return
        if self.seen < 2:
            self._run_each(outside, made)
            return
        if self.executable is None:
            self.executable = kernel_memory.jitted(self._rule())
        values = self.executable(*outside)
        for at, value in zip(self.live, values, strict=True):
            made[at].value = value
            made[at].segment = None

    def _run_each(self, outside: list, made: list) -> None:
        """Compute all results call by call."""
        values: list = []
        for kernel, sources, nesting in self.calls:
            out = kernel.kernel(*_operands(sources, nesting, values, outside))
            values.extend(jax.tree.leaves(out))
        for at in self.live:
            made[at].value = values[at]
            made[at].segment = None

    def _rule(self):
        calls, live = self.calls, self.live

        def segment(*outside):
            values: list = []
            for kernel, sources, nesting in calls:
                out = kernel.rule(*_operands(sources, nesting, values, outside))
                values.extend(jax.tree.leaves(out))
            return [values[at] for at in live]

        return segment


def _operands(sources: tuple, nesting: Any, values: list, outside) -> list:
    """Return the operands of a call, nested as they were."""
    mask = (1 << BITS) - 1
    flat = [values[at] if at >= 0 else outside[(-at & mask) - 1] for at in sources]
    return flat if nesting is None else nesting.unflatten(flat)
