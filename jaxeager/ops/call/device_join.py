"""Placement of operands on one mesh of devices: see Note [Several devices]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.arrays.sharded import joined  # pyright: ignore[reportUnknownVariableType]  # untyped yet
from jaxeager.graph.sharded_leaf import place_leaf

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Arrays, Kernel, Operands, Value


def join_operands(arrays: list[Value], operands: Operands) -> bool:
    """Move operands, and their tensors, to the mesh that one of them is on.

    Args:
        arrays: the arrays of the operands, lists among them; those that move are replaced.
        operands: tensors, or arrays, lists and None; as many as arrays, or an empty tuple.

    Returns:
        whether anything has moved.
    """
    found: Arrays | None = joined(arrays)  # pyright: ignore[reportUnknownVariableType]  # untyped yet
    if found is None:
        return False
    pairs = zip(operands, arrays, found, strict=True) if operands else ()
    for operand, old, new in pairs:
        if isinstance(old, (list, tuple)):
            for each in zip(operand, old, new, strict=True):
                _move(*each)
        else:
            _move(operand, old, new)
    arrays[:] = found
    return True


def _move(operand: Any, old: Any, new: Any) -> None:
    if new is not old and hasattr(operand, "_storage") and old.sharding.num_devices == 1:
        place_leaf(operand, new)


def again(kernel: Kernel, arrays: Arrays, error: Exception) -> Any:
    """Run a kernel that JAX refused again on joined arrays; raise the error if none has moved."""
    found: Arrays | None = joined(arrays)  # pyright: ignore[reportUnknownVariableType]  # untyped yet
    if found is None:
        raise error
    return kernel(*found)
