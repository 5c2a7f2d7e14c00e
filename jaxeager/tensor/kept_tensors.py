"""The form in which a PyLayer's context keeps tensors for backward.

Note [Kept outputs]
    A context is held by the node of its call, and an output holds the node. A context that held an
    output would close a reference cycle, and unused tensors would stay alive until Python's garbage
    collector finds it. So for every tensor a context keeps its array, its version and its place in
    the graph, and for an output only its index. ``saved_tensor()`` makes a Tensor from that again,
    or returns the user's own tensor if it is still alive and unchanged.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.node import gradient_edge
from jaxeager.graph.saved import recover, save
from jaxeager.ops.call.dispatch import wrap

if TYPE_CHECKING:
    from typing import Any


class KeptTensor:
    """A tensor that a context keeps: see Note [Kept outputs].

    Attributes:
        wrapper: its TensorWrapper.
        known: a weak reference to the user's tensor.
        position: the index of the output of the call; None when it is not an output.
        meta: its AutogradMeta when it is not an output.
        stop_gradient: whether it stops gradients.
    """

    __slots__ = ("known", "meta", "position", "stop_gradient", "wrapper")

    def __init__(self, tensor, position: int | None, packed):
        self.wrapper = save(tensor._array, tensor._storage) if packed is None else packed
        self.known = weakref.ref(tensor)
        self.position = position
        self.meta = tensor._meta if position is None else None
        self.stop_gradient = tensor.stop_gradient

    def get(self, node):
        """Return the tensor; ``node`` is that of the call.

        Raises:
            PermissionDeniedError: when it was written in place since it was saved.
        """
        array = recover(self.wrapper, node)
        known = self.known()
        if known is not None and known._array is array and self._is_place_of(known, node):
            return known
        tensor = wrap(array)
        if self.position is not None:
            tensor._meta = AutogradMeta(self.stop_gradient, node, self.position, 0)
        elif self.meta is not None:
            edge = self.meta if self.stop_gradient else gradient_edge(self.meta)
            tensor._meta = AutogradMeta(self.stop_gradient, edge.node, edge.slot, edge.rank)
        return tensor

    def get_attribute(self, node):
        """Return the tensor for attribute access: unchecked while the user's own is alive."""
        known = self.known()
        return self.get(node) if known is None else known

    def _is_place_of(self, tensor, node) -> bool:
        meta = tensor._meta
        if self.position is None:
            return meta is self.meta
        return meta is not None and meta.node is node and meta.slot == self.position


def keep(value, position_of: Callable, packed: dict) -> Any:
    """Return a value with a KeptTensor for each Tensor, also of lists and tuples.

    Args:
        value: anything.
        position_of: a function that returns the index of an output Tensor, or None.
        packed: the TensorWrappers of tensors packed by ``saved_tensors_hooks``, by ``id``.
    """
    if hasattr(value, "_storage"):
        return KeptTensor(value, position_of(value), packed.get(id(value)))
    if type(value) in (list, tuple):
        return type(value)(keep(each, position_of, packed) for each in value)
    return value


def unkeep(value, node):
    """Return the value that ``keep`` was given.

    Raises:
        PermissionDeniedError: when a tensor was written in place since.
    """
    if type(value) is KeptTensor:
        return value.get(node)
    if type(value) in (list, tuple):
        return type(value)(unkeep(each, node) for each in value)
    return value
