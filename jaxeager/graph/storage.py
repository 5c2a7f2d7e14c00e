"""Storage: what tensors of the same memory have in common, an in-place version and each other."""


class Storage:
    """The identity of a piece of memory: its in-place version, and the tensors that share it.

    The values are not here: each tensor has an array of its own (``Tensor._array``), immutable,
    so a view costs one array and no bookkeeping at reads. What a write through one of them means
    for the others is in graph/views.py.

    Attributes:
        version: how often the memory was written in place, as Paddle counts.
        sharers: None while one tensor has it alone, else a weak reference per tensor, each of which
            then has its place in the memory as ``_view`` (graph/views.py).
        pointer: its number in tools' output; not set before it was asked for.
        writer: what tools remember of the op that wrote it last; not set before one does.
    """

    __slots__ = ("pointer", "sharers", "version", "writer")

    version: int
    sharers: list | None

    def __init__(self):
        self.version = 0
        self.sharers = None
