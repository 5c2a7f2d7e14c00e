"""Writes that belong together: all of them happen or none, whatever exception is raised.

See Note [Interrupts] in graph/atomic.py.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, TypeAlias

from jaxeager.graph.atomic import Also, set_each, set_together
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.traced_writes import note_write
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.graph.views.stale import is_stale, raw_array, raw_meta
from jaxeager.graph.views.view_places import lock

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.atomic import Write
    from jaxeager.graph.types import Tensor, UpperTensor

    Triples: TypeAlias = list[Write]


def write_arrays(
    tensors: Sequence[UpperTensor],
    arrays: Sequence[jax.Array],
    moves_version: bool = False,
    also: Also = (),
) -> None:
    """Set arrays as the values of tensors: of all or, on any exception, of none.

    Args:
        tensors: Tensors.
        arrays: their new values, jax.Arrays.
        moves_version: whether the writes count as in-place (see views.write_array).
        also: attributes that change with them, (object, name, value).
    """
    for tensor in tensors:
        if tensor._storage.sharers is not None:
            _write_shared(tensors, arrays, moves_version, also)
            return
    if grad_mode.written is not None:
        for tensor in tensors:
            note_write(tensor)
    if not (moves_version or also):
        set_together(tensors, repeat("_array"), arrays)
        return
    also = [*zip(tensors, repeat("_array"), arrays, strict=False), *also]
    if moves_version:
        storages = [tensor._storage for tensor in tensors]
        also += [(storage, "version", storage.version + 1) for storage in storages]
    if also:
        set_each(also)


def _write_shared(
    tensors: Sequence[UpperTensor], arrays: Sequence[jax.Array], moves_version: bool, also: Also
) -> None:
    """Do the work of write_arrays when at least one tensor shares its memory."""
    with lock:
        before = values_of(tensors)
        try:
            for tensor, array in zip(tensors, arrays, strict=True):
                write_array(tensor, array, moves_version)
            also = list(also)
            if also:
                set_each(also)
        except BaseException:
            set_each(before)
            raise


def values_of(tensors: Sequence[Tensor]) -> Triples:
    """Return the arguments for ``set_each`` to restore tensors and all that share their memory."""
    found: dict[int, Tensor] = {}
    storages = {id(tensor._storage): tensor._storage for tensor in tensors}
    for tensor in tensors:
        found[id(tensor)] = tensor
        living = [reference() for reference in tensor._storage.sharers or ()]
        found.update((id(each), each) for each in living if each is not None)
    triples: Triples = [(each, "version", each.version) for each in storages.values()]
    for each in found.values():
        triples += _state_of(each)
    return triples


def _state_of(tensor: Tensor) -> Triples:
    """Return a tensor's own part of ``values_of``; a stale one stays stale."""
    fresh = type(tensor)._fresh_class if is_stale(tensor) else type(tensor)
    state: Triples = [
        (tensor, "__class__", fresh),
        (tensor, "_array", raw_array(tensor)),
        (tensor, "_storage", tensor._storage),
    ]
    with contextlib.suppress(AttributeError):  # another thread has not finished making this view
        state.append((tensor, "_meta", raw_meta(tensor)))
    if hasattr(tensor, "_view"):
        state.append((tensor, "_view", tensor._view))
    return [*state, (tensor, "__class__", type(tensor))]
