"""A captured step: every call with its operands, every backward with its gradients.

Note [Captured steps]
    Arrays never change, so a step is captured by keeping references to its arrays: nothing is
    copied, and nothing waits for the device. A value is identified by its array: two tensors of
    one array have one value, whatever their names, and an array that is kept cannot be replaced
    by another one. Everything is freed with the CapturedStep.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxeager.debug.common import naming
from jaxeager.debug.stacks import stacks
from jaxeager.debug.stacks.lines import line_of_walked
from jaxeager.graph import events
from jaxeager.graph.mode import read_enabled

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.debug.stacks.types import Walked
    from jaxeager.graph.node import GradNode
    from jaxeager.graph.types import Node
    from jaxeager.tensor import Tensor


@dataclass(slots=True, eq=False)
class RecordedCall:
    """One call of an op, of a function of JAX or of a PyLayer.

    Attributes:
        row: the op; the class of a PyLayer.
        node: its GradNode, None when it was not recorded on the tape.
        operands: the operands of the call: Tensors, lists of them, None, arrays.
        arrays: the arrays of these, as they were before the call.
        stopped: for each operand whether gradients ended at it then; a list for a list.
        outputs: the arrays it made.
        attrs: its static attributes.
        was_recording: whether ops were being recorded, so not under ``no_grad``.
        given: (args, kwargs) of a PyLayer.
        walked: the stack of the call.
    """

    row: Any
    node: GradNode | None
    operands: tuple
    arrays: list
    stopped: list
    outputs: list
    attrs: tuple
    was_recording: bool
    walked: Walked
    given: tuple | None = None

    @property
    def name(self) -> str:
        """Return the name of the op or of the PyLayer."""
        return getattr(self.row, "name", None) or self.row.__name__

    @property
    def line(self) -> str:
        """Return the line of the call: "train.py:8"."""
        return line_of_walked(self.walked).short


@dataclass(slots=True)
class Happening:
    """An event of a tensor besides calls.

    Attributes:
        kind: "read", "detached" or "made" (from data of the host).
        arrays: the arrays concerned.
        at: the number of calls before it.
        walked: the stack of the event.
        source: the tensor concerned; None for "made".
    """

    kind: str
    arrays: tuple
    at: int
    walked: Walked
    source: Tensor | None = None

    @property
    def line(self) -> str:
        """Return the line of the event: "train.py:8"."""
        return line_of_walked(self.walked).short


@dataclass(slots=True)
class RecordedBackward:
    """One run of the engine.

    Attributes:
        roots: pairs of an Edge and its gradient.
        steps: for each node the gradients it received and its results, arrays or None.
    """

    roots: list
    steps: dict = field(default_factory=dict)


class CapturedStep(contextlib.AbstractContextManager):
    """The result of ``debug.capture_step()``: everything that ran in its block.

    Attributes:
        calls: each call of an op, in order.
        happenings: tensors read by the host, detached, or made from host data.
        backwards: each backward, in order.
        call_by_node: the call that recorded a node.
    """

    def __init__(self):
        self.calls: list[RecordedCall] = []
        self.happenings: list[Happening] = []
        self.backwards: list[RecordedBackward] = []
        self.call_by_node: dict[Node, RecordedCall] = {}
        self._observer: _Recorder | None = None

    def __enter__(self) -> CapturedStep:
        self._observer = _Recorder(self)  # a reference cycle that lasts as long as the block
        naming.begin_use()
        stacks.begin_use()
        events.observe(self._observer)
        return self

    def __exit__(self, *error) -> None:
        events.unobserve(self._observer)  # type: ignore[arg-type]
        self._observer = None
        stacks.end_use()
        naming.end_use()

    def __repr__(self) -> str:
        return f"<CapturedStep: {len(self.calls)} calls, {len(self.backwards)} backwards>"


class _Recorder(events.Observer):
    def __init__(self, made: CapturedStep):
        self.made = made
        self.pending: dict[int, tuple] = {}  # by thread: the arrays of the call whose kernel ran
        self.inside: dict[int, list] = {}  # by thread: the PyLayers whose forward is running
        self.running: dict[int, list] = {}  # by thread: its nested backwards

    def _is_inside(self) -> bool:
        return bool(self.inside.get(threading.get_ident()))

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        self.pending[threading.get_ident()] = row, [_array_of(each) for each in operands]

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        before, arrays = self.pending.pop(threading.get_ident(), (None, None))
        if self._is_inside():
            return
        if before is not row or arrays is None or len(arrays) != len(operands):
            arrays = [_array_of(each) for each in operands]
        made = [tensor._array for tensor in outputs]
        stopped = [_is_stopped(each, node if is_inplace else None) for each in operands]
        call = RecordedCall(
            row, node, tuple(operands), arrays, stopped, made, attrs, read_enabled(), stacks.walk()
        )
        self._add(call)

    def _add(self, call: RecordedCall) -> None:
        self.made.calls.append(call)
        if call.node is not None:
            self.made.call_by_node[call.node] = call

    def layer_called(self, layer, args, kwargs, node):
        self.inside.setdefault(threading.get_ident(), []).append((args, kwargs))

    def layer_ended(self, layer, inputs, outputs, node):
        if not self._is_inside():
            return  # it was called before the capture began
        given = self.inside[threading.get_ident()].pop()
        if self._is_inside():
            return
        stopped = [_is_stopped(each, None) for each in inputs]
        arrays, made = [_array_of(each) for each in inputs], [each._array for each in outputs]
        call = RecordedCall(
            layer, node, tuple(inputs), arrays, stopped, made, (), read_enabled(), stacks.walk(),
            given,
        )  # fmt: skip
        self._add(call)

    def layer_failed(self, layer, error):
        if self._is_inside():
            self.inside[threading.get_ident()].pop()

    def value_read(self, tensor):
        if tensor is not None:
            self._happened("read", (tensor._array,), tensor)

    def value_detached(self, tensor, made):
        self._happened("detached", (made._array,), tensor)

    def array_made(self, array):
        self._happened("made", (array,))

    def _happened(self, kind: str, arrays: tuple, source=None) -> None:
        at = len(self.made.calls)
        self.made.happenings.append(Happening(kind, arrays, at, stacks.walk(), source))

    def backward_began(self, run):
        backward = RecordedBackward(list(run.roots))
        self.made.backwards.append(backward)
        self.running.setdefault(threading.get_ident(), []).append(backward)

    def backward_ended(self, run, error):
        running = self.running.get(threading.get_ident())
        if running:
            running.pop()

    def node_ended(self, node, grads, results):
        running = self.running.get(threading.get_ident())
        if running:
            running[-1].steps[node] = list(grads), list(results or ())


def _array_of(value):
    """Return the array of an operand, a list of them for a list, None for None."""
    if isinstance(value, (list, tuple)):
        return [_array_of(each) for each in value]
    return getattr(value, "_array", value)


def _is_stopped(value, written):
    """Return whether gradients end at an operand; ``written``: the node that has written it."""
    if isinstance(value, (list, tuple)):
        return [_is_stopped(each, written) for each in value]
    if written is not None and getattr(value, "grad_fn", None) is written:
        return False
    return getattr(value, "stop_gradient", True)


def capture_step() -> CapturedStep:
    """Keep everything that a block computes, for ``why``, ``audit`` and ``node.extract``.

    All of it stays in memory until the CapturedStep is freed, so capture one step, not a training.
    Results and random numbers are the same as without capture.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> with debug.capture_step() as step:
        ...     (x * 3).sum().backward()
        >>> [call.name for call in step.calls], step
        (['scale', 'sum'], <CapturedStep: 2 calls, 1 backwards>)
    """
    return CapturedStep()
