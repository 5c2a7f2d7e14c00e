"""A function on Tensors as a program: the tensors it reads, computes and changes.

Note [Capture]
    A function runs once while JAX traces it; its ops run the same kernels as usual, and the tape
    records them. Before the first op reads a tensor from outside, the tensor is *lifted*: during
    the trace its array is a tracer, and its AutogradMeta and Storage are new ones, so that the
    function cannot change the graph outside. So arguments, parameters, buffers, accumulators of an
    optimizer, and any other tensors that the function uses are inputs of the program, without being
    named. JAX keeps arrays in a trace as constants, by identity; a lifted array is recognized by
    that afterwards.

    At the end everything is restored. The new value of a lifted tensor is an output of the program
    if it was written, and so is a gradient that was added to. Random draws take keys from the
    default generator, one by one, and the program takes as many on each call: the numbers are the
    same as those of single ops. A learning rate is read on each call.

    While the tape still has nodes, the engine runs them as well, with gradients of the outputs that
    are inputs of the program: one jaxpr contains forward and backward, and partition.py splits it.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr

from jaxeager.arrays import random
from jaxeager.arrays.sharded import is_placed
from jaxeager.errors import UnimplementedError
from jaxeager.graph import events
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.views.view_places import lock
from jaxeager.jit.capture.captured import Captured, Expected
from jaxeager.jit.capture.lifted import Lifted, become, staged, state_of
from jaxeager.jit.capture.refusals import ValueAsked, note_asked, refuse_kept
from jaxeager.jit.capture.side_effects import UnseenRows, outputs_of
from jaxeager.kernels.lazy.pending import ready
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.call.observers import unwatch, watch
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jax.core import ShapedArray

    from jaxeager.graph.meta import AutogradMeta, Edge


class SharedValue(Exception):
    """Raised when two tensors outside a branch have one traced array; ``tensor`` is the second."""

    first: Tensor
    tensor: Tensor


class Capture:
    """The record of the tensors that a function uses while it is traced: see Note [Capture]."""

    def __init__(self, layers: Sequence[Layer] = (), lowers: bool = False):
        self.outer = grad_mode.capture
        self.lowers = lowers or (self.outer is not None and self.outer.lowers)
        self.shows_traced = self.outer is not None and self.outer.shows_traced
        self.trace: object = None  # JAX's trace, when there is an outer one
        self.lifted: list[Lifted] = []
        self.per_call: list[tuple[jax.Array, Callable]] = []
        self.gradients: list[jax.Array] = []
        self.grads_of: list[tuple[int, int]] = []
        self._with_grads: list[int] = []
        self.asked: Tensor | None = None  # the tensor whose value the function requested last
        self.refusal: Exception | None = None
        self.guards: list[Callable[[], bool]] = []
        self.layers: dict[int, tuple[Layer, list]] = {}
        for layer in layers:
            for each in layer.sublayers(include_self=True):
                self.enter(each)
        self._known: dict[int, Lifted] = {}
        self._arrays: set[int] = set()

    def see(self, operands: Sequence) -> None:
        """Lift the tensors among operands, also in lists, that were not made in the trace."""
        for each in operands:
            if type(each) in (list, tuple):
                self.see(each)
            elif (
                hasattr(each, "_storage")
                and id(each) not in self._known
                and not self._is_traced(each._array)
            ):
                self._lift(each)
        while self._with_grads:  # after all operands have their numbers
            owner = self._with_grads.pop()
            lifted = self.lifted[owner]
            meta: Any = lifted.meta
            fresh = lifted.fresh
            assert meta is not None
            assert fresh is not None
            if meta.grad._rows is not None:
                lifted.traced_grad = UnseenRows.before(self)
                fresh.begin(lifted.traced_grad)
                continue
            self.see((meta.grad,))
            number = self.number_of(meta.grad)
            assert number is not None
            self.grads_of.append((number, owner))
            lifted.traced_grad = meta.grad
            fresh.begin(meta.grad)

    def see_gradient(self, tensor: Tensor) -> None:
        """Lift a tensor whose gradient the function is about to read or set."""
        self.see((tensor,))
        lifted = self._known.get(id(tensor))
        if lifted is not None:
            lifted.is_asked = True

    def _is_traced(self, array: jax.Array) -> bool:
        """Return whether an array was made in this trace, not in an outer one."""
        return isinstance(array, Tracer) and (self.outer is None or array._trace is self.trace)

    def enter(self, layer: Layer) -> None:
        """Note a Layer that is about to run, and its members."""
        if self.outer is not None:
            self.outer.enter(layer)
        if id(layer) not in self.layers:
            tables = (layer._buffers, layer._parameters, vars(layer))
            self.layers[id(layer)] = layer, [(table, dict(table)) for table in tables]

    def forward_of(self, layer: Layer) -> Callable:
        """Return the forward of a Layer, converted by ``lowered``."""
        return self.lowered(layer.forward)

    def lowered(self, function: Callable) -> Callable:
        """Return a function, converted so that its ``if`` and ``while`` are in the program."""
        return _flow["lowered"](function) if self.lowers else function

    def refuse(self, text: str) -> NoReturn:
        """Raise an error for an action that no program can do.

        Args:
            text: the action of the function, "it ...".
        """
        self.refusal = UnimplementedError(text)
        raise self.refusal

    def check_end(self) -> None:
        """Raise again an error that the function has caught."""
        if self.refusal is not None:
            raise self.refusal
        if self.asked is not None:
            raise ValueAsked

    def asked_for(self, tensor: Tensor) -> None:
        """Note a tensor whose value the function requests, which will fail."""
        self.see((tensor,))
        self.asked = tensor

    def _lift(self, tensor: Tensor) -> None:
        with lock:  # no other thread may write it in between
            try:
                tensor._array = ready(tensor._array)  # JAX keeps the value of a pending array
                array = self._own(tensor._array)
            except SharedValue as shared:
                shared.first = next(e.tensor for e in self.lifted if e.array is tensor._array)
                shared.tensor = tensor
                raise
            lifted = self._known[id(tensor)] = Lifted(tensor, array)
            self.lifted.append(lifted)
        if lifted.had_grad:
            self._with_grads.append(len(self.lifted) - 1)

    def check_roots(self, roots: Sequence[Edge | None], ends: Sequence[Edge]) -> None:
        """Raise when gradients from some edges would leave the capture for the outer graph.

        Args:
            roots: the edges where they start.
            ends: edges where they stop.
        """
        outside = {
            id(each.fresh): each.tensor
            for each in self.lifted
            if not each.stops and each.meta is not None and not each.meta.is_leaf()
        }
        waiting, known = list(roots), set(map(id, ends))
        while waiting and outside:
            edge = waiting.pop()
            if edge is None or id(edge) in known:
                continue
            known.add(id(edge))
            if id(edge) in outside:
                self.refuse(
                    f"its backward passes through {outside[id(edge)].name}, computed before it."
                )
            if edge.node is not None and not edge.node.is_leaf and id(edge.node) not in known:
                known.add(id(edge.node))
                waiting += edge.node.edges

    def depends_on(self, holds: Callable[[], bool]) -> None:
        """Limit the program to calls for which ``holds()`` returns True."""
        self.guards.append(holds)
        if self.outer is not None:
            self.outer.depends_on(holds)

    def has_meta(self, tensor: Tensor) -> None:
        """Note that a tensor without an AutogradMeta has one now."""
        lifted = self._known.get(id(tensor))
        if lifted is not None:
            lifted.fresh = tensor._meta

    def number_of(self, tensor: object) -> int | None:
        """Return the number of a lifted tensor; None for another one."""
        lifted = self._known.get(id(tensor))
        return None if lifted is None else self.lifted.index(lifted)

    def fresh_meta_of(self, tensor: Tensor) -> AutogradMeta | None:
        """Return the AutogradMeta that a lifted tensor has during the trace."""
        return self._known[id(tensor)].fresh

    def branch(self, number: Tensor, functions: Sequence[Callable]) -> Any:
        """Run ``static.nn.cond`` and similar functions: see flow.py."""
        return _flow["branch"](number, functions)

    def loop(self, condition: Callable, body: Callable, values: Sequence[Tensor]) -> list:
        """Run ``static.nn.while_loop``: see flow.py."""
        return _flow["loop"](condition, body, values)

    def replaced_members(self) -> list[tuple[dict, str, Layer]]:
        """Return the buffers and parameters of Layers that were replaced by other tensors."""
        return [
            (table, name, layer)
            for layer, tables in self.layers.values()
            for table, before in tables[:2]
            for name, value in table.items()
            if value is not None and value is not before.get(name)
        ]

    def put_members_back(self, has_failed: bool) -> None:
        """Restore the buffers and parameters of Layers.

        Args:
            has_failed: whether the function will run again, so that numbers are restored too.
        """
        for _, (*tables, (members, attributes)) in self.layers.values():
            for table, before in tables:
                if list(table) != list(before):
                    table.clear()
                for name, value in before.items():  # another thread never finds a member missing
                    if table.get(name) is not value or name not in table:
                        table[name] = value
            for name, value in attributes.items():
                if name not in members or (has_failed and members[name] is not value):
                    members[name] = value
                    changes.note()
            if has_failed:
                for name in members.keys() - attributes.keys():
                    del members[name]

    def value_per_call(self, getter: Callable) -> jax.Array:
        """Return the value of a function; the program calls the function on each call."""
        with self._aside():
            array = self._own(jnp.asarray(ready(getter())))
        self.per_call.append((array, getter))
        return staged(array)

    def gradient(self, aval: ShapedArray) -> Tensor:
        """Return a tensor that represents the gradient of an output."""
        with jax.ensure_compile_time_eval():
            self.gradients.append(jnp.zeros(aval.shape, aval.dtype))
        return wrap(staged(self.gradients[-1]))

    def _own(self, array: jax.Array) -> jax.Array:
        """Return an array that represents one tensor only."""
        if id(array) in self._arrays:
            if isinstance(array, Tracer):
                raise SharedValue
            with jax.ensure_compile_time_eval():
                array = jnp.array(array, copy=True)
        self._arrays.add(id(array))
        return array

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Run a block outside of the trace: tensors have their values from before."""
        now = [(each, state_of(each.tensor)) for each in self.lifted]
        for each in self.lifted:
            each.put_back()
        try:
            with self._aside():
                yield
        finally:
            with lock:
                for lifted, state in now:
                    lifted.hide()
                    become(lifted.tensor, state)

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        before = grad_mode.capture, grad_mode.written
        grad_mode.capture = grad_mode.written = None
        try:
            with jax.ensure_compile_time_eval():
                yield
        finally:
            grad_mode.capture, grad_mode.written = before


_flow: dict[str, Callable] = {}  # set by flow.py, which depends on this file


def set_flow(**functions: Callable) -> None:
    """Set the functions that run branches and loops within captures, and that lower functions."""
    _flow.update(functions)


# ---- tracing


def capture(
    function: Callable,
    lift_first: Sequence[Tensor],
    wants_gradients: bool,
    layers: Sequence[Layer] = (),
    lowers: bool = False,
) -> Captured:
    """Trace a function without arguments: see Note [Capture].

    Args:
        function: it uses Tensors, and returns them, nested in lists, tuples and dicts.
        lift_first: tensors that are inputs whether or not the function uses them; they are first.
        wants_gradients: whether the program has a backward too.
        layers: Layers whose buffers it may replace by other tensors.
        lowers: whether ``if`` and ``while`` on tensors become part of the program (lowering/).

    Raises:
        UnimplementedError: when it writes tensors that share their memory.
        Exception: any exception of the function; everything is restored then.
    """
    seen = Capture(layers, lowers)
    found: dict[str, Any] = {}
    mark = random.default_generator.mark()
    try:
        with _active(seen), events.silent():
            jaxpr = jax.make_jaxpr(
                lambda: _traced(seen, function, lift_first, wants_gradients, found)
            )()
        if seen.outer is None:
            refuse_kept(found.pop("trace"))
    except BaseException as error:
        if seen.outer is None:
            random.default_generator.go_back(mark)
        seen.put_members_back(has_failed=True)
        note_asked(error, seen.asked)
        raise
    return Captured(
        jaxpr=jaxpr,
        inputs=_inputs(seen, jaxpr, found["draws"]),
        tensors=[each.tensor for each in seen.lifted],
        grads_of=seen.grads_of,
        draws=found.pop("draws"),
        per_call=[getter for _, getter in seen.per_call],
        expected=[Expected(each.stops, each.gradient, each.hooks) for each in seen.lifted],
        guards=seen.guards,
        layers=[(layer, tables[-1][1]) for layer, tables in seen.layers.values()],
        **found,
    )


def _traced(
    seen: Capture,
    function: Callable,
    lift_first: Sequence[Tensor],
    wants_gradients: bool,
    found: dict[str, Any],
) -> list:
    """Run a function while JAX traces it; return the arrays it returns or changes."""
    trace = staged(jnp.zeros(()))._trace
    if seen.outer is None:
        found["trace"] = weakref.ref(trace)
        drawing = random.noting_draws(seen.refuse)
    else:  # draws are those of the outer capture
        seen.trace = trace
        drawing = contextlib.nullcontext(random.Draws(seen.refuse))
    seen.see(lift_first)
    with drawing as draws:
        result = function()
        seen.check_end()
        left = outputs_of(seen, result, wants_gradients, found)
    found["draws"] = draws.words
    return left


@contextlib.contextmanager
def _active(seen: Capture) -> Iterator[None]:
    """Activate a capture for a block; restore tensors and Layers at its end."""
    is_inner = seen.outer is not None
    before = grad_mode.capture, grad_mode.written, grad_mode.traced, grad_mode.saved_hooks
    grad_mode.capture, grad_mode.written = seen, {}
    grad_mode.saved_hooks = before[-1] if is_inner else None  # they see the node of the program
    grad_mode.traced = is_inner  # JAX differentiates the code of a branch
    watch("to_static")
    try:
        yield
    finally:
        unwatch("to_static")
        grad_mode.capture, grad_mode.written, grad_mode.traced, grad_mode.saved_hooks = before
        for each in seen.lifted:
            each.put_back()
            each.forget()
        seen.put_members_back(has_failed=False)


def _inputs(seen: Capture, jaxpr: ClosedJaxpr, draws: list) -> list:
    """Return the kind of each constant of a jaxpr."""
    known: dict[int, tuple] = {}
    for kind, arrays in (
        ("lifted", [each.array for each in seen.lifted]),
        ("draw", draws),
        ("per_call", [array for array, _ in seen.per_call]),
        ("gradient", seen.gradients),
    ):
        for number, array in enumerate(arrays):
            known[id(ready(array))] = kind, number  # JAX keeps the value of a pending array
    inputs = [known.get(id(array), ("constant", array)) for array in jaxpr.consts]
    if seen.outer is not None:
        return inputs
    return _placed(inputs, [each.array for each in seen.lifted])


def _placed(inputs: list[tuple], arrays: list) -> list[tuple]:
    """Return inputs with NumPy constants on the device, so that calls need not transfer them.

    Args:
        inputs: those of ``Captured``.
        arrays: those of the lifted tensors; on several devices each call moves the constants.
    """
    devices = {device for each in arrays if is_placed(each) for device in each.devices()}
    if len(devices) > 1:
        return inputs
    with jax.ensure_compile_time_eval(), jax.default_device(next(iter(devices), None)):
        return [
            (kind, jnp.asarray(value) if isinstance(value, np.ndarray) else value)
            for kind, value in inputs
        ]
