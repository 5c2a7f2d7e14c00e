"""Graphs that lazy mode has recorded for a marked function; their backward is recorded as well.

A function that ``jit.to_static`` marks runs in lazy mode, but its backward runs outside of it. So
the nodes of its results are remembered, by weak references, and a backward that reaches one of them
is recorded and run as a whole.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING

from jaxeager.core.weak_entries import removing_ref
from jaxeager.graph.meta import AutogradMeta
from jaxeager.kernels.lazy import mode

if TYPE_CHECKING:
    from jaxeager.graph.types import Node

remembered: dict[int, weakref.ref[Node | None]] = {}
"""The nodes, by their ids."""


def remember(meta: AutogradMeta | None) -> None:
    """Record any backward that reaches the node of this meta."""
    if meta is None or meta.is_leaf():
        return
    remembered[id(meta.node)] = removing_ref(remembered, meta.node)


def recorded_with(nodes: Iterable[Node]) -> contextlib.AbstractContextManager[object]:
    """Return the context of a backward through some nodes: lazy mode when one is remembered."""
    if mode.is_chosen() or remembered.keys().isdisjoint(map(id, nodes)):
        return contextlib.nullcontext()
    return mode.block()
