"""The functions of the path of a call that other subpackages use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.ops.call import wrapping
from jaxeager.ops.call.in_place import call_inplace, check_inplace
from jaxeager.ops.call.observers import show_node
from jaxeager.ops.call.operands import (
    cast,
    promote_to_float,
    scalar_array,
    scalar_of_dtype,
)
from jaxeager.ops.call.path import call
from jaxeager.ops.call.recording import edge_of, wants_grad
from jaxeager.ops.call.wrapping import attach, leaf_meta, raw, wrap

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor as TensorClass

__all__ = [
    "attach", "call", "call_inplace", "cast", "check_inplace", "edge_of", "leaf_meta",
    "promote_to_float", "raw", "scalar_array", "scalar_of_dtype", "show_node", "wants_grad", "wrap",
]  # fmt: skip

# Set by tensor.py, which imports this subpackage.
Tensor: type[TensorClass] = None  # type: ignore[assignment]


def set_tensor_class(tensor_class: type[TensorClass]) -> None:
    """Set the class of the results of this subpackage."""
    global Tensor
    Tensor = tensor_class
    wrapping.set_tensor_class(tensor_class)
