"""Saved tensors with ``saved_tensors_hooks``: packed when saved, unpacked when read.

A packed tensor has no version check, as in Paddle: the packed form belongs to the user.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    import jax
    import numpy as np

    from jaxeager.graph.node import GradNode
    from jaxeager.graph.saved import TensorWrapper
    from jaxeager.graph.types import Hook, PackHooks


class Packed:
    """A saved tensor in the user's form.

    In a TensorWrapper it replaces both the array and the Storage, and has another version than the
    saved one. So the version check of any reader fails and leads to the slower path, and no code
    has to test for packed tensors first.

    Attributes:
        value: the result of ``pack``.
        unpack: the function that makes a Tensor from it again.
        shape, dtype: those that this Tensor must have.
    """

    __slots__ = ("dtype", "shape", "unpack", "value")

    version = 0

    def __init__(
        self,
        value: object,
        unpack: Hook,
        shape: tuple[int, ...],
        dtype: np.dtype,
    ):
        self.value = value
        self.unpack = unpack
        self.shape = shape
        self.dtype = dtype

    def array(self) -> jax.Array:
        """Return the array of the unpacked tensor.

        Raises:
            InvalidTypeError: when ``unpack`` did not return a Tensor.
            InvalidArgumentError: when its shape or dtype is not that of the packed tensor.
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


def pack_array(array: jax.Array, hooks: PackHooks) -> Packed:
    """Return a packed array: the result of ``pack``, the first of the hooks, on it as a Tensor."""
    pack, unpack = hooks
    value = pack(ports.as_tensor(array, True))
    return Packed(value, unpack, array.shape, array.dtype)


def pack_saved(array: jax.Array, hooks: PackHooks) -> tuple[Packed, Packed, int]:
    """Return the TensorWrapper of a packed array."""
    packed = pack_array(array, hooks)
    return packed, packed, packed.version - 1


def pack_node(node: GradNode, hooks: PackHooks) -> None:
    """Pack all saved tensors of a node."""
    node.saved = tuple([_packed(wrapper, hooks) for wrapper in node.saved])


def has_packed(node: GradNode) -> bool:
    """Return whether a node has a packed saved tensor, which the user's code unpacks."""
    wrapper: TensorWrapper | list[TensorWrapper] | None
    for wrapper in node.saved:
        for each in wrapper if type(wrapper) is list else (wrapper,):
            if each is not None and type(each[0]) is Packed:
                return True
    return False


def _packed(
    wrapper: TensorWrapper | list[TensorWrapper] | None, hooks: PackHooks
) -> TensorWrapper | list[TensorWrapper] | None:
    if wrapper is None:
        return None
    if type(wrapper) is list:
        return [pack_saved(each[0], hooks) for each in wrapper]
    return pack_saved(wrapper[0], hooks)  # pyright: ignore[reportArgumentType]  # not a list
