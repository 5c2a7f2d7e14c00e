"""A tensor from outside, while a function is traced: it holds what JAX traces."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import jax

from jaxeager.core.kernel_memory import jitted
from jaxeager.graph.meta import AutogradMeta, LentMeta
from jaxeager.graph.node import GradNodeAccumulation
from jaxeager.graph.storage import Storage


class Lifted:
    """A tensor that a function uses and has not made.

    Attributes:
        tensor: itself.
        array: its array, by which JAX knows the input.
        meta, storage, view: what it had before.
        stops: whether it stopped gradients.
        traced: the array that stands for it.
        fresh: its AutogradMeta during the trace.
        had_grad: whether it had a gradient.
        hooks: the hooks on its gradient: see ``hooks_of``.
    """

    __slots__ = (
        "array", "fresh", "had_grad", "hooks", "meta", "stops", "storage", "tensor", "traced",
        "traced_grad", "view",
    )  # fmt: skip

    def __init__(self, tensor: Any, array: jax.Array):
        self.tensor = tensor
        self.array = array
        self.meta = tensor._meta
        self.storage = tensor._storage
        self.view = getattr(tensor, "_view", None)
        self.traced = staged(array)
        self.had_grad = self.meta is not None and self.meta.grad is not None
        self.fresh = _fresh_meta(self.meta, tensor)
        self.hooks = hooks_of(self.meta)
        self.stops = self.meta is None or self.meta.stop_gradient
        self.traced_grad: Any = None
        tensor._array, tensor._meta, tensor._storage = self.traced, self.fresh, Storage()

    def put_back(self) -> None:
        """Gives the tensor what it had."""
        tensor = self.tensor
        _ = tensor._array  # one that is stale has a class of its own until it is read
        become(tensor, (self.array, self.meta, self.storage, self.view))

    def forget(self) -> None:
        """Lets go of what belongs to the trace."""
        self.traced = self.fresh = self.traced_grad = None


def hooks_of(meta: AutogradMeta | None) -> tuple:
    """Returns the hooks that run when a leaf gets its gradient."""
    node = None if meta is None else meta.node
    if node is None or not node.is_leaf or node.hooks is None:
        return ()
    hooks = node.hooks
    return *[hook for _, hook in hooks.gradient.values()], *hooks.reduce.values()


def state_of(tensor: Any) -> tuple:
    """Returns what ``become`` makes a tensor what it is by."""
    return tensor._array, tensor._meta, tensor._storage, getattr(tensor, "_view", None)


def become(tensor: Any, state: tuple) -> None:
    tensor._array, tensor._meta, tensor._storage, view = state
    if view is not None:
        tensor._view = view
    elif hasattr(tensor, "_view"):
        del tensor._view


def _itself(array: jax.Array) -> jax.Array:
    return array


# JAX 0.11 has more kinds of "inline", and takes True for one that leaves a step.
_AT_ONCE: Any = getattr(getattr(jax, "Inline", None), "JAX_EARLY", True)
staged: Callable = jitted(_itself, inline=_AT_ONCE)
"""Returns a value of JAX's trace that stands for an array, without a step in the program."""


def _fresh_meta(meta: AutogradMeta | None, tensor: Any) -> AutogradMeta | None:
    """Returns the AutogradMeta of a tensor within a trace: of a leaf, with the hooks of one."""
    if meta is None:
        return None
    kind = AutogradMeta if meta.is_leaf() else LentMeta  # what an op has made may be written
    fresh = kind(meta.stop_gradient)
    fresh.zeros = meta.zeros
    if meta.node is not None and meta.node.is_leaf and meta.node.hooks is not None:
        fresh.node = GradNodeAccumulation(weakref.ref(fresh), tensor.__dict__.get("_name"))
        fresh.node.hooks = meta.node.hooks
    return fresh
