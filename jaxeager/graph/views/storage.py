"""Storage: the data that tensors of one memory share, an in-place version and their list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weakref import ref

    from jaxeager.graph.types import Tensor


class Storage:
    """The identity of a piece of memory: its in-place version, and the tensors that share it.

    The values are not here: each tensor has its own immutable array (``Tensor._array``), so a view
    costs one array and no bookkeeping at reads. The effect of a write on the other tensors is
    described in graph/views/shared_writes.py.

    Attributes:
        version: the number of in-place writes, as Paddle counts them.
        sharers: None while one tensor uses it alone, else a weak reference per tensor, each of
            which then has its place in the memory as ``_view`` (graph/views/shared_writes.py).
        pointer: its number in tools' output; not set before the first use.
        writer: data of tools on the op that wrote it last; not set before the first use.
    """

    __slots__ = ("pointer", "sharers", "version", "writer")

    pointer: int
    sharers: list[ref[Tensor]] | None
    version: int
    writer: Any

    def __init__(self):
        self.version = 0
        self.sharers = None
