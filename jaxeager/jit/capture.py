"""A function on Tensors as a program: what it reads, computes and leaves behind.

Note [Capture]
    A function runs once while JAX traces it; its ops run the same kernels as ever, and the tape
    records them. Before the first op reads a tensor that was there before, the tensor is *lifted*:
    for the time of the trace its array is one that JAX traces, and its AutogradMeta and Storage
    are new ones, so that nothing of what the function does reaches the graph outside. So arguments,
    parameters, buffers, accumulators of an optimizer, and whatever else the function finds, are
    inputs of the program, without being named by anybody. JAX keeps arrays that a trace meets as
    constants, by identity; that is how a lifted array is known again afterwards.

    At the end everything is put back. What a lifted tensor holds then is an output of the program
    if it was written, and so is a gradient that was added to. Random draws take keys that the
    default generator gives, one by one, and the program takes as many on each call: the numbers
    are those of the ops one by one. A learning rate is asked for anew on each call.

    While the tape still has nodes, the engine runs them as well, with gradients of the outputs that
    are inputs of the program: one jaxpr holds forward and backward, and partition.py parts it.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr

from jaxeager.core import random
from jaxeager.core.kernel_memory import jitted
from jaxeager.core.spread import is_spread
from jaxeager.errors import FatalError, UnimplementedError
from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta, LentMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import GradNodeAccumulation, gradient_edge
from jaxeager.graph.partial import UNREACHED, run_partial
from jaxeager.graph.storage import Storage
from jaxeager.jit.nesting import ends, mapped
from jaxeager.jit.refusals import note_asked
from jaxeager.nn import Layer
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.call.looking import unwatch, watch
from jaxeager.tensor import Tensor


class SharedValue(Exception):
    """Two tensors around a branch have the same traced array; ``tensor`` is the second one."""

    first: Any
    tensor: Any


class Lifted:
    """A tensor that a function uses and has not made.

    Attributes:
        tensor: itself.
        array: its array, by which JAX knows the input.
        meta, storage, view: what it had before.
        stops: whether it stopped gradients.
        traced: the array that stands for it.
        fresh: its AutogradMeta during the trace.
        had_grad: whether it had a gradient.
    """

    __slots__ = (
        "array", "fresh", "had_grad", "meta", "stops", "storage", "tensor", "traced",
        "traced_grad", "view",
    )  # fmt: skip

    def __init__(self, tensor: Any, array: jax.Array):
        self.tensor = tensor
        self.array = array
        self.meta = tensor._meta
        self.storage = tensor._storage
        self.view = getattr(tensor, "_view", None)
        self.traced = _staged(array)
        self.had_grad = self.meta is not None and self.meta.grad is not None
        self.fresh = _fresh_meta(self.meta, tensor)
        self.stops = self.meta is None or self.meta.stop_gradient
        self.traced_grad: Any = None
        tensor._array, tensor._meta, tensor._storage = self.traced, self.fresh, Storage()

    def put_back(self) -> None:
        """Gives the tensor what it had."""
        tensor = self.tensor
        _ = tensor._array  # one that is stale has a class of its own until it is read
        _become(tensor, (self.array, self.meta, self.storage, self.view))


def _state_of(tensor: Any) -> tuple:
    """Returns what ``_become`` makes a tensor what it is by."""
    return tensor._array, tensor._meta, tensor._storage, getattr(tensor, "_view", None)


def _become(tensor: Any, state: tuple) -> None:
    tensor._array, tensor._meta, tensor._storage, view = state
    if view is not None:
        tensor._view = view
    elif hasattr(tensor, "_view"):
        del tensor._view


class Written(NamedTuple):
    """A lifted tensor that a program writes.

    Attributes:
        lifted: its number.
        versions: by how much its version moves.
        output: the number of the output that is its value.
        place: of that output among those that gradients arrive at; None: its history is as before.
        sharding: how the tensor lies on several devices, which it does afterwards too; or None.
    """

    lifted: int
    versions: int
    output: int
    place: int | None
    sharding: Any


class Graded(NamedTuple):
    """A leaf whose gradient a program changes.

    Attributes:
        lifted: its number.
        output: the number of the output that is the gradient; None for no gradient.
        zeros: the aval of zeros that it was cleared to, or None.
    """

    lifted: int
    output: int | None
    zeros: Any


class Replaced(NamedTuple):
    """A buffer, or another member of a Layer, that a function puts a new tensor in the place of.

    Attributes:
        table: the dict of the Layer.
        name: its name there.
        value: a Returned.
    """

    table: dict
    name: str
    value: Any


class Returned(NamedTuple):
    """An output of a program in what the function returns.

    Attributes:
        output: its number; None for a lifted tensor.
        lifted: the number of a lifted tensor that is returned as it is, or None.
        place: among the outputs that gradients arrive at; None: it stops gradients.
    """

    output: int | None
    lifted: int | None
    place: int | None


class Captured(NamedTuple):
    """What is known of a function once it was traced.

    Attributes:
        jaxpr: of no arguments; its constants are ``inputs``.
        inputs: what each constant is: ("lifted", n), ("draw", n), ("anew", n), ("gradient", n) or
            ("constant", array).
        tensors: the lifted tensors.
        grads_of: (number, owner) of each lifted tensor that is the gradient of another one.
        draws: the keys that were drawn.
        anew: functions that give an array on each call.
        result: what the function returned; a Returned where a tensor was.
        written, graded, replaced: what else it changed.
        outputs: how many outputs come before the gradients.
        places: (shape, dtype) of each output that gradients arrive at.
        wanted: the numbers of the lifted tensors that gradients go to.
        released: whether backward has run, and let the graph go.
        said: what the lifted tensors were like: see ``states_of``.
    """

    jaxpr: ClosedJaxpr
    inputs: list
    tensors: list
    grads_of: list[tuple[int, int]]
    draws: list
    anew: list
    result: Any
    written: list[Written]
    graded: list[Graded]
    replaced: list[Replaced]
    outputs: int
    places: list
    wanted: list[int]
    released: bool
    said: list


class Capture:
    """What sees the tensors that a function uses while it is traced: see Note [Capture]."""

    def __init__(self, layers: Sequence[Layer] = ()):
        self.outer = grad_mode.capture
        self.trace: Any = None  # JAX's, when there is one around it
        self.lifted: list[Lifted] = []
        self.anew: list[tuple[jax.Array, Callable]] = []
        self.gradients: list[jax.Array] = []
        self.grads_of: list[tuple[int, int]] = []
        self._with_grads: list[int] = []
        self.asked: Any = None  # the tensor whose value the function asked for last
        self._members = [
            (table, dict(table))
            for layer in layers
            for each in layer.sublayers(include_self=True)
            for table in (each._buffers, each._parameters)
        ]
        self._known: dict[int, Lifted] = {}
        self._arrays: set[int] = set()

    def see(self, operands: Sequence) -> None:
        """Lifts the tensors among operands, and in lists there, that were not made in the trace."""
        for each in operands:
            if type(each) in (list, tuple):
                self.see(each)
            elif (
                hasattr(each, "_storage")
                and id(each) not in self._known
                and not self._is_traced(each._array)
            ):
                self._lift(each)
        while self._with_grads:  # once all operands stand in their order
            owner = self._with_grads.pop()
            lifted = self.lifted[owner]
            meta, fresh = lifted.meta, lifted.fresh
            assert meta is not None
            assert fresh is not None
            self.see((meta.grad,))
            number = self.number_of(meta.grad)
            assert number is not None
            self.grads_of.append((number, owner))
            lifted.traced_grad = fresh.grad = meta.grad

    def _is_traced(self, array: Any) -> bool:
        """Says whether an array was made in this trace; one around it is outside."""
        return isinstance(array, Tracer) and (self.outer is None or array._trace is self.trace)

    def asked_for(self, tensor: Any) -> None:
        """Notes a tensor whose value the function is about to ask for, in vain."""
        self.see((tensor,))
        self.asked = tensor

    def _lift(self, tensor: Any) -> None:
        try:
            array = self._own(tensor._array)
        except SharedValue as shared:
            shared.first = next(e.tensor for e in self.lifted if e.array is tensor._array)
            shared.tensor = tensor
            raise
        lifted = self._known[id(tensor)] = Lifted(tensor, array)
        self.lifted.append(lifted)
        if lifted.had_grad:
            self._with_grads.append(len(self.lifted) - 1)

    def number_of(self, tensor: Any) -> int | None:
        """Returns the number of a lifted tensor, None for another one."""
        lifted = self._known.get(id(tensor))
        return None if lifted is None else self.lifted.index(lifted)

    def fresh_meta_of(self, tensor: Any) -> Any:
        """Returns the AutogradMeta that a lifted tensor has during the trace."""
        return self._known[id(tensor)].fresh

    def branch(self, number: Tensor, functions: Sequence[Callable]) -> Any:
        """Runs ``static.nn.cond`` and its like: see flow.py."""
        return _flow["branch"](number, functions)

    def loop(self, condition: Callable, body: Callable, values: Sequence[Tensor]) -> list:
        """Runs ``static.nn.while_loop``: see flow.py."""
        return _flow["loop"](condition, body, values)

    def replaced_members(self) -> list[tuple[dict, str]]:
        """Returns the buffers and parameters of Layers that are other tensors than before."""
        return [
            (table, name)
            for table, before in self._members
            for name, value in table.items()
            if value is not None and value is not before.get(name)
        ]

    def put_members_back(self) -> None:
        """Gives Layers the buffers and parameters that they had."""
        for table, before in self._members:
            table.clear()
            table.update(before)

    def asked_anew(self, getter: Callable) -> jax.Array:
        """Returns what a function gives; the program asks it on each call."""
        with self._aside():
            array = self._own(jnp.asarray(getter()))
        self.anew.append((array, getter))
        return _staged(array)

    def gradient(self, aval: Any) -> Tensor:
        """Returns a tensor that stands for the gradient that arrives at an output."""
        with jax.ensure_compile_time_eval():
            self.gradients.append(jnp.zeros(aval.shape, aval.dtype))
        return wrap(_staged(self.gradients[-1]))

    def _own(self, array: jax.Array) -> jax.Array:
        """Returns an array that stands for one tensor alone."""
        if id(array) in self._arrays:
            if isinstance(array, Tracer):
                raise SharedValue
            with jax.ensure_compile_time_eval():
                array = jnp.array(array, copy=True)
        self._arrays.add(id(array))
        return array

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Runs a block as if nothing were traced: tensors are what they were before."""
        now = [(each.tensor, _state_of(each.tensor)) for each in self.lifted]
        for each in self.lifted:
            each.put_back()
        try:
            with self._aside():
                yield
        finally:
            for tensor, state in now:
                _become(tensor, state)

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        before = grad_mode.capture, grad_mode.written
        grad_mode.capture = grad_mode.written = None
        try:
            with jax.ensure_compile_time_eval():
                yield
        finally:
            grad_mode.capture, grad_mode.written = before


def spread_sharding(array: Any) -> Any:
    """Returns how an array lies on several devices; None for one device."""
    return array.sharding if is_spread(array) else None


def _itself(array: jax.Array) -> jax.Array:
    return array


_staged: Callable = jitted(_itself, inline=True)
_flow: dict[str, Callable] = {}  # filled in by flow.py, which stands on this file


def set_flow(branch: Callable, loop: Callable) -> None:
    """Tells captures how branches and loops within them are run."""
    _flow.update(branch=branch, loop=loop)


def _fresh_meta(meta: AutogradMeta | None, tensor: Any) -> AutogradMeta | None:
    """Returns the AutogradMeta of a tensor within a trace: of a leaf, with the hooks of one."""
    if meta is None:
        return None
    kind = AutogradMeta if meta.is_leaf() else LentMeta  # what an op has made may be written
    fresh = kind(meta.stop_gradient)
    fresh.zeros = meta.zeros
    if meta.node is not None and meta.node.is_leaf and meta.node.hooks is not None:
        fresh.node = GradNodeAccumulation(weakref.ref(fresh), tensor.__dict__.get("_name"))
        fresh.node.hooks = meta.node.hooks
    return fresh


# ---- tracing


def capture(
    function: Callable,
    lift_first: Sequence[Tensor],
    wants_gradients: bool,
    layers: Sequence[Layer] = (),
) -> Captured:
    """Traces a function of nothing: see Note [Capture].

    Args:
        function: it uses Tensors, and returns them, nested in lists, tuples and dicts.
        lift_first: tensors that are inputs whether or not the function uses them; they come first.
        wants_gradients: whether the program has a backward too.
        layers: Layers whose buffers it may replace by other tensors.

    Raises:
        UnimplementedError: when it writes tensors that share their memory.
        Exception: whatever the function raises; everything is as before then.
    """
    seen = Capture(layers)
    found: dict[str, Any] = {}
    is_inner = seen.outer is not None
    mark = None if is_inner else random.default_generator.mark()

    def traced() -> list:
        if seen.outer is not None:
            seen.trace = _staged(jnp.zeros(()))._trace
        seen.see(lift_first)
        drawing = contextlib.nullcontext(random.Draws()) if is_inner else random.noting_draws()
        with drawing as draws:  # within another capture they are that one's
            left = _left_behind(seen, function(), wants_gradients, found)
        found["draws"] = draws.words
        return left

    before = grad_mode.capture, grad_mode.written, grad_mode.traced
    grad_mode.capture, grad_mode.written = seen, {}
    grad_mode.traced = is_inner  # JAX differentiates what is within a branch
    watch("to_static")
    try:
        with events.silent():
            jaxpr = jax.make_jaxpr(traced)()
    except BaseException as error:
        if mark is not None:
            random.default_generator.go_back(mark)
        note_asked(error, seen.asked)
        raise
    finally:
        unwatch("to_static")
        grad_mode.capture, grad_mode.written, grad_mode.traced = before
        for each in seen.lifted:
            each.put_back()
        seen.put_members_back()
    return Captured(
        jaxpr=jaxpr,
        inputs=_inputs(seen, jaxpr, found["draws"]),
        tensors=[each.tensor for each in seen.lifted],
        grads_of=seen.grads_of,
        draws=found.pop("draws"),
        anew=[getter for _, getter in seen.anew],
        said=[(each.stops, each.had_grad) for each in seen.lifted],
        **found,
    )


def _inputs(seen: Capture, jaxpr: ClosedJaxpr, draws: list) -> list:
    """Returns what each constant of a jaxpr is."""
    known: dict[int, tuple] = {}
    for kind, arrays in (
        ("lifted", [each.array for each in seen.lifted]),
        ("draw", draws),
        ("anew", [array for array, _ in seen.anew]),
        ("gradient", seen.gradients),
    ):
        known.update((id(array), (kind, number)) for number, array in enumerate(arrays))
    return [known.get(id(array), ("constant", array)) for array in jaxpr.consts]


def _left_behind(seen: Capture, result: Any, wants_gradients: bool, found: dict) -> list:
    """Returns the arrays that a function leaves behind, and notes in ``found`` what they are."""
    _refuse_shared_writes(seen)
    places, made = results_of(seen, result)
    outputs: list = made["outputs"]
    found["result"], found["replaced"] = made["result"]
    found["written"] = made["written"]
    found["graded"] = _graded(seen, outputs)
    found["outputs"] = len(outputs)
    found["places"] = [(aval.shape, aval.dtype) for _, aval in places]
    found["wanted"], found["released"], gradients = [], False, []
    if wants_gradients and places:
        try:
            found["wanted"], gradients = _gradients(seen, places)
        except FatalError:  # the function has run backward itself
            found["released"] = True
    return [*outputs, *gradients]


def results_of(seen: Capture, result: Any) -> tuple[list, dict]:
    """Returns where gradients arrive at what a function writes and returns, and what that is.

    Args:
        seen: the capture in force.
        result: what the function has returned.

    Returns:
        (AutogradMeta, aval) of each output that gradients arrive at; a dict of the arrays
        ("outputs"), the Written ("written"), and ("result") the result with a Returned where a
        tensor was, with the Replaced.
    """
    seen.see([end for end in ends(result) if isinstance(end, Tensor)])
    outputs: list = []
    places: list = []

    def place_of(meta: Any, array: Any) -> int | None:
        if meta is None or meta.stop_gradient or not jnp.issubdtype(array.dtype, jnp.inexact):
            return None
        places.append((meta, array.aval))
        return len(places) - 1

    written = []
    for number, each in enumerate(seen.lifted):
        tensor = each.tensor
        array, meta = tensor._array, tensor._meta
        if array is not each.traced:
            outputs.append(array)
            is_made = meta is not each.fresh and meta is not None and not meta.is_leaf()
            place = place_of(meta, array) if is_made else None
            versions, sharding = tensor._storage.version, spread_sharding(each.array)
            written.append(Written(number, versions, len(outputs) - 1, place, sharding))

    known: dict[int, Returned] = {}

    def returned(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        if id(value) not in known:
            number = seen.number_of(value)
            if number is not None:
                known[id(value)] = Returned(None, number, None)
            else:
                outputs.append(value._array)
                place = place_of(value._meta, value._array)
                known[id(value)] = Returned(len(outputs) - 1, None, place)
        return known[id(value)]

    replaced = [
        Replaced(table, name, returned(table[name])) for table, name in seen.replaced_members()
    ]
    results = _mapped_result(returned, result), replaced
    return places, {"outputs": outputs, "written": written, "result": results}


def _mapped_result(function: Callable, result: Any) -> Any:
    for end in ends(result):
        inside = vars(end).values() if hasattr(end, "__dict__") else ()
        if not isinstance(end, Tensor) and any(isinstance(each, Tensor) for each in inside):
            raise UnimplementedError(
                f"it returns a {type(end).__name__}, which has tensors inside; a program returns "
                "tensors, and lists, tuples and dicts of them."
            )
    return mapped(function, result)


def _graded(seen: Capture, outputs: list) -> list[Graded]:
    """Returns the gradients of leaves that a function has changed, and adds them to outputs."""
    graded = []
    for number, each in enumerate(seen.lifted):
        fresh = each.fresh
        if fresh is None:
            continue
        if fresh.grad is None:
            if each.had_grad:
                graded.append(Graded(number, None, fresh.zeros))
        elif fresh.grad is not each.traced_grad or seen.number_of(fresh.grad) is None:
            outputs.append(fresh.grad._array)
            graded.append(Graded(number, len(outputs) - 1, None))
    return graded


def _gradients(seen: Capture, places: list) -> tuple[list[int], list]:
    """Runs the tape of a trace; returns the tensors that gradients go to, and the gradients."""
    leaves = [
        (number, gradient_edge(each.fresh))
        for number, each in enumerate(seen.lifted)
        if each.fresh is not None
        and not each.fresh.stop_gradient
        and jnp.issubdtype(each.array.dtype, jnp.inexact)
    ]
    roots = [(gradient_edge(meta), seen.gradient(aval)) for meta, aval in places]
    found = run_partial(roots, [edge for _, edge in leaves], retain_graph=False)
    wanted, gradients = [], []
    for (number, _), gradient in zip(leaves, found, strict=True):
        if gradient is not None and gradient is not UNREACHED:
            wanted.append(number)
            gradients.append(gradient._array)
    return wanted, gradients


def _refuse_shared_writes(seen: Capture) -> None:
    """Raises when a written tensor shares its memory with another lifted one."""
    by_storage: dict[int, list[Lifted]] = {}
    for each in seen.lifted:
        by_storage.setdefault(id(each.storage), []).append(each)
    for group in by_storage.values():
        if len(group) > 1 and any(each.tensor._array is not each.traced for each in group):
            names = " and ".join(each.tensor.name for each in group)
            raise UnimplementedError(f"it writes into {names}, which share their memory.")
