"""Leaves that lie on several devices: their gradients are placed as they are.

Note [Placed gradients]
    XLA chooses how the result of a kernel lies on a mesh. A gradient takes the placement of its
    leaf, so that an optimizer's step finds both alike, and a gradient of a divided parameter takes
    as little memory as that. Such a leaf has an end of the graph of its own class, so that the end
    of any other leaf has nothing to look at. A gradient that is to lie otherwise than its parameter
    (stage 2 of ZeRO) is the same with another sharding.
"""

import weakref
from typing import Any

from jaxeager.core.spread import is_spread, placed
from jaxeager.graph import rows
from jaxeager.graph.journal import Journal
from jaxeager.graph.node import GradNodeAccumulation
from jaxeager.graph.stale import wants


class PlacedAccumulation(GradNodeAccumulation):
    """The end of the graph at a leaf that lies on several devices: see Note [Placed gradients].

    Attributes:
        sharding: how its gradients lie.
    """

    __slots__ = ("sharding",)

    def run(self, grads: list, retain_graph: bool, journal: Journal) -> tuple:
        """Do what that of any leaf does, with a gradient that was brought to its place."""
        if grads[0] is not None:
            there = placed(grads[0], self.sharding)
            rows.note_same(grads[0], there)
            grads = [there]
        return super().run(grads, retain_graph, journal)


def place_gradients(tensor, sharding: Any) -> None:
    """Says how the gradients of a leaf are to lie; the one that it has comes there.

    Args:
        tensor: a leaf that gradients are wanted of; nothing happens for any other tensor.
        sharding: a jax.sharding.Sharding.
    """
    meta = tensor._meta
    if not wants(meta) or not meta.is_leaf():
        return
    old, made = meta.node, PlacedAccumulation(weakref.ref(meta), tensor.__dict__.get("_name"))
    if old is not None:
        made.hooks, made.tensor_name = old.hooks, old.tensor_name
        for name in ("notes", "pointer"):
            if hasattr(old, name):
                setattr(made, name, getattr(old, name))
    made.sharding = sharding
    meta.node = made
    if meta.grad is not None:
        meta.grad._array = placed(meta.grad._whole, sharding)


def place_leaf(tensor, array) -> None:
    """Give a tensor an array of the same values that lies elsewhere; its gradients will too."""
    tensor._array = array
    if is_spread(array):
        place_gradients(tensor, array.sharding)
