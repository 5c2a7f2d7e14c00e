"""Compiled backward: a repeated graph runs as a few executables, not node by node.

Note [Compiled backward]
    A backward of many small nodes takes the time of its calls of XLA: 5 us each, whatever they
    compute. A training loop runs the same graph repeatedly. So the graph is read into a key: the
    VJP kernel of each node, and the targets of its edges. The first backward with a key runs node
    by node. At the second one a ``Plan`` is made, by the engine's own drain on numbers instead of
    gradients: it has the order of the nodes and the sums of gradients. Its steps are cut into
    segments of some ``SEGMENT`` nodes, because XLA takes more than twice as long for twice as many
    nodes. A segment is traced from the nodes' own VJP kernels and sums, in the same order; XLA's
    fusions may differ in the last bits from a run node by node.

    Segments are compiled in another thread while backward continues node by node, and used once
    they are ready. With ``wait`` they are used from the second backward on, so that every run of a
    program has the same numbers. They may be loaded from files as other kernels are
    (kernels/executables.py).

    Steps that need Python run separately between segments: a node with hooks, a PyLayer, a user's
    op, a leaf. If such a node returns no gradient (None), or registers a hook further on, the
    affected segments run node by node. So does a segment that fails: the error then names its node.
    While a tool observes the graph, or JAX traces, everything runs node by node, with one warning.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from jaxeager.core import user_lines
from jaxeager.graph import engine, events
from jaxeager.graph.journal import Journal
from jaxeager.graph.mode import read_compiled_backward
from jaxeager.graph.replay_plan import Plan, Segment, kernel_of, kinds_of, saved_by
from jaxeager.kernels import executables
from jaxeager.kernels.lazy.pending import ready
from jaxeager.kernels.tracing import on_first_wrap

if TYPE_CHECKING:
    from jaxeager.graph.meta import Edge
    from jaxeager.graph.types import Node

_MOST_NODES = 20_000  # of a graph whose key is kept
_MOST_PLANS = 256


class Choice(NamedTuple):
    """The value that ``compiled_backward`` has set.

    Attributes:
        enable: whether backward may be compiled.
        wait: whether the second backward of a graph waits for its executables.
    """

    enable: bool
    wait: bool


class Counts(NamedTuple):
    """The numbers of backwards by way of running, while compiled backward was on.

    Attributes:
        replayed: run from executables.
        node_by_node: run node by node, because the graph was new, its executables were not ready,
            or a tool or JAX needed it.
        segments: executables that were called.
    """

    replayed: int
    node_by_node: int
    segments: int


_counts = {"replayed": 0, "node_by_node": 0, "segments": 0}


def counts() -> Counts:
    """Return the numbers of backwards by way of running since the process began.

    Example:
        >>> from jaxeager.graph import replay
        >>> replay.counts().replayed >= 0
        True
    """
    return Counts(**_counts)


of_all = Choice(False, False)
"""The values of the flags, used outside of ``compiled_backward`` blocks."""


def set_enabled(enable: bool) -> None:
    """Apply a new value of FLAGS_compiled_backward."""
    global of_all
    of_all = of_all._replace(enable=enable)


def set_waiting(wait: bool) -> None:
    """Apply a new value of FLAGS_compiled_backward_wait."""
    global of_all
    of_all = of_all._replace(wait=wait)


def run_backward(roots: list[tuple[Edge, Any]], retain_graph: bool = False) -> None:
    """Do the work of ``engine.run_backward``, from executables where possible."""
    roots = [(edge, ready(grad)) for edge, grad in roots]
    reason = _reason_against(roots)
    if reason is not None:
        _say_once(reason)
    nodes, key = _read(roots) if reason is None else ([], None)
    plan = None if key is None else _plan_of(key, roots, nodes)
    if plan is None:
        _counts["node_by_node"] += 1
        engine.run_backward(roots, retain_graph)
        return
    _counts["replayed"] += 1
    journal = Journal()
    grads = [grad for _, grad in roots]
    waiting = engine.count_final_hooks()
    try:
        called = plan.run(nodes, grads, retain_graph, journal, _say_failed)
    except BaseException:
        journal.roll_back()
        engine.drop_final_hooks(waiting)
        raise
    _counts["segments"] += called
    engine.run_final_hooks()


def _reason_against(roots: list[tuple[Edge, Any]]) -> str | None:
    """Return why a backward has to run node by node; None if it need not."""
    if events.has_graph:
        return "a tool observes the graph"
    if not all(type(grad) is executables.Array for _, grad in roots):
        return "JAX is tracing it"
    return None


_said: set[str] = set()


def _say_once(reason: str, error: Exception | None = None) -> None:
    """Warn, once per reason, that a backward is not compiled; show the first of its errors."""
    if reason in _said:
        return
    _said.add(reason)
    shown = "" if error is None else f" ({(str(error).splitlines() or [type(error).__name__])[0]})"
    user_lines.warn(f"Compiled backward: this backward runs node by node, because {reason}{shown}.")


def _say_failed(error: Exception) -> None:
    _say_once("a part of it failed", error)


# ---- the key of a graph


_BY_ITSELF = "by itself"  # a node that needs Python
_LEAF = "leaf"


def _read(roots: list[tuple[Edge, Any]]) -> tuple[list[Node], tuple[Hashable, ...] | None]:
    """Return the nodes upstream of the roots, and the key of the graph; None for too big a graph.

    The order is that of discovery, the same for every graph with the same key.

    Raises:
        FatalError: when a node was run and released.
    """
    nodes: list[Node] = []
    numbers: dict[Node, int] = {}
    key: list[Hashable] = []
    for edge, _ in roots:
        _note_edge(edge, nodes, numbers, key)
    for node in nodes:  # the list grows during the loop
        if node.is_leaf:
            key.append(_LEAF)
            continue
        if node.released:
            engine.refuse_released(node)
        key.append(kernel_of(node) or _BY_ITSELF)
        if node.width > 1:
            key.append(kinds_of(node))
        for edge in node.edges:
            if edge is None:
                key.append(None)
                continue
            target = edge.node  # the body of _note_edge, without a call
            number = numbers.get(target)
            if number is None:
                number = numbers[target] = len(nodes)
                nodes.append(target)
            key.append(number)
            if target.width > 1:
                key.append(edge.slot + edge.rank)
        if len(nodes) > _MOST_NODES:
            return nodes, None
    return nodes, tuple(key)


def _note_edge(
    edge: Edge, nodes: list[Node], numbers: dict[Node, int], key: list[Hashable]
) -> None:
    if edge.node not in numbers:
        numbers[edge.node] = len(nodes)
        nodes.append(edge.node)
    key += numbers[edge.node], edge.slot + edge.rank


# ---- plans of graphs

_SEEN_ONCE = None
_plans: dict[tuple[Hashable, ...], Plan | None] = {}
on_first_wrap.append(_plans.clear)
_lock = threading.Lock()
_compilers = ThreadPoolExecutor(1, "compiled backward")  # its thread starts with the first plan


def _plan_of(
    key: tuple[Hashable, ...], roots: list[tuple[Edge, Any]], nodes: list[Node]
) -> Plan | None:
    """Return the plan of a graph whose executables are ready; None to run it node by node."""
    with _lock:
        is_known = key in _plans
        plan = _plans.pop(key, _SEEN_ONCE)
        is_new = is_known and plan is None
        if is_new:
            plan = Plan(roots, nodes)
        _plans[key] = plan  # most recently used last
        if len(_plans) > _MOST_PLANS:
            del _plans[next(iter(_plans))]
    if plan is None:
        return None
    if is_new:
        _start(plan, roots, nodes)
    return plan if plan.is_ready else None


def _start(plan: Plan, roots: list[tuple[Edge, Any]], nodes: list[Node]) -> None:
    """Start the compilation of a plan's segments."""
    struct = executables.struct_of
    grads = [struct(grad) for _, grad in roots]
    saved = [
        [jax.tree.map(struct, saved_by(nodes[step.node])) for step in stage.steps]
        for stage in plan.stages
        if type(stage) is Segment
    ]
    if (read_compiled_backward() or of_all).wait:
        plan.is_ready = True  # compiled at their first call
    else:
        _compilers.submit(_compile, plan, grads, saved)


def _compile(plan: Plan, grads: list[Any], saved: list[Any]) -> None:
    try:
        plan.compile(grads, saved)
    except Exception as error:  # an error of XLA, in a thread that is not waited for
        _say_once("it could not be compiled", error)
