"""Events: the one protocol by which tools look on at ops and at the graph.

Note [Events]
    A tool is an ``Observer``: it overrides the events it wants and is put in force by ``observe``.
    For every event this module has an attribute of the event's name: None while no tool wants it,
    else one function that tells all that do. Whoever emits asks for None. A call of an op does not
    even do that: it asks whether anything looks on at all (ops/call/looking.py, Note [Looking on]).
    A backward then tells of every step (graph/engine.py, Note [One drain]).

    There are two kinds of op events. ``kernel_ran`` and ``op_ran`` are cheap. The events of a
    ``Call`` follow it through the five stages, which costs about 4 us more: every call then
    goes the path with loops (ops/call/path.py). Cheaper still, and no event: ``take_stack`` gives
    new nodes their ``stack``.

    What the package runs for itself (views read again, a tool's own arithmetic) is not shown:
    ``silent`` says so. An observer that raises stops the op or the backward it was told of.
"""

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from jaxeager.graph.mode import grad_mode

OPS = ("kernel_ran", "op_ran", "op_failed")
STAGES = (
    "call_began", "operands_ready", "kernel_found", "kernel_finished", "node_made", "call_ended",
    "call_failed",
)  # fmt: skip
LAYERS = ("layer_called", "layer_began", "layer_ended", "layer_failed")
GRAPH = (
    "backward_began", "backward_ended", "node_began", "gradients_met", "node_ended", "node_ran",
    "node_failed", "gradient_passed", "gradient_shown", "hook_began", "hook_ended",
)  # fmt: skip
OTHERS = (
    "leaf_made", "node_recorded", "vjp_ran", "step_began", "step_ended", "value_read",
    "value_written", "value_refused", "value_detached", "op_wrote", "array_made", "nn_layer_began",
    "nn_layer_ended", "composite_casts", "update_began", "update_ended",
)  # fmt: skip
EVENTS = OPS + STAGES + LAYERS + GRAPH + OTHERS
RUNS = ("backward_began", "backward_ended")  # of a backward as a whole, not of its nodes
# What ends something: every observer is told, also after one has raised, so that none waits for it.
ENDS = (
    "op_failed", "call_failed", "layer_ended", "layer_failed", "backward_ended", "node_failed",
    "nn_layer_ended", "update_ended",
)  # fmt: skip


class Call:
    """One call of an op on its way through the stages of ops/call/path.py.

    Attributes:
        row: the op: an OpRow, or a ``Source`` of a function that only makes a tensor.
        operands: what it was called with; after ``operands_ready`` what it computes with.
        attrs: its static attributes, in the row's order.
        scalars: its run-time scalars; 0-D arrays after ``operands_ready``.
        is_inplace: whether the result is written into the first operand.
        arrays: the operands' arrays, from ``operands_ready`` on.
        is_recorded: whether a GradNode will be made, from ``operands_ready`` on.
        kernel: the jitted function, from ``kernel_found`` on; None for a source.
        is_compiled: whether this call compiled it, from ``kernel_finished`` on.
        results: the output arrays, hidden ones included, from ``kernel_finished`` on.
        node: the GradNode, or None.
        outputs: the Tensors the call returns, from ``call_ended`` on.
        notes: for observers: whatever one wants to find again at a later stage.
    """

    __slots__ = (
        "arrays", "attrs", "is_compiled", "is_inplace", "is_recorded", "kernel", "node", "notes",
        "operands", "outputs", "results", "row", "scalars",
    )  # fmt: skip

    def __init__(self, row, operands: tuple, attrs: tuple, scalars: tuple, is_inplace: bool):
        self.row = row
        self.operands = operands
        self.attrs = attrs
        self.scalars = scalars
        self.is_inplace = is_inplace
        self.arrays: list = []
        self.is_recorded = self.is_compiled = False
        self.kernel: Any = None
        self.results: tuple = ()
        self.node: Any = None
        self.outputs: tuple = ()
        self.notes: dict = {}


class Backward:
    """One run of the engine.

    Attributes:
        kind: "backward" or "grad" (also ``backward(create_graph=True)``).
        roots: pairs of Edge and gradient array.
        retain_graph, create_graph: as it was called.
        tasks: node to its Task, as the engine counts.
        targets: the edges whose gradients ``grad`` is asked for; None when leaves are added to.
    """

    __slots__ = ("create_graph", "kind", "notes", "retain_graph", "roots", "targets", "tasks")

    def __init__(self, kind, roots, tasks, retain_graph, create_graph=False, targets=None):
        self.kind = kind
        self.roots = roots
        self.tasks = tasks
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.targets = targets
        self.notes: dict = {}


class Observer:
    """What a tool may override. Gradients are jax.Arrays here, None where there is none."""

    # ---- ops, cheap

    def kernel_ran(self, row, operands: tuple, attrs: tuple, arrays: tuple, is_inplace: bool):
        """The kernel of an op was called: ``arrays`` are its visible outputs.

        Nothing has been made of them or written yet, so raising leaves everything as it was.
        """

    def op_ran(self, row, operands: tuple, attrs: tuple, outputs: tuple, node, is_inplace: bool):
        """An op has run: ``outputs`` are Tensors, ``node`` its GradNode or None."""

    def op_failed(self, row, is_inplace: bool, error: BaseException):
        """The kernel of an op has refused its operands, and the call is about to raise."""

    # ---- ops, stage by stage

    def call_began(self, call: Call):
        """An op was called; nothing has been looked at yet."""

    def operands_ready(self, call: Call):
        """Operands are cast and promoted, whether it is recorded is known."""

    def kernel_found(self, call: Call):
        """The kernel is there, and about to run."""

    def kernel_finished(self, call: Call):
        """The kernel was called (the device may still be at it)."""

    def node_made(self, call: Call):
        """The GradNode of the call, ``call.node``, was made and its edges are in place."""

    def call_ended(self, call: Call):
        """The call is about to return ``call.outputs``."""

    def call_failed(self, call: Call, error: BaseException):
        """The call is about to raise."""

    # ---- PyLayers

    def layer_called(self, layer: type, args: tuple, kwargs: dict, node):
        """``apply`` of a PyLayer was called with these arguments; ``layer_began`` follows."""

    def layer_began(self, layer: type, inputs: list, node):
        """``apply`` of a PyLayer was called on these Tensors; ``node`` is None when unrecorded."""

    def layer_ended(self, layer: type, inputs: list, outputs: list, node):
        """``apply`` is about to return these Tensors, made by ``node`` (None: not recorded)."""

    def layer_failed(self, layer: type, error: BaseException):
        """``apply`` is about to raise."""

    # ---- nn.Layers

    def nn_layer_began(self, layer):
        """An ``nn.Layer`` was called; its hooks and ``forward`` are about to run."""

    def nn_layer_ended(self, layer):
        """Its call has ended, well or not."""

    # ---- the graph

    def backward_began(self, run: Backward):
        """A backward has counted its nodes and is about to run the first."""

    def backward_ended(self, run: Backward, error: BaseException | None):
        """A backward has ended, well or not."""

    def node_began(self, node, grads: list):
        """A node is about to run on what has arrived, before its hooks; leaves too."""

    def gradients_met(self, node, grads: list, positions: set):
        """What arrived at these outputs of a node that is about to run was added up, by no op."""

    def node_ended(self, node, grads: list, results):
        """A node has run: ``results`` has a gradient or None per edge.

        It is empty for a leaf, and for a node that ``grad`` ends at and that does not run.
        """

    def node_ran(self, node, saved: tuple, grads: list, results):
        """The same, after ``node_ended``, with what the node had saved and may have let go.

        Of a leaf that is the gradient it has added to, when there was one.
        """

    def node_failed(self, node, error: BaseException):
        """A node, or a hook of it, has raised."""

    def gradient_passed(self, node, edge, grad, is_first: bool, waiting: int):
        """A node's gradient (None: there is none) went along an edge.

        ``is_first``: it was the first to arrive at that place; ``waiting``: how many edges still
        have to deliver to the edge's node.
        """

    def gradient_shown(self, node, position: int, tensor, found):
        """The user is about to see the gradient of an output of a node, as this Tensor.

        A hook or ``PyLayer.backward`` is given it, or ``grad`` returns it; a leaf's ``grad`` has no
        event of its own.
        ``found`` is the Tensor the engine had: the same one, another, or None for zeros.
        """

    def hook_began(self, node, position: int, hook: Callable, grad):
        """A hook on the gradient of an output of a node is about to be called."""

    def hook_ended(self, node, position: int, hook: Callable, before, after):
        """It has returned; ``after`` is the gradient that goes on."""

    # ---- tensors

    def leaf_made(self, meta):
        """A tensor was made, or told, to want a gradient as a leaf: its AutogradMeta."""

    def value_written(self, op: str, tensor, array):
        """``set_value`` or ``copy_`` is about to give a tensor an array."""

    def value_detached(self, tensor, made):
        """``detach`` of a tensor has made another; ``detach_`` gives the tensor itself twice."""

    def array_made(self, array):
        """``to_tensor`` has made an array of a user's data."""

    def value_refused(self, error: BaseException):
        """An index or a number was out of range, so the op that is asked for will not be called."""

    def op_wrote(self, row, tensor):
        """An op has written into this tensor in place; it has its new version."""

    def value_read(self, tensor):
        """The value of a tensor is about to be copied to the host: ``numpy()``, ``item()``, ...

        None: the whole device is about to be waited for, ``device.synchronize``.
        """

    # ---- mixed precision

    def composite_casts(self, policy, name: str, operands: list[str], target):
        """These operands of "linear", ops that Paddle casts for as one, are about to be cast."""

    # ---- optimizers

    def update_began(self, rule):
        """An optimizer is about to do all that a step takes: clip, find its kernel, run it."""

    def update_ended(self, rule, params: list):
        """What ``update_began`` told of is over, whether or not it changed anything."""

    def step_began(self, rule, params: list):
        """An optimizer is about to update parameters by a rule; as ``step_ended``, of no other."""

    def step_ended(self, rule, params: list, state):
        """An optimizer has updated parameters by a rule; ``state`` has their accumulators.

        A step that found infinite gradients, and so changed nothing, is not told of.
        """

    # ---- nodes beside those of ops and PyLayers

    def node_recorded(self, node):
        """A node was recorded by no call that is told of: that of a constant."""

    def vjp_ran(self, node, results: list, made):
        """The VJP of a node ran as an op of its own, whose node is ``made`` (None: not recorded).

        ``results`` are the Tensors it made, one per wanted gradient.
        """


_observers: list[Observer] = []
_lock = threading.RLock()
_changed: list[Callable] = []  # called after the observers have changed
_is_refreshing = False
_changing = 0  # how many blocks of ``at_once`` there are, one in another

kernel_ran: Callable | None = None
op_ran: Callable | None = None
op_failed: Callable | None = None
call_began: Callable | None = None
operands_ready: Callable | None = None
kernel_found: Callable | None = None
kernel_finished: Callable | None = None
node_made: Callable | None = None
call_ended: Callable | None = None
call_failed: Callable | None = None
layer_called: Callable | None = None
layer_began: Callable | None = None
layer_ended: Callable | None = None
layer_failed: Callable | None = None
backward_began: Callable | None = None
backward_ended: Callable | None = None
node_began: Callable | None = None
gradients_met: Callable | None = None
node_ended: Callable | None = None
node_ran: Callable | None = None
node_failed: Callable | None = None
gradient_passed: Callable | None = None
gradient_shown: Callable | None = None
hook_began: Callable | None = None
hook_ended: Callable | None = None
leaf_made: Callable | None = None
value_written: Callable | None = None
value_detached: Callable | None = None
value_read: Callable | None = None
value_refused: Callable | None = None
composite_casts: Callable | None = None
array_made: Callable | None = None
nn_layer_began: Callable | None = None
nn_layer_ended: Callable | None = None
update_began: Callable | None = None
update_ended: Callable | None = None
step_began: Callable | None = None
step_ended: Callable | None = None
node_recorded: Callable | None = None
vjp_ran: Callable | None = None
op_wrote: Callable | None = None
take_stack: Callable | None = None  # gives every node of an op its ``stack``: no event, see above

has_ops = False  # whether any tool wants to know of ops
has_stages = False  # whether any wants a Call
has_graph = False  # whether any wants to know of backward
has_nodes = False  # whether any wants to know of what its nodes do
has_layers = False  # whether any wants to know of PyLayers


def tell(event: Callable | None, *what) -> None:
    """Tell tools of an event, one of this module's functions, when one wants it."""
    if event is not None:
        event(*what)


def observe(observer: Observer, first: bool = False) -> None:
    """Put an observer in force, in every thread.

    Args:
        observer: told of the events its class overrides.
        first: told before those that are there (naming, which the others rely on).
    """
    with _lock:
        _observers.insert(0, observer) if first else _observers.append(observer)
        _refresh()


def unobserve(observer: Observer) -> None:
    """Take back one ``observe`` of the same object; nothing happens when there was none."""
    with _lock:
        for position, each in enumerate(_observers):
            if each is observer:
                del _observers[position]
                break
        _refresh()


def try_unobserve(observer: Observer) -> bool:
    """Do ``unobserve`` unless observers are just being changed; says whether it did.

    It waits for nothing, so the garbage collector may call it in the middle of anything.
    """
    if _is_refreshing or not _lock.acquire(blocking=False):
        return False
    try:
        unobserve(observer)
    finally:
        _lock.release()
    return True


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """Have the observers that a block puts in force, or take back, change together at its end."""
    global _changing
    with _lock:
        _changing += 1
        try:
            yield
        finally:
            _changing -= 1
            _refresh()


@contextlib.contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Have an observer in force for a block."""
    observe(observer)
    try:
        yield
    finally:
        unobserve(observer)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Show no observer what this thread runs in a block."""
    before = grad_mode.silent
    grad_mode.silent = True
    try:
        yield
    finally:
        grad_mode.silent = before


def set_take_stack(function: Callable | None) -> None:
    """Have every node that is recorded from now on given what a function of nothing returns.

    Args:
        function: it is called where the node is made, whether that is shown or silent; None: no
            node is given anything.
    """
    global take_stack
    with _lock:
        take_stack = function
        _refresh()


def in_force() -> tuple[Observer, ...]:
    """Return the observers that are told, in their order."""
    return tuple(_observers)


def on_change(function: Callable) -> None:
    """Have a function of nothing called whenever the observers have changed."""
    _changed.append(function)


def _refresh() -> None:
    """Make the module's functions anew from the observers in force."""
    if _changing:
        return
    scope = globals()
    scope["_is_refreshing"] = True
    try:
        _compose_all(scope)
        for function in _changed:
            function()
    finally:
        scope["_is_refreshing"] = False


def _compose_all(scope: dict) -> None:
    """Make the functions that tell of events, and says which kinds are wanted."""
    listeners = {event: [] for event in EVENTS}
    for each in _observers:
        for event in _wanted(type(each)):
            listeners[event].append(getattr(each, event))
    for event, functions in listeners.items():
        scope[event] = _composed(functions, event in ENDS)
    scope["has_ops"] = any(scope[event] is not None for event in OPS + STAGES)
    scope["has_stages"] = any(scope[event] is not None for event in STAGES)
    scope["has_graph"] = any(scope[event] is not None for event in GRAPH)
    scope["has_nodes"] = any(scope[event] is not None for event in GRAPH if event not in RUNS)
    scope["has_layers"] = any(scope[event] is not None for event in LAYERS)


@functools.lru_cache(1024)
def _wanted(kind: type) -> list[str]:
    """Return the events that a class of observers overrides."""
    return [event for event in EVENTS if getattr(kind, event) is not getattr(Observer, event)]


def _composed(listeners: list[Callable], is_end: bool) -> Callable | None:
    """Return one function that calls them all in order: itself where there is only one."""
    if len(listeners) < 2:
        return listeners[0] if listeners else None

    def tell_all(*arguments):
        raised = None
        for listener in listeners:
            try:
                listener(*arguments)
            except BaseException as error:
                raised = raised or error
        if raised is not None:
            raise raised

    def tell_each(*arguments):
        for listener in listeners:
            listener(*arguments)

    return tell_all if is_end else tell_each
