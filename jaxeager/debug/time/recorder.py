"""Recorder: records the events of a program, as a tree of timed events per thread.

Note [What is timed]
    An event of an op lasts from its call to its return, one of a node from the first of its hooks
    to the last, one of an optimizer over its update. Inside an op are its stages: its operands
    are cast, its kernel is looked up, the kernel is launched, the node is created.
    A launch does not wait for the device, so these are times of the host. With ``waits`` the
    recorder waits for the results of every op, node and update before the program continues: the
    wait is the time of the device after the launch. Host and device then never work in parallel,
    which makes the whole program slower, and each number clear.

    The time that the program would have waited otherwise is estimated too (``clock.Clock``): a
    value that is read has to be waited for if the device has not caught up with the host.

    A call between ranks lasts from the moment when this rank joins it, in the thread that makes it,
    to its end. The time for which the program stops for it is an event of its own, in the program's
    thread: a call that runs while backward continues stops the program only at the end. On an
    accelerator the program does not stop; the ops that need the results wait for them.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.core import user_lines
from jaxeager.debug.time.array_memory import ArrayMemory
from jaxeager.debug.time.clock import Clock, now_ns
from jaxeager.debug.time.ranks.calls import RankCall, frame_of_site
from jaxeager.debug.time.ranks.parts import PartRun, held_bytes
from jaxeager.debug.time.ranks.samples import Sampler
from jaxeager.debug.time.timed_events import Compilation, Event, Read, TracerEventType
from jaxeager.debug.time.user_stack import Frame, frame_of, user_stack
from jaxeager.graph import events
from jaxeager.kernels import compilations

if TYPE_CHECKING:
    from collections.abc import Callable


class Recorder(events.Observer):
    """Records the events between ``start`` and ``stop``.

    Args:
        waits: wait for the results of each op, node and update, and time that.
        stacks: keep the user's lines that each op was called from.
        layers: record the calls of Layers.
        shapes: keep the shapes of operands.
        costs: keep kernels, so that their costs can be computed.
        memory: record when arrays made by ops and nodes are created and freed.
        samples: record, every few milliseconds, the line that runs outside of ops.

    Attributes:
        process_id: the id of this process.
        roots: by thread, the events that are not inside another one.
        threads: the names of the threads.
        reads: by line, the values that were copied to the host.
        compilations: the kernels that had to be created or loaded.
        kernels: (kernel, operands) by the key in ``Event.cost``.
        rank_calls: the calls between ranks that have ended.
        parts: the parts of batches that this process's stage of a pipeline has computed.
        main_thread: the id of the thread that started it.
        samples: (time, line) of that thread outside of ops; empty unless requested.
    """

    def __init__(
        self,
        waits: bool = False,
        stacks: bool = False,
        layers: bool = False,
        shapes: bool = False,
        costs: bool = False,
        memory: bool = False,
        samples: bool = False,
    ):
        self.waits, self.stacks, self.layers = waits, stacks, layers
        self.shapes, self.costs = shapes, costs
        self.memory = ArrayMemory() if memory else None
        self.process_id = os.getpid()
        self.roots: dict[int, list[Event]] = {}
        self.threads: dict[int, str] = {}
        self.reads: dict[Frame, Read] = {}
        self.compilations: list[Compilation] = []
        self.kernels: dict[tuple, tuple[Callable, tuple]] = {}
        self.rank_calls: list[RankCall] = []
        self.parts: list[PartRun] = []
        self.samples: list[tuple[int, Frame]] = []
        self.main_thread = 0
        self._joined_ns: dict[int, int] = {}  # when this rank joined a call, by the call's id
        self._sampler = Sampler(self.samples) if samples else None
        self._of_thread = threading.local()
        self.began_ns = self.ended_ns = 0
        self.clock = Clock(0)

    def start(self) -> None:
        """Start recording."""
        self.began_ns = now_ns()
        self.clock = Clock(self.began_ns)
        self.main_thread = threading.get_native_id()
        if self._sampler is not None:
            self._sampler.start(self._open())
        active.append(self)
        events.observe(self)
        compilations.on_noted(self._on_kernel)

    def stop(self) -> None:
        """Stop recording; events that are still running end here."""
        compilations.unlisten(self._on_kernel)
        events.unobserve(self)
        if self.memory is not None:
            self.memory.stop()
        active.remove(self)
        if self._sampler is not None:
            self._sampler.stop()
        self.ended_ns = now_ns()
        waiting = [event for roots in self.roots.values() for event in roots]
        while waiting:
            event = waiting.pop()
            event.end_ns = event.end_ns or self.ended_ns
            waiting += event.children

    # ---- the tree

    def _open(self) -> list[Event]:
        """Return the open events of this thread."""
        try:
            return self._of_thread.open
        except AttributeError:
            thread_id = threading.get_native_id()
            self._of_thread.open = []
            self._of_thread.thread_id = thread_id
            self.threads[thread_id] = threading.current_thread().name
            self.roots.setdefault(thread_id, [])
            return self._of_thread.open

    def begin(self, name: str, kind: TracerEventType) -> Event:
        """Begin an event inside the innermost open one of this thread."""
        running = self._open()
        thread_id = self._of_thread.thread_id
        event = Event(name, kind, thread_id, now_ns())
        (running[-1].children if running else self.roots[thread_id]).append(event)
        running.append(event)
        return event

    def end(self, event: Event) -> None:
        """End an event, and those inside it that are still open."""
        running = self._open()
        if event not in running:
            return
        ended_ns = now_ns()
        while True:
            last = running.pop()
            last.end_ns = ended_ns
            if last is event:
                return

    def _inner(self, event: Event, name: str, begin_ns: int, end_ns: int, kind) -> None:
        """Add an event inside another one, with known times."""
        inner = Event(name, kind, event.thread_id, begin_ns)
        inner.end_ns = end_ns
        event.children.append(inner)

    def _wait(self, event: Event, arrays) -> None:
        """Wait for arrays, and add the duration to an event."""
        launched_ns = now_ns()
        try:
            jax.block_until_ready(arrays)
        except RuntimeError:  # a failed kernel or a freed buffer: raised where it is read
            return
        took_ns = now_ns() - launched_ns
        event.device_ns += took_ns
        self.clock.ran(launched_ns, took_ns)

    def _on_kernel(self, noted: compilations.Noted) -> None:
        running, took_ns = self._open(), int(noted.seconds * 1e9)
        frame = None
        if noted.site.place.file:
            place = noted.site.place
            frame = Frame("", place.file, place.line)
        shapes = () if noted.shapes is None else noted.shapes.operands
        found = Compilation(
            noted.site.name, noted.source, frame, shapes, noted.cause(), noted.seconds
        )
        self.compilations.append(found)
        if running:
            running[-1].compile_ns += took_ns
            running[-1].kernels += 1
            ended_ns = now_ns()
            kind, name = TracerEventType.OperatorInner, f"{noted.site.name} kernel made"
            self._inner(running[-1], name, ended_ns - took_ns, ended_ns, kind)

    # ---- ops

    def call_began(self, call: events.Call) -> None:
        event = self.begin(f"{call.row.name} dygraph", TracerEventType.Operator)
        if self.stacks:
            event.stack = user_stack(sys._getframe(1))
        call.notes[self] = [event, 0, 0, 0]

    def operands_ready(self, call: events.Call) -> None:
        marks = call.notes[self]
        marks[1] = now_ns()
        if self.shapes:
            named = zip(call.row.operands, call.arrays, strict=True)
            marks[0].shapes = tuple([(operand.name, _kind_of(each)) for operand, each in named])

    def kernel_found(self, call: events.Call) -> None:
        call.notes[self][2] = now_ns()

    def kernel_finished(self, call: events.Call) -> None:
        marks = call.notes[self]
        marks[3] = now_ns()
        event = marks[0]
        name, launch = f"{call.row.name} kernel launch", TracerEventType.DygraphKernelLaunch
        self._inner(event, name, marks[2] or marks[3], marks[3], launch)
        if self.waits:
            self._wait(event, call.results)
        if self.costs and hasattr(call.kernel, "lower"):
            event.cost = self._cost(call.kernel, (*call.arrays, *call.scalars))
        if self.stacks:
            event.dtypes = _dtypes_of(call.results)
        if self.memory is not None:
            self.memory.record(event, call.results, self._open)

    def node_made(self, call: events.Call) -> None:
        event, ready, found, finished = call.notes[self]
        if event.stack:
            if getattr(call.node, "notes", None) is None:
                call.node.notes = {}
            call.node.notes["line"] = event.line
        if ready and found:
            inner, name = TracerEventType.OperatorInner, call.row.name
            self._inner(event, f"{name} node_creation", finished + event.device_ns, now_ns(), inner)

    def call_ended(self, call: events.Call) -> None:
        event, ready, found, _ = call.notes.pop(self)
        if ready:
            inner, name = TracerEventType.OperatorInner, call.row.name
            self._inner(event, f"{name} operands", event.begin_ns, ready, inner)
            self._inner(event, f"{name} kernel lookup", ready, found or ready, inner)
            event.children.sort(key=lambda child: child.begin_ns)
        elif self.waits:  # a Source: it only makes a tensor
            arrays = [getattr(each, "_array", None) for each in call.outputs]
            self._wait(event, [array for array in arrays if array is not None])
        self.end(event)

    def call_failed(self, call: events.Call, error: BaseException) -> None:
        self.end(call.notes.pop(self)[0])

    # ---- Layers

    def nn_layer_began(self, layer) -> None:
        if self.layers:
            self.begin(type(layer).__name__, TracerEventType.Forward)

    def nn_layer_ended(self, layer) -> None:
        if self.layers:
            self._end_named(type(layer).__name__)

    # ---- PyLayers

    def layer_began(self, layer: type, inputs: list, node) -> None:
        event = self.begin(layer.__name__, TracerEventType.PythonOp)
        if self.stacks:
            event.stack = user_stack(sys._getframe(1))

    def layer_ended(self, layer: type, inputs: list, outputs: list, node) -> None:
        self._end_named(layer.__name__)

    def layer_failed(self, layer: type, error: BaseException) -> None:
        self._end_named(layer.__name__)

    def _end_named(self, name: str) -> None:
        """End the innermost event of a name."""
        for event in reversed(self._open()):
            if event.name == name:
                self.end(event)
                return

    # ---- backward

    def backward_began(self, run: events.Backward) -> None:
        event = self.begin("Gradient Backward", TracerEventType.Backward)
        if self.stacks:
            event.stack = user_stack(sys._getframe(1))
        self.begin(run.kind, TracerEventType.UserDefined)
        run.notes[self] = event

    def backward_ended(self, run: events.Backward, error: BaseException | None) -> None:
        self.end(run.notes.pop(self))

    def node_began(self, node, grads: list) -> None:
        event = self.begin(f"Global_{node.name()}", TracerEventType.Operator)
        if self.shapes:
            event.shapes = tuple([("grad_out", _kind_of(each)) for each in grads])
        line = (getattr(node, "notes", None) or {}).get("line")
        event.stack = () if line is None else (line,)
        if self.costs and not node.is_leaf:
            event.cost = self._cost_of_node(node, grads)

    def node_ended(self, node, grads: list, results) -> None:
        event = self._open()[-1]
        ended_ns = now_ns()
        made = [each for each in results or () if each is not None]
        if self.waits:
            self._wait(event, made)
        if self.stacks:
            event.dtypes = _dtypes_of(made)
        if self.memory is not None:
            self.memory.record(event, made, self._open)
        if not node.is_leaf:
            inner = TracerEventType.OperatorInner
            self._inner(event, f"Local_{node.name()}", event.begin_ns, ended_ns, inner)
        self.end(event)

    def node_failed(self, node, error: BaseException) -> None:
        self._end_named(f"Global_{node.name()}")

    # ---- optimizers

    def update_began(self, rule) -> None:
        event = self.begin("Optimization Step", TracerEventType.Optimization)
        if self.stacks:
            event.stack = user_stack(sys._getframe(1))
        inner = self.begin(f"{_name_of_rule(rule)}_ dygraph", TracerEventType.Operator)
        inner.stack = event.stack

    def update_ended(self, rule, params: list) -> None:
        running = self._open()
        if self.waits:
            self._wait(running[-1], [param._array for param in params])
        self._end_named("Optimization Step")

    # ---- calls between ranks

    def rank_call_began(self, call) -> None:
        self._joined_ns[id(call)] = now_ns()

    def rank_call_ended(self, call, error: BaseException | None) -> None:
        began_ns = self._joined_ns.pop(id(call), None)
        if began_ns is None:  # it began before the recorder
            return
        made = RankCall.of(call, began_ns, now_ns(), error is None)
        self.rank_calls.append(made)
        self._open()  # this thread has its row
        thread_id = self._of_thread.thread_id
        event = Event(made.name, TracerEventType.Communication, thread_id, began_ns)
        event.end_ns, event.stack = made.ended_ns, (made.frame,)
        self.roots[thread_id].append(event)

    def rank_wait_began(self, call) -> None:
        event = self.begin(f"wait for {call.name}", TracerEventType.UserDefined)
        event.is_wait, event.stack = True, (frame_of_site(call.site),)

    def rank_wait_ended(self, call) -> None:
        self._end_named(f"wait for {call.name}")

    # ---- stages of a pipeline

    def part_began(self, part) -> None:
        held = held_bytes()
        self.parts.append(PartRun.of(part, held, now_ns()))

    def part_ended(self, part) -> None:
        if self.parts and not self.parts[-1].ended_ns:
            ended_ns = now_ns()
            self.parts[-1] = self.parts[-1].ended(held_bytes(), ended_ns)

    # ---- reads

    def value_read(self, tensor) -> None:
        frame = frame_of(user_lines.user_frame())
        site = self.reads.get(frame)
        if site is None:
            site = self.reads[frame] = Read(frame)
        site.count += 1
        began_ns = now_ns()
        if self.waits:
            site.wait_ns += self.clock.read(began_ns)
        elif tensor is not None:
            jax.block_until_ready(tensor._array)
            site.wait_ns += now_ns() - began_ns

    # ---- costs of kernels

    def _cost(self, kernel, operands: tuple) -> tuple:
        """Store a kernel with the shapes of its operands; return the key of both."""
        leaves = jax.tree.leaves(operands)
        key = (id(kernel), *map(_kind_of, leaves))
        if key not in self.kernels:
            self.kernels[key] = kernel, jax.tree.map(_struct_of, operands)
        return key

    def _cost_of_node(self, node, grads: list) -> tuple | None:
        finder = getattr(node.op, "vjp_kernel", None)
        kernel = None if finder is None or node.released else finder(node)
        if kernel is None or not hasattr(kernel, "lower") or None in grads:
            return None
        saved = [_array_of(wrapper) for wrapper in node.saved]
        return self._cost(kernel, (*saved, *node.scalars, *grads))


active: list[Recorder] = []
"""The recorders that record now, for code that adds events."""


def _name_of_rule(rule) -> str:
    return getattr(rule, "name", None) or getattr(rule, "__name__", "optimizer").strip("_")


def _kind_of(array) -> tuple | None:
    """Return shape and dtype of an array, or of each in a list."""
    if isinstance(array, (list, tuple)):
        return tuple([_kind_of(each) for each in array])
    if array is None:
        return None
    return tuple(getattr(array, "shape", ())), str(getattr(array, "dtype", ""))


def _dtypes_of(arrays) -> tuple[str, ...]:
    return tuple(dict.fromkeys([str(each.dtype) for each in jax.tree.leaves(arrays)]))


def _struct_of(array) -> Any:
    if not hasattr(array, "shape"):
        return array
    return jax.ShapeDtypeStruct(array.shape, array.dtype, weak_type=_is_weak(array))


def _is_weak(array) -> bool:
    return bool(getattr(getattr(array, "aval", None), "weak_type", False))


def _array_of(wrapper) -> Any:
    """Return the array of a TensorWrapper, a list for a list of them, or None."""
    if type(wrapper) is list:
        return [_array_of(each) for each in wrapper]
    return None if wrapper is None else wrapper[0]
