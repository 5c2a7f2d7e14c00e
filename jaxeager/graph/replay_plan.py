"""Plan: a graph as a few executables; see Note [Compiled backward] of replay.py.

A plan consists of steps, one per node. Steps whose VJP kernels may be compiled together are put
into segments; the others, and leaves, run separately in between.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, final

import jax
import jax.numpy as jnp

from jaxeager.errors import JaxEagerError
from jaxeager.graph import engine
from jaxeager.graph.grad_tensor_holder import add_arrays
from jaxeager.graph.journal import Journal
from jaxeager.kernels import executables
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.tracing import (
    FAILURES,  # pyright: ignore[reportUnknownVariableType]  # JAX's error has no type
    jit,
    on_first_wrap,
)

if TYPE_CHECKING:
    from jaxeager.graph.meta import Edge
    from jaxeager.graph.types import Kind, Node

    Kernel: TypeAlias = Callable[..., Any]
    Numbers: TypeAlias = tuple[int, ...]
    Wiring: TypeAlias = tuple[
        tuple[Any, tuple[Numbers, ...], tuple[int | None, ...], tuple[Kind, ...]], ...
    ]
    SayFailed: TypeAlias = Callable[[Exception], object]

SEGMENT = 50  # nodes
_MOST_KERNELS = 1024  # of segments that are kept


def kernel_of(node: Node) -> Kernel | None:
    """Return the VJP kernel of a node that may be compiled with others; None for another node."""
    find = getattr(node.op, "vjp_kernel", None)
    if find is None or node.hooks is not None:
        return None
    return find(node)


def kinds_of(node: Node) -> tuple[Kind, ...]:
    """Return shape and dtype of a node's gradients, for the zeros that replace missing ones."""
    return tuple([(each.shape, each.dtype) for each in getattr(node, "out_avals", ())])


@final
class Step(NamedTuple):
    """One node of a plan.

    Attributes:
        node: its number.
        kernel: its VJP kernel; None when it runs separately.
        taken: per output of the forward op, the numbers of the gradients that are added there.
        given: per edge the number of its gradient; None without an edge.
        kinds: shape and dtype of the taken gradients.
    """

    node: int
    kernel: Kernel | None
    taken: tuple[Numbers, ...]
    given: tuple[int | None, ...]
    kinds: tuple[Kind, ...]


class _Planner(engine.Run):
    """A run of the engine on numbers: gradients are numbered, and those to be added are listed."""

    def __init__(self, tasks: dict[Node, engine.Task], numbers: dict[Node, int], count: int):
        super().__init__(tasks, retain_graph=True, is_observed=True)
        self.numbers, self.count = numbers, count
        self.steps: list[Step] = []

    def deliver(self, task: engine.Task, edge: Edge, grad: int | None) -> None:
        if task.holder is None:
            task.holder = [()] * task.node.width
        task.holder[edge.slot + edge.rank] += (grad,)

    def note_meeting(self, edge: Edge) -> None:
        """Do nothing: no tool needs this."""

    def visit(self, node: Node, grads: list[Numbers]) -> list[int | None]:
        given: list[int | None] = [None] * len(node.edges)
        for place, edge in enumerate(node.edges):
            if edge is not None:
                given[place] = self.count
                self.count += 1
        kernel = None if node.is_leaf else kernel_of(node)
        kinds = () if kernel is None else kinds_of(node)
        self.steps.append(Step(self.numbers[node], kernel, tuple(grads), tuple(given), kinds))
        return given

    def hand_on(self, node: Node, edge: Edge, grad: int | None, task: engine.Task) -> None:
        self.deliver(task, edge, grad)


@final
class Segment(NamedTuple):
    """Steps that run as one executable.

    Attributes:
        steps: the steps.
        taken: the numbers of the gradients from outside.
        given: the numbers of the gradients needed outside.
        kernel: the jitted function of (gradients taken, saved arrays of the nodes).
    """

    steps: list[Step]
    taken: list[int]
    given: list[int]
    kernel: Kernel


class Plan:
    """The stages of a graph: see Note [Compiled backward].

    Attributes:
        stages: Segments, and Steps that run separately, in order.
        dropped: per stage the numbers of gradients without later use.
        count: the number of gradients.
        is_ready: whether the segments are compiled.
    """

    def __init__(self, roots: list[tuple[Edge, Any]], nodes: list[Node]):
        numbers = {node: number for number, node in enumerate(nodes)}
        tasks = engine.count_in_degrees([edge.node for edge, _ in roots])
        planner = _Planner(tasks, numbers, len(roots))
        planner.go([(edge, number) for number, (edge, _) in enumerate(roots)], None)
        self.stages = _stages_of(planner.steps)
        self.dropped = _dropped_after(self.stages)
        self.count = planner.count
        self.is_ready = False

    def run(
        self,
        nodes: list[Node],
        grads: list[jax.Array],
        retain_graph: bool,
        journal: Journal,
        say_failed: SayFailed,
    ) -> int:
        """Run a graph of this plan's key, and return the number of executables called.

        Args:
            nodes: its nodes, in the order of reading.
            grads: the gradients of the roots.
            retain_graph: keep the saved tensors of the nodes.
            journal: records the changes, to undo them after an error.
            say_failed: called with the error of a segment, which then runs node by node.
        """
        values: list[Any] = [*grads, *[None] * (self.count - len(grads))]
        is_sure = True  # that there is no hook and no missing gradient
        called = 0
        for stage, dropped in zip(self.stages, self.dropped, strict=True):
            if type(stage) is Step:
                is_sure = is_sure and stage.given == () and nodes[stage.node].hooks is None
                _run_step(stage, nodes, values, retain_graph, journal)
            elif (is_sure or _is_usual(stage, nodes, values)) and _run_segment(
                stage, nodes, values, retain_graph, say_failed
            ):
                called += 1
            else:
                for step in stage.steps:
                    _run_step(step, nodes, values, retain_graph, journal)
            for number in dropped:
                values[number] = None
        return called

    def compile(self, grads: list[Any], saved: list[list[Any]]) -> None:
        """Compile the segments.

        Args:
            grads: the roots' gradients, as ``jax.ShapeDtypeStruct``.
            saved: per segment and step the same of the node's saved arrays.
        """
        known = dict(enumerate(grads))
        segments = [stage for stage in self.stages if type(stage) is Segment]
        for segment, arrays in zip(segments, saved, strict=True):
            taken = [
                known[number] if number in known else _taken_as(segment, number)
                for number in segment.taken
            ]
            given = executables.ahead(  # pyright: ignore[reportUnknownMemberType]  # untyped
                segment.kernel, taken, arrays
            )
            known.update(zip(segment.given, given or (), strict=False))
        self.is_ready = True


def _stages_of(steps: list[Step]) -> list[Step | Segment]:
    """Cut steps into segments, with the separate steps in between."""
    needed_by: dict[int, list[int]] = {}
    for place, step in enumerate(steps):
        for number in (number for met in step.taken for number in met):
            needed_by.setdefault(number, []).append(place)
    stages: list[Step | Segment] = []
    run: list[int] = []  # indices of steps with only leaves in between

    def close() -> None:
        compiled = [place for place in run if steps[place].kernel is not None]
        parts = max(1, len(compiled) // SEGMENT)
        bounds = [len(compiled) * part // parts for part in range(parts + 1)]
        leaves = iter([place for place in run if steps[place].kernel is None])
        leaf = next(leaves, None)
        for first, end in itertools.pairwise(bounds):
            part = compiled[first:end]
            if part:
                stages.append(_segment([steps[place] for place in part], set(part), needed_by))
            while leaf is not None and (end == len(compiled) or leaf < compiled[end]):
                stages.append(steps[leaf])
                leaf = next(leaves, None)
        run.clear()

    for place, step in enumerate(steps):
        if step.kernel is not None or step.given == ():
            run.append(place)
        else:
            close()
            stages.append(step)
    close()
    return stages


def _segment(steps: list[Step], places: set[int], needed_by: dict[int, list[int]]) -> Segment:
    """Make the Segment of steps, whose indices are ``places``."""
    made = [number for step in steps for number in step.given if number is not None]
    inside = set(made)
    met = [number for step in steps for each in step.taken for number in each]
    taken = list(dict.fromkeys(number for number in met if number not in inside))
    given = [number for number in made if not places.issuperset(needed_by[number])]
    return Segment(steps, taken, given, _kernel_for(steps, taken, given))


def _dropped_after(stages: list[Step | Segment]) -> list[list[int]]:
    """Return per stage the numbers of gradients that no later stage takes."""
    dropped: list[list[int]] = []
    later: set[int] = set()
    for stage in reversed(stages):
        taken = stage.taken if type(stage) is Segment else sum(stage.taken, ())
        dropped.append([number for number in taken if number not in later])
        later.update(taken)
    return dropped[::-1]


def _taken_as(segment: Segment, number: int) -> jax.ShapeDtypeStruct:
    """Return the struct of a gradient that a separate node passes to a segment."""
    for step in segment.steps:
        for kind, met in zip(step.kinds, step.taken, strict=True):
            if number in met:
                return jax.ShapeDtypeStruct(*kind)
    raise KeyError(number)


# ---- the kernels of segments

_kernels: dict[tuple[Any, ...], Kernel] = {}  # equal segments share one: layers repeat
on_first_wrap.append(_kernels.clear)


def _kernel_for(steps: list[Step], taken: list[int], given: list[int]) -> Kernel:
    """Return the jitted function of a segment."""
    local: dict[int | None, int | None] = {None: None}
    for number in taken:
        local[number] = len(local) - 1
    wiring: list[Any] = []
    for step in steps:
        for number in step.given:
            local.setdefault(number, len(local) - 1)
        met = tuple([tuple([local[number] for number in each]) for each in step.taken])
        wiring.append((step.kernel, met, tuple([local[n] for n in step.given]), step.kinds))
    key = (tuple(wiring), len(taken), tuple([local[number] for number in given]))
    kernel = _kernels.get(key)
    if kernel is None:
        if len(_kernels) >= _MOST_KERNELS:
            _kernels.clear()
        kernel = _kernels[key] = jit(_rule(*key), origin=_origin_of(*key))
    return kernel


def _rule(wiring: Wiring, n_taken: int, given: tuple[int | None, ...]) -> Kernel:
    """Return the function of (gradients taken, saved arrays of the nodes) of a segment."""

    def backward_segment(taken: list[Any], saved: list[list[Any]]) -> list[Any]:
        values: dict[int | None, Any] = dict(enumerate(taken))
        for (kernel, met, results, kinds), arrays in zip(wiring, saved, strict=True):
            grads = [
                _sum([values[number] for number in each])
                if each
                else jnp.zeros(  # pyright: ignore[reportUnknownMemberType]  # a type of JAX
                    *kind
                )
                for each, kind in zip(met, kinds, strict=True)
            ]
            values.update(zip(results, kernel(*arrays, *grads), strict=True))
        return [values[number] for number in given]

    return backward_segment


def _origin_of(wiring: Wiring, n_taken: int, given: tuple[int | None, ...]) -> Origin | None:
    """Return the origin of a segment; None when one of its kernels has no origin."""
    identities: list[Any] = []
    for kernel, *rest in wiring:
        if kernel.origin is None:
            return None
        identities.append((kernel.origin.what, *rest))
    return Origin(("backward segment", tuple(identities), n_taken, given))


def _sum(grads: Sequence[jax.Array]) -> jax.Array:
    """Return the sum of gradients in their order of delivery."""
    total = grads[0]
    for grad in grads[1:]:
        total = add_arrays(total, grad)
    return total


# ---- running


def _run_segment(
    segment: Segment,
    nodes: list[Node],
    values: list[Any],
    retain_graph: bool,
    say_failed: SayFailed,
) -> bool:
    """Run a segment; return whether it succeeded."""
    saved = [saved_by(nodes[step.node]) for step in segment.steps]
    try:
        results = segment.kernel([values[number] for number in segment.taken], saved)
    except (
        JaxEagerError,
        ValueError,
        *FAILURES,
    ) as error:  # pyright: ignore[reportUnknownVariableType]  # JAX's has no type
        say_failed(error)  # pyright: ignore[reportUnknownArgumentType]  # JAX's has no type
        return False
    for number, grad in zip(segment.given, results, strict=True):
        values[number] = grad
    if not retain_graph:
        for step in segment.steps:
            node = nodes[step.node]
            node.released = True
            node.saved = node.scalars = ()  # pyright: ignore[reportAttributeAccessIssue]  # no leaf
    return True


def saved_by(node: Node) -> list[Any]:
    """Return the arrays that the VJP kernel of a node takes before the gradients."""
    if node.released:  # by another thread
        engine.refuse_released(node)
    try:
        return node.op.saved_arrays(node)
    except BaseException as error:
        engine.add_node_note(error, node)
        raise


def _is_usual(segment: Segment, nodes: list[Node], values: list[Any]) -> bool:
    """Return whether every gradient is there and no node has hooks."""
    return all(values[number] is not None for number in segment.taken) and all(
        nodes[step.node].hooks is None for step in segment.steps
    )


def _run_step(
    step: Step, nodes: list[Node], values: list[Any], retain_graph: bool, journal: Journal
) -> None:
    """Run one node separately, as the engine does."""
    node = nodes[step.node]
    met = [[values[number] for number in each] for each in step.taken]
    arrived = [[grad for grad in each if grad is not None] for each in met]
    if not any(arrived):
        if not retain_graph:
            node.release()
        return
    try:
        grads = [_sum(each) if each else None for each in arrived]
        results = engine.run_node(node, grads, retain_graph, journal)
    except BaseException as error:
        engine.add_node_note(error, node)
        raise
    for number, grad in zip(step.given, results, strict=True):
        if number is not None:
            values[number] = grad
