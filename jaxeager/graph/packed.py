"""Saved tensors that went through ``saved_tensors_hooks``: packed at the save, then unpacked.

A packed tensor is not version-checked, as in Paddle: what the user kept of it is the user's.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.node import GradNodeAccumulation, Trait, add_trait


class Packed(NamedTuple):
    """A saved tensor in the user's form.

    Attributes:
        value: what ``pack`` returned.
        unpack: the function that makes a Tensor of it again.
        shape, dtype: what that Tensor must have.
    """

    value: Any
    unpack: Callable
    shape: tuple[int, ...]
    dtype: Any

    def array(self):
        """Returns the array of the unpacked tensor.

        Raises:
            InvalidTypeError: when ``unpack`` returned no Tensor.
            InvalidArgumentError: when it has another shape or dtype than what was packed.
        """
        tensor = self.unpack(self.value)
        if not hasattr(tensor, "_array"):
            raise InvalidTypeError(
                "The unpack function of saved_tensors_hooks must return a Tensor, but it returned "
                f"{type(tensor).__name__}."
            )
        array = tensor._array
        if array.shape != self.shape or array.dtype != self.dtype:
            raise InvalidArgumentError(
                "The unpack function of saved_tensors_hooks must return a Tensor of the shape and "
                f"dtype that was packed, {self.dtype.name}{list(self.shape)}, but it returned "
                f"{array.dtype.name}{list(array.shape)}."
            )
        return array


def pack_array(array, hooks: tuple) -> Packed:
    """Returns what ``pack``, the first of the hooks, makes of an array, given as a Tensor."""
    pack, unpack = hooks
    value = pack(GradNodeAccumulation.as_tensor(array, True))
    return Packed(value, unpack, array.shape, array.dtype)


def pack_node(node, hooks: tuple) -> None:
    """Packs everything a node has saved; the node gets the trait that unpacks it."""
    node.saved = tuple([_packed(wrapper, hooks) for wrapper in node.saved])
    add_trait(node, PackedNode)


def _packed(wrapper, hooks: tuple):
    if wrapper is None:
        return None
    if type(wrapper) is list:
        return [_packed(each, hooks) for each in wrapper]
    return pack_array(wrapper[0], hooks)


class PackedNode(Trait):
    """The trait of a node whose saved tensors are packed."""

    __slots__ = ()

    def run(self, grads: list, retain_graph: bool, journal: list):
        """Runs the kernel by the general path, which unpacks."""
        if self.released:
            self.raise_released()
        results = self.op.run_vjp_of_any(self, grads)
        if not retain_graph:
            self.release()
        return results
