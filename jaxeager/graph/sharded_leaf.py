"""Leaves on several devices: their gradients get the same placement.

Note [Placed gradients]
    XLA chooses the placement of a kernel's result on a mesh. A gradient gets the placement of its
    leaf. So an optimizer's step finds both alike, and a gradient of a divided parameter takes as
    little memory as the parameter. Such a leaf has a separate class of accumulation node, so that
    the node of any other leaf needs no check. A gradient with another placement than its parameter
    (stage 2 of ZeRO) uses the same class with another sharding.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from jaxeager.arrays.sharded import is_spread, placed
from jaxeager.graph import rows
from jaxeager.graph.journal import Journal
from jaxeager.graph.node import GradNodeAccumulation
from jaxeager.graph.views.stale import wants

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.types import Tensor


class PlacedAccumulation(GradNodeAccumulation):
    """The end of the graph at a leaf on several devices: see Note [Placed gradients].

    Attributes:
        sharding: the sharding of its gradients.
    """

    __slots__ = ("sharding",)

    def run(self, grads: list[jax.Array | None], retain_graph: bool, journal: Journal) -> tuple[()]:
        """Do the work of the base class on a gradient moved to its placement."""
        if grads[0] is not None:
            there = placed(grads[0], self.sharding)
            rows.note_same(grads[0], there)
            grads = [there]
        return super().run(grads, retain_graph, journal)


def place_gradients(tensor: Tensor, sharding: jax.sharding.Sharding) -> None:
    """Set the sharding of a leaf's gradients, and move its present gradient to it.

    Args:
        tensor: a leaf that requires gradients; any other tensor is ignored.
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


def place_leaf(tensor: Tensor, array: jax.Array) -> None:
    """Give a tensor an array of the same values with another placement, also for gradients."""
    tensor._array = array
    if is_spread(array):
        place_gradients(tensor, array.sharding)
