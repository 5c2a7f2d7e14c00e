"""PartRun: when a stage of a pipeline has computed a part of a batch, and the bytes it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.arrays.as_array import live_arrays

if TYPE_CHECKING:
    import jax


class PartRun(NamedTuple):
    """A part of a batch that a stage has run forward or backward.

    Attributes:
        kind: "forward" or "backward".
        stage, stages: the number of the stage, and how many there are.
        batch: the number of the batch.
        began_ns, ended_ns: when it has begun and ended; 0 if it has not ended.
        held_bytes: the larger one of the bytes of all arrays of the process at its begin and end.
    """

    kind: str
    stage: int
    stages: int
    batch: int
    began_ns: int
    ended_ns: int
    held_bytes: int

    @classmethod
    def of(cls, part: Any, held: int, began_ns: int) -> PartRun:
        """Return a part that has begun."""
        return cls(part.kind, part.stage, part.stages, part.batch, began_ns, 0, held)

    def ended(self, held: int, ended_ns: int) -> PartRun:
        """Return it as one that has ended."""
        return self._replace(ended_ns=ended_ns, held_bytes=max(self.held_bytes, held))

    def moved(self, by_ns: int) -> PartRun:
        """Return it with other times.

        Example:
            >>> PartRun("forward", 0, 2, 0, 5, 9, 0).moved(-5)[4:6]
            (0, 4)
        """
        return self._replace(began_ns=self.began_ns + by_ns, ended_ns=self.ended_ns + by_ns)


def held_bytes() -> int:
    """Return the bytes of the arrays that are alive in this process, on all of its devices."""
    return sum([_bytes_here(each) for each in live_arrays()])


def _bytes_here(array: jax.Array) -> int:
    if len(array.sharding.device_set) == 1:
        return array.nbytes
    return sum([part.data.nbytes for part in array.addressable_shards])
