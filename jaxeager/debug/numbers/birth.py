"""FLAGS_nan_birth: finds where in backward the first non-finite number was made.

Note [Birth certificates]
    While the flag is on a backward keeps the operands and results of its nodes: arrays never
    change, so this only delays freeing them. When it ends, its final gradients (of leaves, or those
    requested from ``paddle.grad``) are checked once. If one is not finite, the kept arrays are
    followed from there against the direction of backward, from node to node, as long as they are
    not finite. The node where this ends made the number; the error names line, inputs and element.
    So a number that no final gradient shows (an infinite slope removed by a mask) is not an error,
    the kernels are the same as without the flag, and PyLayers and functions of JAX are found like
    ops.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jaxeager.debug.common import naming
from jaxeager.debug.common.late_answers import read_together
from jaxeager.debug.gradients.nodes import brief, input_names, title_of
from jaxeager.debug.numbers.statistics import (
    all_finite,
    are_finite,
    first_bad,
    has_statistics,
    is_elsewhere,
    is_finite,
)
from jaxeager.debug.stacks.stacks import stack_text
from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph import events
from jaxeager.graph.meta import Edge, NodeOutput, place_of
from jaxeager.graph.saved_hooks import Packed

if TYPE_CHECKING:
    from typing import Any

    import jax

    from jaxeager.graph.types import Node


class _Ran(NamedTuple):
    """A node that has run.

    Attributes:
        node: the node.
        saved: its saved values; for a leaf the gradient that it added to.
        grads: the gradients it received, arrays or None.
        results: its result for each of its edges, arrays or None; nothing for a leaf.
    """

    node: Node
    saved: tuple
    grads: list
    results: Any


class _Here(threading.local):
    """The state of a thread.

    Attributes:
        backwards: its nested backwards, each with the fields of a _Ran for each node.
    """

    def __init__(self):
        self.backwards: list[tuple[events.Backward, list[tuple]]] = []


_here = _Here()


class _Keeper(events.Observer):
    """Keeps the operands and results of a backward's nodes, and checks the gradients at its end."""

    def backward_began(self, run):
        _here.backwards.append((run, []))

    def node_ran(self, node, saved, grads, results):
        backwards = _here.backwards
        if backwards:
            backwards[-1][1].append((node, saved, grads, results))

    def backward_ended(self, run, error):
        if not _here.backwards or _here.backwards[-1][0] is not run:
            return  # it began before the flag was set
        _, kept = _here.backwards.pop()
        if error is not None:
            return
        ends = _ends(run, kept)
        if are_finite(ends.values()):  # the fast check
            return
        with events.silent():
            if not _are_all_finite(list(ends.values())):
                found = _born(list(map(_Ran._make, kept)), ends)
                raise PreconditionNotMetError(_certificate(found))


# ---- the final gradients of a backward, and their origin


def _ends(run: events.Backward, kept: Sequence[tuple]) -> dict[NodeOutput, jax.Array]:
    """Return the final gradients of a backward, by node and position."""
    if run.targets is None:
        return {
            (node, 0): _added_up(node, grads)
            for node, _, grads, _ in kept
            if node.is_leaf and grads[0] is not None
        }
    wanted = set(map(place_of, run.targets))
    return {
        (node, position): grad
        for node, _, grads, _ in kept
        for position, grad in enumerate(grads)
        if grad is not None and (node, position) in wanted
    }


def _added_up(leaf: Node, grads: list) -> jax.Array:
    """Return the ``grad`` of a leaf, after the received gradient was added to it."""
    meta = leaf.meta()
    return grads[0] if meta is None or meta.grad is None else meta.grad._whole


def _are_all_finite(arrays: list) -> bool:
    """Return whether arrays are finite; check those on an accelerator there and read once."""
    there = [each for each in arrays if is_elsewhere(each) and has_statistics(each)]
    flags = [all_finite(each) for each in there]
    here = all(is_finite(each) for each in arrays if not is_elsewhere(each))
    return here and all(read_together(flags))


def _born(ran: Sequence[_Ran], ends: dict[NodeOutput, jax.Array]) -> _Ran:
    """Return the node that made the first non-finite value on the way to a bad gradient."""
    bad = {place for place, grad in ends.items() if not is_finite(grad)}
    found = next(each for each in ran if each.node in {node for node, _ in bad})
    for each in reversed(ran):
        pairs = zip(each.node.edges, each.results, strict=False)  # a leaf has none
        leads = [r for edge, r in pairs if edge is not None and place_of(edge) in bad]
        if not all(map(is_finite, leads)):
            found = each
            bad |= {
                (each.node, position)
                for position, grad in enumerate(each.grads)
                if not is_finite(grad)
            }
    return found


# ---- the certificate


def _certificate(found: _Ran) -> str:
    """Return the message: which node, at which line, which element, from what."""
    node = found.node
    bad = next((name, r) for name, r in _results(found) if not is_finite(r))
    index, value = first_bad(bad[1])
    count = int(np.size(bad[1]) - np.count_nonzero(np.isfinite(_host(bad[1]))))
    lines = [
        f"The first gradient of this backward that is not finite was made by {title_of(node)}: "
        f"{bad[0]} is {value} at {list(index)} of shape {list(bad[1].shape)}, one of {count}.",
    ]
    inputs = _arrived(found) + _kept(found)
    ill = [(name, array) for name, array in inputs if not is_finite(array)]
    for name, array in ill:
        where, number = first_bad(array)
        place = f"{list(where)}{_origin(node, name)}"
        lines.append(f"  It was already in an input: {name} is {number} at {place}.")
    if not ill:
        hooks = (
            " (by its rule, or by a hook on the gradients it received)"
            if node.hooks is not None
            else ""
        )
        lines.append(f"  It was born here{hooks}, from finite numbers:")
        lines += [f"    {name} = {brief(array)}{_at(array, index)}" for name, array in inputs]
    formula = "" if node.is_leaf else getattr(node.op, "formula", "")
    if formula:
        lines.append(f"  Its rule: {formula}.")
    stack = stack_text(node)
    if stack:
        lines.append("  Forward Traceback (most recent call last):\n" + stack.rstrip())
    lines.append(f"  [GradNode < {naming.node_name(node)} > error]")
    return "\n".join(lines)


def _results(found: _Ran) -> list[tuple[str, jax.Array]]:
    """Return (name, array) of a node's results; of its received gradients if it did not run."""
    if found.node.is_leaf:
        return [("its grad", _added_up(found.node, found.grads))]
    if not found.results:
        return _arrived(found)
    names = [f"d{name}" for name in input_names(found.node)]
    return [(n, r) for n, r in zip(names, found.results, strict=False) if r is not None]


def _arrived(found: _Ran) -> list[tuple[str, jax.Array]]:
    """Return (name, array) of the gradients that a node had received."""
    op = getattr(found.node, "op", None)
    names = [*getattr(op, "outputs", ()), *getattr(op, "hidden", ())]
    names += [f"out{position}" for position in range(len(names), len(found.grads))]
    pairs = zip(names, found.grads, strict=False)
    return [(f"d{name}", grad) for name, grad in pairs if grad is not None]


def _kept(found: _Ran) -> list[tuple[str, jax.Array]]:
    """Return (name, array) of the values that a node had saved."""
    if found.node.is_leaf:
        return [("the grad before", array) for array in found.saved]
    pairs = []
    for name, kept in zip(getattr(found.node.op, "saves", ()), found.saved, strict=False):
        each = kept if isinstance(kept, list) else [kept]
        pairs += [(f"saved {name}", _array_of(wrapper)) for wrapper in each if wrapper is not None]
    return pairs


def _array_of(wrapper: tuple) -> jax.Array:
    """Return the array of a TensorWrapper, as it was saved."""
    return wrapper[0].array() if type(wrapper[0]) is Packed else wrapper[0]


def _origin(node, name: str) -> str:
    """Return a text on the origin of a saved tensor: the node that made it in forward."""
    saved = name.removeprefix("saved ")
    if saved == name:
        is_before = name == "the grad before"
        return (
            ""
            if is_before
            else ": a sum of finite gradients, or a gradient that backward started from"
        )
    operands = [operand.name for operand in node.op.differentiable]
    if saved in node.op.outputs:
        return ": forward made it here"
    if saved not in operands or node.ranks is not None:
        return ""
    edge: Edge | None = node.edges[operands.index(saved)]
    return "" if edge is None else f": forward made it in {title_of(edge.node)}"


def _at(array, index: tuple) -> str:
    """Return the value of an array of the same shape at the index of the bad element."""
    if array.ndim != len(index) or any(i >= n for i, n in zip(index, array.shape, strict=True)):
        return ""
    return f", {_host(array)[index]:.6g} at {list(index)}" if array.ndim else ""


def _host(array) -> np.ndarray:
    values = np.asarray(array)
    return values if values.dtype.kind in "fciub" else values.astype(np.float32)


# ---- switching

_keeper: _Keeper | None = None
_lock = threading.Lock()


def set_enabled(value: bool) -> None:
    """Apply FLAGS_nan_birth."""
    global _keeper
    with _lock:
        if value and _keeper is None:
            _keeper = _Keeper()
            events.observe(_keeper)
        elif not value and _keeper is not None:
            events.unobserve(_keeper)
            _keeper = None
