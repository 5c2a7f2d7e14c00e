"""The ledger of a backward: for each gradient that is a sum, the contribution of every edge.

Note [Norms]
    Only the Euclidean norm of a gradient is kept. It is computed on the gradient's device when it
    passes and read on request, so a backward waits for nothing and holds no gradient longer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import jax
import jax.numpy as jnp

from jaxeager.debug.common import naming
from jaxeager.debug.common.late_answers import read_together
from jaxeager.debug.gradients.nodes import title_of
from jaxeager.debug.stacks import stacks
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.errors import NotFoundError
from jaxeager.graph import events
from jaxeager.kernels.tracing import jit


class Part:
    """The contribution of one edge to a gradient.

    Attributes:
        source: the node it came from; None for the gradient a backward starts from, and for the
            ``grad`` that existed before.
        slot, rank: which input of the node it was added to.
        norm: its Euclidean norm.
    """

    __slots__ = ("_norm", "_what", "rank", "slot", "source")

    def __init__(self, source, slot: int, rank: int, what: str, norm: jax.Array):
        self.source, self.slot, self.rank, self._what, self._norm = source, slot, rank, what, norm

    @property
    def norm(self) -> float:
        """Return the Euclidean norm of the contribution."""
        return float(self._norm)

    @property
    def what(self) -> str:
        """Return its origin: a node, with its line if that is known."""
        return self._what if self.source is None else title_of(self.source)


class Accumulation:
    """A gradient and the contributions that were summed to it.

    Attributes:
        node: the node that received it.
        position: which output of that node.
        name: the tensor whose gradient it is, and the node.
        parts: a Part for each edge, in the order they were received.
    """

    __slots__ = ("_total", "name", "node", "parts", "position")

    def __init__(self, node, position: int, name: str):
        self.node, self.position, self.name = node, position, name
        self.parts: list[Part] = []
        self._total: jax.Array | None = None

    @property
    def norm(self) -> float:
        """Return the norm of the sum; NaN if its node never ran."""
        return float("nan") if self._total is None else float(self._total)

    @property
    def cancellation(self) -> float:
        """Return norm of the sum / sum of the norms: 1 if all are parallel, 0 for a zero sum.

        A small value means that this gradient is the remainder of large terms.
        """
        whole = sum(part.norm for part in self.parts)
        return self.norm / whole if whole else 1.0

    def __str__(self) -> str:
        head = f"{self.name}: norm {self.norm:.4g} of {len(self.parts)} parts"
        lines = [f"{head}, cancellation {self.cancellation:.2g}"]
        for part in self.parts:
            lines.append(f"  {part.norm:<10.4g} (slot {part.slot}, rank {part.rank}) {part.what}")
        return "\n".join(lines)


class Ledger(events.Observer):
    """The result of ``debug.ledger()``: the accumulations of the backwards in its block.

    Attributes:
        accumulations: all, including those with one part, in the order of their first parts.
    """

    def __init__(self):
        self.accumulations: list[Accumulation] = []
        self._open: dict[tuple, Accumulation] = {}
        self._outer: list[dict] = []  # the open accumulations of the enclosing backwards

    def __getitem__(self, name: str) -> Accumulation:
        """Return the last accumulation of a tensor's gradient, by the tensor's name.

        Raises:
            NotFoundError: when there is none.
        """
        for each in reversed(self.accumulations):
            if each.name.split(" ")[0] == name:
                return each
        known = ", ".join(each.name for each in self.accumulations)
        raise NotFoundError(f"The ledger has no gradient of {name!r}. It has: {known}.")

    def sums(self) -> list[Accumulation]:
        """Return the accumulations with several parts, the worst cancellation first."""
        several = [each for each in self.accumulations if len(each.parts) > 1]
        self._read(several)
        return sorted(several, key=lambda each: each.cancellation)

    def _read(self, wanted: list[Accumulation]) -> None:
        """Read the norms to the host, in few transfers."""
        parts = [p for each in wanted for p in each.parts if isinstance(p._norm, jax.Array)]
        sums = [each for each in wanted if isinstance(each._total, jax.Array)]
        values = iter(read_together([p._norm for p in parts] + [each._total for each in sums]))
        for part in parts:
            part._norm = next(values)
        for each in sums:
            each._total = next(values)

    def __str__(self) -> str:
        sums = self.sums()
        if not sums:
            return f"{len(self.accumulations)} gradients, none of them a sum."
        return "\n".join(map(str, sums))

    # ---- events

    def backward_began(self, run):
        self._outer.append(self._open)
        self._open = {}
        for edge, grad in run.roots:
            self._add(None, edge, grad, "where backward starts")

    def backward_ended(self, run, error):
        self._open = self._outer.pop()

    def gradient_passed(self, node, edge, grad, is_first, waiting):
        if grad is not None:
            self._add(node, edge, grad)

    def node_began(self, node, grads):
        for position, grad in enumerate(grads):
            found = self._open.get((node, position))
            if found is None or grad is None:
                continue
            if node.is_leaf and node.saved:
                (before,) = node.saved
                found.parts.append(Part(None, 0, 0, "the grad before backward", _norm(before)))
                found._total = _norm_of_sum(before, grad)
            else:
                found._total = _norm(grad)

    def _add(self, source, edge, grad, what: str = "") -> None:
        key = edge.node, edge.slot + edge.rank
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = Accumulation(*key, _name_of(edge))
            self.accumulations.append(found)
        found.parts.append(Part(source, edge.slot, edge.rank, what, _norm(grad)))


def _name_of(edge) -> str:
    """Return the tensor whose gradient flows along an edge, and the line that made it."""
    name = naming.edge_name(edge) or naming.node_name(edge.node)
    line = line_of_node(edge.node).short
    return f"{name} (made at {line})" if line else name


@jit
def _norm(array):
    wide = jnp.abs(array).astype(jax.dtypes.canonicalize_dtype(jnp.float64))
    return jnp.sqrt(jnp.sum(jnp.square(wide)))


@jit
def _norm_of_sum(a, b):
    return _norm(a + b)


@contextlib.contextmanager
def ledger() -> Iterator[Ledger]:
    """Record every edge's contribution to the gradients that a block's backwards sum.

    Printing it shows the sums, those with the worst cancellation first. Lines are known for nodes
    recorded with FLAGS_call_stack_level=3, or in the block.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> w = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
        >>> w.name = "w"
        >>> with debug.ledger() as book:
        ...     (w * 1000 - w * 999).sum().backward()
        >>> round(book["w"].norm, 3), [round(part.norm) for part in book["w"].parts]
        (1.414, [1414, 1413])
        >>> book["w"].cancellation < 0.001
        True
    """
    book = Ledger()
    naming.begin_use()
    stacks.begin_use()
    events.observe(book)
    try:
        yield book
    finally:
        events.unobserve(book)
        stacks.end_use()
        naming.end_use()
