"""The forward computed again from the data of a tape: ops, attributes, edges and saved values.

See Note [Tapes as programs] of jax_bridge/tape_program.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax

from jaxeager.errors import NotFoundError
from jaxeager.graph.partial import place_of
from jaxeager.jax_bridge.from_jax import JaxOp
from jaxeager.ops.call import kernels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax.typing import ArrayLike

    from jaxeager.graph.node import GradNode
    from jaxeager.jax_bridge.tape_saved import Arguments


class _Kept(NamedTuple):
    """The source of a value: an argument of the tape."""

    name: str


class Forward:
    """The forward of a tape, as far as the operands of each op are known.

    Attributes:
        missing: a line for each thing that is not known.
    """

    def __init__(self, order: list, arguments: Arguments, roots: list):
        self._arguments, self._values = arguments, arguments.values()
        pairs = zip(arguments.heads, roots, strict=True)
        self._roots = [(head, place_of(edge)) for head, (edge, _) in pairs]
        self._steps: list[tuple[GradNode, list]] = []
        self.missing: list[str] = []
        self._look_at_leaves()
        for node in reversed(order):  # the producer of an operand comes after its consumer
            self._steps.append((node, self._sources(node)))

    def _look_at_leaves(self) -> None:
        leaves = list(self._arguments.leaf_of.values())
        for leaf in dict.fromkeys(leaves):
            if leaves.count(leaf) > 1:
                self.missing.append(
                    f"{self._arguments.leaf_name(leaf)} had {leaves.count(leaf)} values: it was "
                    "set to a different one between two ops"
                )

    def _sources(self, node) -> list:
        """Return the source of each operand of a node; a list for a list, None for none."""
        if not (hasattr(node.op, "forward_kernels") or isinstance(node.op, JaxOp)):
            self._miss(node, "its forward is not an op, so the tape does not contain it")
            return []
        operands = node.op.operands
        names = self._arguments.names_of(node)
        edges, start = iter(zip(node.edges, node.mask, strict=True)), 0
        found = []
        for operand in operands:
            width = None
            if operand.is_differentiable and node.ranks is not None:
                width = node.ranks[start]
            start += operand.is_differentiable
            if not operand.is_differentiable:
                found.append(self._kept(node, names, operand.name, operand))
                continue
            each = [
                self._source(node, names, label, operand, *next(edges))
                for label in _labels(operand.name, width)
            ]
            found.append(each[0] if width is None else each)
        return found

    def _source(self, node, names: dict, label: str, operand, edge, is_wanted):
        if edge is not None:
            return place_of(edge)
        if is_wanted is None and operand.is_optional:
            return None
        return self._kept(node, names, label, operand)

    def _kept(self, node, names: dict, label: str, operand):
        if label in names:
            return _Kept(names[label])
        if operand.is_list:
            listed = [name for name in names if name.rstrip("0123456789") == label]
            if listed:
                return [_Kept(names[name]) for name in listed]
        if not operand.is_optional:
            self._miss(
                node, f"its operand {label} gets no gradient, and backward does not need its value"
            )
        return None

    def _miss(self, node, why: str) -> None:
        from jaxeager.debug.gradients.nodes import title_of

        self.missing.append(f"{title_of(node)}: {why}")

    # ---- running

    def run(self, leaves: Mapping[str, ArrayLike]) -> dict[str, jax.Array]:
        """Return the losses, and the inputs of backward, by name, for values of leaves."""
        made = self._leaf_values(leaves)
        found: dict[str, jax.Array] = {}

        def value(source):
            if source is None:
                return None
            if type(source) is list:
                return [value(each) for each in source]
            return self._values[source.name] if type(source) is _Kept else made[source]

        for node, sources in self._steps:
            outs = _run(node, [value(source) for source in sources])
            made.update({(node, place): out for place, out in enumerate(outs)})
        for node, _ in self._steps:
            for name, source in self._arguments.sources_of(node):
                if source is not None:
                    found[name] = made[source]
        found.update({head.removeprefix("grad of "): made[place] for head, place in self._roots})
        return found

    def _leaf_values(self, leaves: Mapping[str, ArrayLike]) -> dict:
        named = {self._arguments.leaf_name(leaf): leaf for leaf in self._arguments.all_leaves()}
        unknown = [name for name in leaves if name not in named]
        if unknown:
            raise NotFoundError(f"The tape has no leaf {unknown[0]!r}; it has {', '.join(named)}.")
        known = {leaf: self._values[name] for name, leaf in self._arguments.leaf_of.items()}
        known.update({named[name]: array for name, array in leaves.items()})
        lacking = [name for name, leaf in named.items() if leaf not in known]
        if lacking:
            raise NotFoundError(
                f"Backward does not need the value of {', '.join(lacking)}, so the tape does "
                "not have it: pass it."
            )
        return {(leaf, 0): array for leaf, array in known.items()}


def _labels(name: str, width: int | None) -> list[str]:
    return [name] if width is None else [f"{name}{place}" for place in range(width)]


def _run(node, operands: list) -> list:
    """Return the outputs of a node's op, hidden ones at the end."""
    if isinstance(node.op, JaxOp):
        return jax.tree.leaves(node.op.forward(*operands))
    out = kernels.forward_kernel(node.op, node.attrs, True)(*operands, *node.scalars)
    return list(out) if isinstance(out, (tuple, list)) else [out]
