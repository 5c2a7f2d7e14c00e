"""The missing VJP kernels of a backward, which threads compile before its nodes run.

Note [Kernels of a backward]
    A tape knows, before its first node runs, which kernels a backward calls and for which shapes.
    So after a forward that compiled a kernel, ``begin`` walks the tape in the engine's order, and
    queues the VJP kernels: they compile side by side (kernels/compile_threads.py). For operands
    that are bound to a device (committed) JAX compiles a kernel of its own. A result is bound where
    an operand is, so the walk carries the device along, from the roots and the saved tensors. (JAX
    omits an operand that a rule does not read; if that was the bound one, the next kernel is
    compiled twice: 3 of 292 kernels of 38 programs.)

    Deep graphs repeat their kernels, so the walk ends after MOST_NODES (about 20 us each).

    A node that may call another kernel is left to its call, and so are those that it passes
    gradients to: one with a packed or pending tensor or hidden outputs, one of a user's function.
    So is the sum of gradients that meet.
"""

# Functions of JAX have partly unknown types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import jax

from jaxeager.graph.meta import place_of
from jaxeager.kernels import executable_data, executables

if TYPE_CHECKING:
    from collections.abc import Hashable

    from jaxeager.graph.engine import Task
    from jaxeager.graph.meta import NodeOutput
    from jaxeager.graph.node import GradNode
    from jaxeager.graph.types import Node, Roots

Where: TypeAlias = "jax.sharding.Sharding | None"
"""The sharding of an array that is bound to a device; None for one that is not, or these two."""

UNKNOWN: Any = object()
ABSENT: Any = object()
"""Where a gradient is that does not reach its place."""
MOST_NODES = 5000


class _Unknown(Exception):
    """Raised for a node whose kernel, or an operand of it, is not known before its call."""


def begin(tasks: Mapping[Node, Task], roots: Roots) -> None:
    """Queue the VJP kernels of a backward, whose forward has compiled some.

    Args:
        tasks: the nodes that will run, as the engine counted them.
        roots: pairs of an Edge and the gradient along it.
    """
    executables.has_new = False
    begun: set[Hashable] = set()
    wheres = {place_of(edge): _where(grad) for edge, grad in roots}
    for task in islice(_in_order(tasks, roots), MOST_NODES):
        made = _begin(task.node, wheres, begun)  # pyright: ignore[reportArgumentType]  # no leaf
        if made is ABSENT:
            continue
        for edge in task.edges:
            if edge is not None:
                place = place_of(edge)
                wheres[place] = _of_sum(wheres[place], made) if place in wheres else made


def _in_order(tasks: Mapping[Node, Task], roots: Roots) -> Iterator[Task]:
    """Yield the nodes that pass gradients on, each after all that pass gradients to it."""
    waiting: dict[Node, int] = {}
    starts = dict.fromkeys([edge.node for edge, _ in roots])
    ready = deque([node for node in starts if not tasks[node].waiting])
    while ready:
        task = tasks[ready.popleft()]
        if not task.edges:  # a leaf, or the end of a partial backward
            continue
        yield task
        for edge in task.edges:
            if edge is not None:
                target = edge.node
                waiting[target] = left = waiting.get(target, tasks[target].waiting) - 1
                if not left:
                    ready.append(target)


def _begin(node: GradNode, wheres: Mapping[NodeOutput, Where], begun: set[Hashable]) -> Where:
    """Queue the kernel of a node unless it is in ``begun``; return where its results will be."""
    reached = [wheres.get((node, at), ABSENT) for at in range(node.width)]
    absent = [where is ABSENT for where in reached]
    if all(absent):  # it does not run
        return ABSENT
    try:
        saved = [*map(_struct_of, node.saved), *map(_struct_of, node.scalars)]
        grads = _gradients(node, reached)
        find_kernel = getattr(node.op, "vjp_kernel", None)
        kernel = None if find_kernel is None else find_kernel(node, absent)
    except _Unknown:
        return UNKNOWN
    if kernel is None:
        return UNKNOWN
    operands = [*saved, *grads]
    leaves = jax.tree.leaves(operands)
    key = kernel, tuple([(each.shape, each.dtype, each.sharding) for each in leaves])
    if key not in begun:
        begun.add(key)
        with contextlib.suppress(Exception):  # its call raises it again
            executables.begin(kernel, *operands)
    return next((each.sharding for each in leaves if each.sharding is not None), None)


def _gradients(node: GradNode, reached: list[Where]) -> list[jax.ShapeDtypeStruct]:
    """Return the structs of the gradients that a node receives."""
    if UNKNOWN in reached or node.width > len(node.out_avals):
        raise _Unknown
    return [
        jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=where)
        for aval, where in zip(node.out_avals, reached, strict=True)
        if where is not ABSENT
    ]


def _struct_of(saved: Any) -> Any:
    """Return the struct of a TensorWrapper or an array; nested as it is, None for None."""
    if saved is None:
        return None
    if type(saved) is list:
        return [_struct_of(each) for each in saved]
    array = saved[0] if type(saved) is tuple else saved
    if type(array) is not executables.Array:
        raise _Unknown
    return executable_data.struct_of(array)


def _where(array: Any) -> Where:
    """Return where an array is bound to; UNKNOWN for one that has no value yet."""
    if type(array) is not executables.Array:
        return UNKNOWN
    return array.sharding if array.committed else None


def _of_sum(first: Where, second: Where) -> Where:
    """Return where the sum of two gradients is bound to: where one of them is."""
    if first is None or (first is UNKNOWN and second is not None):
        return second
    return first
