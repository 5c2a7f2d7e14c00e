"""The fifth stage of a call: its GradNode, with an edge per tensor that requires a gradient."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from functools import partial
from operator import attrgetter, is_not
from typing import TYPE_CHECKING, Any

from jaxeager.graph.meta import Edge
from jaxeager.graph.node import GradNode, gradient_edge
from jaxeager.graph.saved import save
from jaxeager.graph.views.stale import wants
from jaxeager.ops.call.plan import Plan
from jaxeager.ops.call.wrapping import attach, new_node

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jax

    from jaxeager.graph.saved import TensorWrapper
    from jaxeager.ops.call.types import (
        Attrs,
        Aval,
        Edges,
        Items,
        Mask,
        Operands,
        Ranks,
        Scalars,
        Value,
    )
    from jaxeager.ops.row import OpRow
    from jaxeager.tensor.tensor import Tensor


def edge_of(tensor: Any) -> Edge | None:
    """Return the edge for a tensor's gradient, None when none is wanted."""
    meta = getattr(tensor, "_meta", None)
    if meta is None or meta.stop_gradient:
        return None
    return meta if meta.node else gradient_edge(meta, tensor.__dict__.get("_name"))


def edges_of(plan: Plan, operands: Operands) -> list[Edge | None]:
    """Return the edges of a call's differentiable tensors, flat; an empty list if there is none."""
    edges: list[Edge | None] = []
    is_wanted = False
    for slot in plan.tensors:
        meta = getattr(operands[slot], "_meta", None)
        if meta is None or meta.stop_gradient:
            edges.append(None)
        else:
            edges.append(meta if meta.node else edge_of(operands[slot]))
            is_wanted = True
    if not plan.tensors:
        for operand in plan.row.differentiable:
            value = operands[operand.slot]
            edges += map(edge_of, value) if operand.is_list else (edge_of(value),)
        is_wanted = any(edges)
    return edges if is_wanted else []


def wants_grad(row: OpRow, operands: Operands) -> bool:
    """Return whether any operand requires a gradient."""
    return any(
        wants(getattr(tensor, "_meta", None))
        for operand in row.differentiable
        for tensor in (operands[operand.slot] if operand.is_list else (operands[operand.slot],))
    )


def record(
    plan: Plan,
    operands: Operands,
    arrays: list[Value],
    attrs: Attrs,
    scalars: Scalars,
    edges: Edges,
    tensors: list[Tensor],
    outs: Items,
) -> GradNode:
    """Make the GradNode of a call.

    Args:
        plan: the plan of its row.
        operands: tensors (or arrays, None, lists) as given.
        arrays: their arrays.
        attrs: static attributes.
        scalars: run-time scalars, as arrays.
        edges: the result of ``edges_of``.
        tensors: the tensors that the call returns.
        outs: the output arrays, hidden ones included.

    Returns:
        the node.
    """
    saved: Sequence[object] = []
    for place in plan.kept:
        if place < 0:
            storage = tensors[~place]._storage if ~place < len(tensors) else None
            saved.append((outs[~place], storage, storage.version if storage else 0))
        else:
            array = arrays[place]
            if array is None or type(array) is list:
                saved.append(array and save_each(array, operands[place]))
            else:
                storage = getattr(operands[place], "_storage", None)
                saved.append((array, storage, storage.version if storage else 0))
    shapes = tuple([aval_of(arrays[slot]) for slot in plan.kinds]) if plan.kinds else ()
    avals = tuple(map(_read_aval, outs[: len(tensors)]))
    mask, ranks = mask_of(plan, operands, edges), None
    if not plan.tensors:
        ranks = ranks_of(plan, operands)
    row, edges, saved = plan.row, tuple(edges), tuple(saved)
    return new_node(row, attrs, scalars, edges, mask, saved, shapes, avals, ranks)


_read_aval = attrgetter("aval")
_is_there = partial(is_not, None)  # whether an edge exists; runs in C


def mask_of(plan: Plan, operands: Operands, edges: Edges) -> Mask:
    """Return whether each edge exists; None for an optional operand that was not given."""
    if not plan.masks_none:
        return tuple(map(_is_there, edges))
    return tuple(
        [
            None if operands[slot] is None else edge is not None
            for slot, edge in zip(plan.tensors, edges, strict=True)
        ]
    )


def ranks_of(plan: Plan, operands: Operands) -> Ranks:
    """Return the number of tensors in each differentiable operand that is a list, else None."""
    operands_ = plan.row.differentiable
    return tuple([len(operands[o.slot]) if o.is_list else None for o in operands_])


def save_each(arrays: list[jax.Array], values: Sequence[object]) -> list[TensorWrapper]:
    return [save(a, getattr(v, "_storage", None)) for a, v in zip(arrays, values, strict=True)]


def aval_of(array: Value) -> Aval | tuple[Aval, ...] | None:
    """Return the aval of an array, a tuple of them for a list, None for None."""
    if array is None:
        return None
    return tuple([each.aval for each in array]) if type(array) is list else array.aval  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]  # no list


def give_to(node: GradNode, tensors: list[Tensor], is_list: bool) -> None:
    """Make tensors the outputs of a node: by rank if they are one list, else by slot."""
    for position, tensor in enumerate(tensors):
        if is_list:
            attach(tensor, node, 0, position)
        else:
            attach(tensor, node, position)
