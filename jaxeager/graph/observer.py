"""Observer: the events of ops and of the graph that a tool can override; see Note [Events]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import jax

    from jaxeager.graph.engine import Task
    from jaxeager.graph.meta import AutogradMeta, Edge
    from jaxeager.graph.node import GradNode
    from jaxeager.graph.pylayer import GradNodePyLayer
    from jaxeager.graph.types import Arrays, Hook, Items, Node, Roots, Row, UpperTensor


class Call:
    """One call of an op as it passes through the stages of ops/call/path.py.

    Attributes:
        row: the op: an OpRow, or a ``Source`` of a function that only makes a tensor.
        operands: the given operands; after ``operands_ready``, those used for the computation.
        attrs: its static attributes, in the row's order.
        scalars: its run-time scalars; 0-D arrays after ``operands_ready``.
        is_inplace: whether the result is written into the first operand.
        arrays: the operands' arrays, from ``operands_ready`` on.
        is_recorded: whether a GradNode will be made, from ``operands_ready`` on.
        kernel: the jitted function, from ``kernel_found`` on; None for a source.
        is_compiled: whether this call compiled it, from ``kernel_finished`` on.
        results: the output arrays, hidden ones included, from ``kernel_finished`` on.
        node: the GradNode, or None.
        outputs: the Tensors that the call returns, from ``call_ended`` on.
        notes: data of observers, kept for their later stages.
    """

    __slots__ = (
        "arrays", "attrs", "is_compiled", "is_inplace", "is_recorded", "kernel", "node", "notes",
        "operands", "outputs", "results", "row", "scalars",
    )  # fmt: skip

    def __init__(self, row: Row, operands: Items, attrs: Items, scalars: Items, is_inplace: bool):
        self.row = row
        self.operands = operands
        self.attrs = attrs
        self.scalars = scalars
        self.is_inplace = is_inplace
        self.arrays: list[Any] = []
        self.is_recorded = self.is_compiled = False
        self.kernel: Callable[..., Any] | None = None
        self.results: Items = ()
        self.node: Any = None
        self.outputs: Items = ()
        self.notes: dict[Hashable, Any] = {}


class Backward:
    """One run of the engine.

    Attributes:
        kind: "backward" or "grad" (also ``backward(create_graph=True)``).
        roots: pairs of Edge and gradient array.
        retain_graph, create_graph: the arguments of the call.
        tasks: node to its Task, as the engine counts.
        targets: the edges whose gradients ``grad`` returns; None when leaves are added to.
    """

    __slots__ = ("create_graph", "kind", "notes", "retain_graph", "roots", "targets", "tasks")

    def __init__(
        self,
        kind: str,
        roots: Roots,
        tasks: dict[Node, Task],
        retain_graph: bool,
        create_graph: bool = False,
        targets: Sequence[Edge] | None = None,
    ):
        self.kind = kind
        self.roots = roots
        self.tasks = tasks
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.targets = targets
        self.notes: dict[Hashable, Any] = {}


class OpEvents:
    """Ops, cheap."""

    def kernel_ran(self, row: Row, operands: Items, attrs: Items, arrays: Items, is_inplace: bool):
        """Observe a call of an op's kernel: ``arrays`` are its visible outputs.

        No tensor has been made or written yet, so an exception leaves everything unchanged.
        """

    def op_ran(
        self,
        row: Row,
        operands: Items,
        attrs: Items,
        outputs: Items,
        node: GradNode | None,
        is_inplace: bool,
    ):
        """Observe an op that has run: ``outputs`` are Tensors, ``node`` its GradNode or None."""

    def op_failed(self, row: Row, is_inplace: bool, error: BaseException):
        """Observe an op whose kernel refused its operands; the call is about to raise."""


class StageEvents:
    """Ops, stage by stage."""

    def call_began(self, call: Call):
        """Observe a call of an op before any check of it."""

    def operands_ready(self, call: Call):
        """Observe operands that are cast and promoted; ``call.is_recorded`` is known."""

    def kernel_found(self, call: Call):
        """Observe a kernel that is about to run."""

    def kernel_finished(self, call: Call):
        """Observe a kernel that was called (the device may still compute).

        Other arrays of the same shapes and dtypes in ``call.results`` replace the results.
        """

    def node_made(self, call: Call):
        """Observe the new GradNode of the call, ``call.node``, with its edges."""

    def call_ended(self, call: Call):
        """Observe a call that is about to return ``call.outputs``."""

    def call_failed(self, call: Call, error: BaseException):
        """Observe a call that is about to raise."""


class LayerEvents:
    """PyLayers."""

    def layer_called(
        self, layer: type, args: Items, kwargs: dict[str, Any], node: GradNodePyLayer | None
    ):
        """Observe ``apply`` of a PyLayer with these arguments; ``layer_began`` follows."""

    def layer_began(self, layer: type, inputs: list[UpperTensor], node: GradNodePyLayer | None):
        """Observe ``apply`` of a PyLayer on these Tensors; ``node`` is None when unrecorded."""

    def layer_ended(
        self,
        layer: type,
        inputs: list[UpperTensor],
        outputs: list[UpperTensor],
        node: GradNodePyLayer | None,
    ):
        """Observe the Tensors that ``apply`` will return, made by ``node`` (None: not recorded)."""

    def layer_failed(self, layer: type, error: BaseException):
        """Observe ``apply`` of a PyLayer that is about to raise."""


class GraphEvents:
    """A backward, its nodes and hooks."""

    def backward_began(self, run: Backward):
        """Observe a backward that has counted its nodes and is about to run the first."""

    def backward_ended(self, run: Backward, error: BaseException | None):
        """Observe the end of a backward, successful or not."""

    def node_began(self, node: Node, grads: list[jax.Array | None]):
        """Observe a node, or leaf, that is about to run on its gradients, before its hooks."""

    def gradients_met(self, node: Node, grads: list[jax.Array | None], positions: set[int]):
        """Observe gradients that were added up, by no op, at these outputs of a node to run."""

    def node_ended(self, node: Node, grads: list[jax.Array | None], results: Arrays):
        """Observe a node that has run: ``results`` has a gradient or None per edge.

        It is empty for a leaf, and for a node where ``grad`` ends and that does not run.
        """

    def node_ran(self, node: Node, saved: Items, grads: list[jax.Array | None], results: Arrays):
        """Observe a node after ``node_ended``, with the tensors it saved and may have freed.

        For a leaf, that is the earlier gradient that it has added to, if any.
        """

    def node_failed(self, node: Node, error: BaseException):
        """Observe an exception of a node or of one of its hooks."""

    def gradient_passed(
        self, node: Node, edge: Edge, grad: jax.Array | None, is_first: bool, waiting: int
    ):
        """Observe a node's gradient (None: there is none) that was passed along an edge.

        ``is_first``: it was the first at that position; ``waiting``: the number of edges that still
        have to deliver to the edge's node.
        """

    def gradient_shown(self, node: Node, position: int, tensor: UpperTensor, found: UpperTensor):
        """Observe the gradient of an output of a node, as this Tensor, before the user sees it.

        It is passed to a hook or ``PyLayer.backward``, or returned by ``grad``; a leaf's ``grad``
        has no such event. ``found`` is the Tensor of the engine: the same one, another, or None for
        zeros.
        """

    def hook_began(self, node: Node, position: int, hook: Hook, grad: jax.Array):
        """Observe a hook on the gradient of an output of a node before its call."""

    def hook_ended(
        self, node: Node, position: int, hook: Hook, before: jax.Array, after: jax.Array | None
    ):
        """Observe the return of a hook; ``after`` is the gradient that is used from here on."""


class OtherEvents:
    """Tensors, nn.Layers, optimizers, and nodes other than those of ops and PyLayers."""

    def leaf_made(self, meta: AutogradMeta):
        """Observe a tensor that requires a gradient from now on as a leaf: its AutogradMeta."""

    def value_written(self, op: str, tensor: UpperTensor, array: jax.Array):
        """Observe a tensor to which ``set_value`` or ``copy_`` is about to assign an array."""

    def value_detached(self, tensor: UpperTensor, made: UpperTensor):
        """Observe a result of ``detach``; ``detach_`` passes the tensor itself twice."""

    def array_made(self, array: jax.Array):
        """Observe an array that ``to_tensor`` has made from a user's data."""

    def value_refused(self, error: BaseException):
        """Observe an index or a number out of range; the requested op will not be called."""

    def op_wrote(self, row: Row, tensor: UpperTensor):
        """Observe a tensor that an op has written in place; it has its new version."""

    def value_read(self, tensor: UpperTensor):
        """Observe a tensor whose value is about to be copied to the host: ``numpy()``, ``item()``.

        None means a wait for the whole device, ``device.synchronize``.
        """

    def nn_layer_began(self, layer: Any):
        """Observe a call of an ``nn.Layer``; its hooks and ``forward`` are about to run."""

    def nn_layer_ended(self, layer: Any):
        """Observe the end of the call of an ``nn.Layer``, successful or not."""

    def composite_casts(self, policy: Any, name: str, operands: list[str], target: Any):
        """Observe casts to come: of operands of "linear", ops that Paddle casts as one op."""

    def update_began(self, rule: Any):
        """Observe the beginning of an optimizer step: clip, find its kernel, run it."""

    def update_ended(self, rule: Any, params: list[UpperTensor]):
        """Observe the end of an ``update_began``, whether or not it changed anything."""

    def step_began(self, rule: Any, params: list[UpperTensor]):
        """Observe an optimizer about to update by a rule; not sent if it is skipped."""

    def step_ended(self, rule: Any, params: list[UpperTensor], state: Any):
        """Observe parameters that an optimizer has updated; ``state`` has their accumulators.

        A step that found infinite gradients, and so changed nothing, has no such event.
        """

    def node_recorded(self, node: GradNode):
        """Observe a node recorded without a call event: that of a constant."""

    def vjp_ran(self, node: Any, results: list[UpperTensor], made: GradNode | None):
        """Observe a node's VJP that ran as an op, whose node is ``made`` (None: not recorded).

        ``results`` are the Tensors it made, one per requested gradient.
        """


class RankEvents:
    """Calls between ranks: ``distributed.communication.pending_calls.Call``."""

    def rank_call_began(self, call: Any):
        """Observe a call between ranks that this rank joins now, in whichever thread makes it."""

    def rank_call_ended(self, call: Any, error: BaseException | None):
        """Observe the end of a call between ranks, successful or not."""

    def rank_wait_began(self, call: Any):
        """Observe the program begin to wait for a call between ranks, in the program's thread."""

    def rank_wait_ended(self, call: Any):
        """Observe the end of a ``rank_wait_began``, whether or not the call has succeeded."""

    def part_began(self, part: Any):
        """Observe the start of a part of a batch on this process's stage of a pipeline.

        It has a ``kind`` ("forward" or "backward"), ``stage``, ``stages`` and ``batch``.
        """

    def part_ended(self, part: Any):
        """Observe the end of a ``part_began``, also after an error."""


class Observer(OpEvents, StageEvents, LayerEvents, GraphEvents, OtherEvents, RankEvents):
    """The events that a tool may override. Gradients are jax.Arrays here, or None."""


def _events_of(group: type) -> tuple[str, ...]:
    return tuple([name for name in vars(group) if not name.startswith("_")])


OPS, STAGES, LAYERS, GRAPH = map(_events_of, (OpEvents, StageEvents, LayerEvents, GraphEvents))
EVENTS = OPS + STAGES + LAYERS + GRAPH + _events_of(OtherEvents) + _events_of(RankEvents)
RUNS = ("backward_began", "backward_ended")  # of a backward as a whole, not of its nodes
# Ends: every observer is notified, also after one has raised, so that none waits forever.
ENDS = (
    "op_failed", "call_failed", "layer_ended", "layer_failed", "backward_ended", "node_failed",
    "nn_layer_ended", "update_ended", "rank_call_ended", "rank_wait_ended",
    "part_ended",
)  # fmt: skip
