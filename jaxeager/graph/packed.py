"""Saved tensors that went through ``saved_tensors_hooks``: packed at the save, then unpacked.

A packed tensor is not version-checked, as in Paddle: what the user kept of it is the user's.
"""

from collections.abc import Callable
from typing import Any

from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, InvalidTypeError


class Packed:
    """A saved tensor in the user's form.

    In a TensorWrapper it stands for the array and for the Storage, of another version than was
    saved. So whoever takes the array looks closer, and nobody has to ask whether one is packed.

    Attributes:
        value: what ``pack`` returned.
        unpack: the function that makes a Tensor of it again.
        shape, dtype: what that Tensor must have.
    """

    __slots__ = ("dtype", "shape", "unpack", "value")

    version = 0

    def __init__(self, value, unpack: Callable, shape: tuple[int, ...], dtype):
        self.value: Any = value
        self.unpack = unpack
        self.shape = shape
        self.dtype = dtype

    def array(self):
        """Return the array of the unpacked tensor.

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
    """Return what ``pack``, the first of the hooks, make of an array, given as a Tensor."""
    pack, unpack = hooks
    value = pack(ports.as_tensor(array, True))
    return Packed(value, unpack, array.shape, array.dtype)


def pack_saved(array, hooks: tuple) -> tuple[Packed, Packed, int]:
    """Return the TensorWrapper of an array that is packed."""
    packed = pack_array(array, hooks)
    return packed, packed, packed.version - 1


def pack_node(node, hooks: tuple) -> None:
    """Pack everything a node has saved."""
    node.saved = tuple([_packed(wrapper, hooks) for wrapper in node.saved])


def has_packed(node) -> bool:
    """Says whether something that a node saved is packed, so that a user's code unpacks it."""
    for wrapper in node.saved:
        for each in wrapper if type(wrapper) is list else (wrapper,):
            if each is not None and type(each[0]) is Packed:
                return True
    return False


def _packed(wrapper, hooks: tuple):
    if wrapper is None:
        return None
    if type(wrapper) is list:
        return [pack_saved(each[0], hooks) for each in wrapper]
    return pack_saved(wrapper[0], hooks)
