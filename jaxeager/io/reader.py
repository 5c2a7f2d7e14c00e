"""paddle.io.reader: the DataLoader, and whether its batches are to be in pinned memory."""

from __future__ import annotations

from jaxeager.io.dataloader import DataLoader
from jaxeager.io.worker_info import get_worker_info

__all__ = ["DataLoader", "get_worker_info", "use_pinned_memory"]

_chosen: list[bool | None] = [None]


def use_pinned_memory(*args: bool) -> bool | None:
    """Return what was chosen, None at first; or choose.

    JAX decides itself whether a copy to a device goes through pinned memory.

    Args:
        *args: whether batches are to be in pinned memory.

    Example:
        >>> from jaxeager.io.reader import use_pinned_memory
        >>> use_pinned_memory(False)
        >>> use_pinned_memory()
        False
    """
    if not args:
        return _chosen[0]
    assert len(args) == 1, "use_pinned_memory takes one bool"
    assert isinstance(args[0], bool), "use_pinned_memory takes one bool"
    _chosen[0] = args[0]
    return None
