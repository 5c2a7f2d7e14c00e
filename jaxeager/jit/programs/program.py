"""A captured function as compiled calls: one forward, one backward, and ONE node on the tape.

Note [Programs as nodes]
    A call is recorded as one ``Dy2StGradNode``, Paddle 3.3.1's name: its edges lead to every tensor
    that the function uses and that requires a gradient, hooks and dumps see it as any other node,
    and its VJP kernel is the compiled backward. The gradient of a gradient is another program: that
    of the function and its backward, recorded. So every order follows from the tape's own rules.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import operator
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import jax
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

from jaxeager.arrays import random
from jaxeager.core.itemgetters import picker
from jaxeager.graph import events, rows
from jaxeager.graph.atomic import set_each
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import GradNode
from jaxeager.graph.saved import recover, save
from jaxeager.graph.views import shared_writes
from jaxeager.jit.capture.capture import capture
from jaxeager.jit.capture.captured import Returned
from jaxeager.jit.capture.nesting import mapped
from jaxeager.jit.capture.partition import parted
from jaxeager.jit.capture.side_effects import spread_sharding
from jaxeager.jit.programs.constants import opaque
from jaxeager.jit.programs.dependencies import Effect
from jaxeager.jit.programs.donated import Donated, can_donate
from jaxeager.jit.programs.fitting import Fit
from jaxeager.jit.programs.second_order import with_backward
from jaxeager.kernels import compilations
from jaxeager.kernels.call_shapes import Change
from jaxeager.kernels.lazy import mode as lazy_mode
from jaxeager.kernels.lazy.pending import values_of
from jaxeager.kernels.memory_bound import jitted
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.creation_events import call_with_events, kernel_done
from jaxeager.ops.call.kernels import filled
from jaxeager.ops.row import Operand
from jaxeager.tensor import Tensor

_numbers = itertools.count()
_GRAD_NAME = "Dy2StGradNode"


def _arrays_of(tensors: Sequence) -> list:
    arrays = [None if tensor is None else tensor._array for tensor in tensors]
    return values_of(arrays) if lazy_mode.is_installed else arrays


class ShapesChanged(Exception):
    """Raised when the shape or dtype of a used tensor differs from that at the capture."""


class Program:
    """A function compiled for arguments of some kinds: see Note [Programs as nodes].

    Args:
        function: takes a list of tensors, and uses any other tensors.
        arguments: that list, each tensor once.
        name: its name.
        wants_gradients: whether it has a backward.
        layers: Layers whose buffers it may replace by other tensors.
        lowers: whether ``if`` and ``while`` on tensors become part of it (lowering/).

    Attributes:
        captured: the Captured of the function.
        calls: the number of its runs.
        number: the number of programs captured before it.
        effects: numbers and strings that are set again on each call.
        fit: the properties of its tensors that it depends on.
        own: the arguments that the function also uses directly; None for others.
        as_captured: returns a block in which Python's state is that of the capture.
        made_for: the properties of the call that it was captured for.
        against: the differences of that call from those of earlier programs.
    """

    grad_name = _GRAD_NAME
    returns_list = False
    is_program = True

    def __init__(
        self,
        function: Callable,
        arguments: Sequence[Tensor],
        name: str,
        wants_gradients: bool,
        layers: Sequence[Layer] = (),
        lowers: bool = False,
    ):
        self.function = function
        self.lowers = lowers
        self.name = name
        self.count = len(arguments)
        self.captured = found = capture(
            lambda: function(arguments), arguments, wants_gradients, layers, lowers
        )
        self.calls = 0
        self.number = next(_numbers)
        self.effects: list[Effect] = []
        self.as_captured: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext
        self.own: Sequence[Tensor | None] = [None] * self.count
        self.made_for: Any = None
        self.against: list[Change] = []
        self.halves = halves = parted(found.jaxpr, found.inputs, found.outputs)
        self.forward_inputs = self._varying(halves.forward_inputs)
        self.backward_inputs = self._varying(halves.backward_inputs)
        self._make_kernels()
        operands = [f"x{place}" for place in range(len(found.wanted))]
        self.operands = tuple([Operand(n, i, False, False, True) for i, n in enumerate(operands)])
        self.differentiable = self.operands
        self.others = found.tensors[self.count :]
        self._wanted_of = picker(found.wanted)
        self._out_avals = tuple([ShapedArray(*place) for place in found.places])
        self.argument_avals = [
            jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=spread_sharding(a))
            for a in [each._array for each in arguments]
        ]
        self._input_avals = [
            (tuple(found.tensors[n].shape), found.tensors[n]._array.dtype) for n in found.wanted
        ]
        self.fit = Fit(found, self.count, self._taken())
        for place in self.fit.unheld:
            self.others[place - self.count] = None
        self._members = self._used_members()
        del found.tensors[: self.count]  # a batch is not kept
        self._first_draws: list | None = found.draws
        self._again: Program | None = None

    # ---- construction

    def _make_kernels(self) -> None:
        """Make the jitted forward, its call that donates, and the jitted backward."""
        found, halves = self.captured, self.halves
        placed = {each.output: each.sharding for each in found.written if each.sharding}
        forward = self._function_of(self.name, halves.forward, halves.forward_inputs, placed)
        self.forward = jitted(forward)
        self.donated = None
        if can_donate(found, halves.forward.out_avals, self.count):
            count = len(halves.forward.out_avals)
            self.donated = Donated(forward, self.forward_inputs, found, count)
        if halves.backward is not None:
            self.backward = jitted(
                self._function_of(f"{self.name}_grad", halves.backward, halves.backward_inputs)
            )

    def _used_members(self) -> list[tuple[int, dict, str]]:
        """Return the number, the table and the name of each replaced member that it reads."""
        numbers = {id(tensor): place for place, tensor in enumerate(self.captured.tensors)}
        return [
            (numbers[id(table[name])], table, name)
            for table, name, *_ in self.captured.replaced
            if id(table.get(name)) in numbers
        ]

    def _taken(self) -> set[int]:
        """Return the numbers of the lifted tensors that it takes."""
        inputs = (*self.forward_inputs, *self.backward_inputs)
        return {number for kind, number in inputs if kind == "lifted"}

    def _constant(self, place: int) -> np.ndarray | None:
        """Return a constant of few elements, which becomes a part of the program."""
        kind, value = self.captured.inputs[place]
        return value if kind == "constant" and value.size <= 16 else None

    def _varying(self, places: list[int]) -> list[tuple]:
        """Return the inputs that are read on each call."""
        return [self.captured.inputs[p] for p in places if self._constant(p) is None]

    def _function_of(
        self, name: str, jaxpr: ClosedJaxpr, places: list[int], placed: dict[int, Any] | None = None
    ) -> Callable:
        """Return a jaxpr as a function, with the outputs in ``placed`` moved to their devices."""
        run, against = jaxpr_as_fun(jaxpr), self.against
        constants = [self._constant(place) for place in places]
        constants += [None] * (len(jaxpr.in_avals) - len(places))
        expected = [
            aval for aval, known in zip(jaxpr.in_avals, constants, strict=True) if known is None
        ]

        def program(*arrays):
            began = compilations.now()
            for array, aval in zip(arrays, expected, strict=True):
                if array.shape != aval.shape or (
                    array.dtype != aval.dtype and array.dtype != jax.dtypes.float0
                ):
                    raise ShapesChanged
            given = iter(arrays)
            outs = run(*[next(given) if known is None else opaque(known) for known in constants])
            for output, sharding in (placed or {}).items():
                outs[output] = jax.lax.with_sharding_constraint(outs[output], sharding)
            compilations.traced(name, f"{name}()", (), arrays, began, tuple(against))
            return outs

        program.__name__ = program.__qualname__ = name
        return program

    def compiled(self) -> jax.stages.Compiled:
        """Return forward as ``jax.stages.Compiled``: its HLO, its memory."""
        others = [None if each is None else each._array for each in self.others]
        key = random.no_key()
        given = {
            "lifted": [*self.argument_avals, *others],
            "draw": [key] * len(self.captured.draws),
            "per_call": [getter() for getter in self.captured.per_call],
        }
        return self.forward.lower(*self._asked_for(self.forward_inputs, given)).compile()

    @staticmethod
    def _asked_for(inputs: list[tuple], given: dict[str, list]) -> list:
        return [v if kind == "constant" else given[kind][v] for kind, v in inputs]

    # ---- a call

    def fits(self, tensors: Sequence[Tensor | None]) -> bool:
        """Return whether the tensors are like those at the capture.

        Args:
            tensors: those of ``tensors_of``.
        """
        return self.fit.is_for(tensors) and all(map(operator.call, self.captured.guards))

    def tensors_of(self, arguments: Sequence[Tensor]) -> list:
        """Return all tensors that it uses in a call, from the tensors among its arguments."""
        tensors = [*arguments, *self.others]
        for place, table, name in self._members:
            tensors[place] = table[name]
        for place, owner in self.fit.gradients:
            meta = tensors[owner]._meta
            tensors[place] = None if meta is None else rows.dense_or_none(meta.grad)
        return tensors

    def call(self, tensors: Sequence[Tensor | None]) -> Any:
        """Run it on tensors, and return the result of the function."""
        draws, self._first_draws = self._first_draws, None
        if draws is None:
            draws = [random.next_key() for _ in self.captured.draws]
        per_call = [getter() for getter in self.captured.per_call]
        self.calls += 1
        if not events.has_ops or grad_mode.silent:
            if self.donated is not None:
                return self._run_donating(self.donated, tensors, draws, per_call)
            return self._run(tensors, _arrays_of(tensors), draws, per_call, True, None)
        arrays = _arrays_of(tensors)
        is_recorded = self.captured.wanted and grad_mode.enabled

        def run(seen: events.Call) -> Any:
            return self._run(tensors, arrays, draws, per_call, True, seen)

        return call_with_events(self.name, tensors, _GRAD_NAME if is_recorded else "", run)

    def _run_donating(
        self, donated: Donated, tensors: Sequence, draws: list, per_call: list
    ) -> Any:
        """Run forward in the memory of its written tensors, and apply its other effects."""
        for number, stops in self.captured.stopped:
            tensors[number].stop_gradient = stops
        outs = donated.run(tensors, {"draw": draws, "per_call": per_call}, self.fit.storages)
        node = None
        if self.captured.places and grad_mode.enabled:
            node = self._record(tensors, {}, outs)
        return self._returned(tensors, outs, node, True)[0]

    def _run(
        self, tensors: Sequence, arrays: list, draws: list, per_call: list, writes: bool,
        seen: events.Call | None,
    ) -> Any:  # fmt: skip
        """Run forward, record it, and apply the other effects of the function."""
        found = self.captured
        given = {"lifted": arrays, "draw": draws, "per_call": per_call}
        outs = self.forward(*self._asked_for(self.forward_inputs, given))
        for number, stops in found.stopped if writes else ():
            tensors[number].stop_gradient = stops
        if seen is not None:
            kernel_done(seen, list(outs[: found.outputs]))
        node = None
        if found.places and grad_mode.enabled:
            node = self._record(tensors, given, outs)
        if writes:
            self._apply_changes(tensors, outs, node)
        result, made = self._returned(tensors, outs, node, writes)
        if seen is not None:
            seen.node = node
            seen.outputs = tuple([each for each in made if each is not None])
        return result

    def _returned(
        self, tensors: Sequence, outs: Sequence, node: GradNode | None, writes: bool
    ) -> tuple[Any, list]:
        """Return the result of the function, and the tensors that were made for it."""
        found = self.captured
        made: list = [None] * found.outputs

        def returned(end: object) -> Any:
            if type(end) is not Returned:
                return end
            if end.output is None:
                return tensors[end.lifted]  # type: ignore[index]
            tensor = made[end.output]
            if tensor is None:
                tensor = made[end.output] = dispatch.wrap(outs[end.output])
                if node is not None and end.place is not None:
                    dispatch.attach(tensor, node, end.place, 0)
            return tensor

        result = mapped(returned, found.result, stops_at=Returned)
        for table, member, value, layer in found.replaced if writes else ():
            if table.get(member) is None:  # a new member
                vars(layer).pop(member, None)
                changes.note()
            table[member] = returned(value)
        return result, made

    def _record(self, tensors: Sequence, given: dict, outs: Sequence) -> GradNode | None:
        """Make the node of a call."""
        found = self.captured
        edges = tuple(map(dispatch.edge_of, self._wanted_of(tensors)))
        if not any(edges) and not found.released and found.stale is None:
            return None
        node = GradNode()
        node.op = self
        node.edges = edges
        node.mask = tuple(map(operator.is_not, edges, repeat(None)))
        node.width = len(found.places)
        node.out_avals = self._out_avals
        if found.released:
            node.released = True
            return node
        if found.stale is not None:
            node.saved, node.scalars = (), (given,)
            return node
        kept = self._asked_for(self.backward_inputs, given)
        node.saved = tuple([save(array, None) for array in (*kept, *outs[found.outputs :])])
        node.scalars = (given,)
        dispatch.show_node(node)
        return node

    def _apply_changes(self, tensors: Sequence, outs: Sequence, node: GradNode | None) -> None:
        """Set the new values and gradients of tensors that the function writes, and of leaves."""
        found = self.captured
        changes: list[tuple] = []
        for number, versions, output, place, _ in found.written:
            tensor, array = tensors[number], outs[output]
            storage = tensor._storage
            meta: Any = shared_writes.KEEP
            if place is not None and node is not None:
                target = dispatch.wrap(array)
                dispatch.attach(target, node, place, 0)
                meta = target._meta
            if storage.sharers is not None:
                shared_writes.write_shared(tensor, array, meta, meta is not shared_writes.KEEP)
            elif meta is not shared_writes.KEEP:
                shared_writes.assign(tensor, array, meta)
            else:
                changes.append((tensor, "_array", array))
            changes.append((storage, "version", storage.version + versions))
        for number, output, zeros, stops, present in found.graded:
            meta = tensors[number]._meta
            if meta is None:  # the function sets a gradient of a tensor without an AutogradMeta
                meta = tensors[number]._meta = AutogradMeta()
            grad = None if output is None else rows.gradient_of(outs, output, present, stops)
            changes += [(meta, "zeros", zeros), (meta, "grad", grad)]
        set_each(changes)

    # ---- the tape's interface of a row

    def run_vjp(self, node: GradNode, grads: list) -> tuple:
        """Return the gradient of each tensor that requires one, arrays."""
        self._refuse_stale()
        kept = [recover(wrapper, node) for wrapper in node.saved]
        full = [
            filled(node.out_avals[place], 0) if grads[place] is None else grads[place]
            for place in self.halves.gradients
        ]
        made = tuple(self.backward(*kept, *full))
        if None in grads:
            made = self._reached(made, grads)
        return rows.noted(made, node, self.captured.rows) if self.captured.rows else made

    def _reached(self, made: tuple, grads: list) -> tuple:
        """Return the gradients; None for those that depend on no gradient of an output."""
        ways = self.halves.ways
        return tuple(
            [
                None if ways[at] and all(grads[place] is None for place in ways[at]) else each
                for at, each in enumerate(made)
            ]
        )

    def record_vjp(self, node: GradNode, grads: list) -> tuple:
        """Do the work of ``run_vjp`` on Tensors, as a call of another program."""
        self._refuse_stale()
        (given,) = node.scalars
        full = [
            dispatch.wrap(filled(aval, 0)) if grad is None else grad
            for grad, aval in zip(grads, node.out_avals, strict=True)
        ]
        again = self._again
        if again is None:
            again = self._again = with_backward(self, full)
        return tuple(again._call_for(self, node, given, full))

    def _refuse_stale(self) -> None:
        stale = self.captured.stale
        if stale is not None:
            raise copy.copy(stale)

    def _call_for(self, first: Program, node: Any, given: dict, gradients: list) -> list:
        """Run the program of forward and backward for a node of the first program."""
        standing = [dispatch.wrap(array) for array in given["lifted"]]
        for number, edge in zip(first.captured.wanted, node.edges, strict=True):
            if edge is not None:
                dispatch.attach(standing[number], edge.node, edge.slot, edge.rank)
        by_id = {id(e): standing[first.count + n] for n, e in enumerate(first.others)}
        others = [by_id.get(id(each), each) for each in self.others]  # or constants that it makes
        tensors = [*standing[: first.count], *gradients, *others]
        arrays = _arrays_of(tensors)
        self._first_draws = None
        return self._run(tensors, arrays, given["draw"], given["per_call"], False, None)

    def input_avals(self, node: GradNode) -> list:
        """Return (shape, dtype) of each tensor that gets a gradient."""
        return self._input_avals
