"""A branch, a condition or a body as a part of a program: a function of arrays.

Each is captured by itself, so that the tensors it uses are known: they are operands of the JAX
function that it becomes a part of (flow.py, lowering/).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

from jaxeager.core import random
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.capture.capture import SharedValue, capture
from jaxeager.jit.capture.captured import Captured, Returned
from jaxeager.jit.capture.nesting import ends
from jaxeager.ops.call.dispatch import wrap
from jaxeager.tensor import Tensor


class Part:
    """A captured part: what it takes from around it, and a function of arrays.

    Args:
        what: what it is a part of, for errors.
        function: a function of nothing, which uses the arguments.
        arguments: tensors that are given for each run.

    Attributes:
        found: what was captured.
        result: what it returns; a Returned where a tensor is.
        outside: the tensors and arrays it uses besides its arguments.
        written: the number of the output that is the new value of each tensor that it writes.
    """

    def __init__(self, what: str, function: Callable, arguments: Sequence[Any]):
        self.found: Captured = capture(function, arguments, wants_gradients=False)
        found = self.found
        if found.graded or found.replaced or found.stopped:
            grad_mode.capture.refuse(
                f"{what}: inside, a gradient is computed, a buffer replaced, or stop_gradient set, "
                "which belongs outside."
            )
        self.result = found.result
        self.written = {each.lifted: each.output for each in found.written}
        self._count = len(arguments)
        inner = found.jaxpr.jaxpr
        opened = inner.replace(
            constvars=[],
            invars=inner.constvars,
            debug_info=inner.debug_info.with_unknown_names(),
        )
        self.outside = list(found.tensors[self._count :])
        self.outside += [value for kind, value in found.inputs if kind == "constant"]
        plan = [value if kind == "lifted" else None for kind, value in found.inputs]
        lifted = len(found.tensors) - self._count
        self.run = Run(jaxpr_as_fun(ClosedJaxpr(opened, [])), plan, lifted)

    @property
    def tensors(self) -> list[Any]:
        """Return the tensors that it uses, its arguments first."""
        return self.found.tensors

    def written_tensors(self) -> list[Any]:
        """Return the tensors that it writes, its arguments among them."""
        return [self.tensors[number] for number in self.written]

    def returned(self) -> list[Returned]:
        """Return the tensors among what it returns."""
        return [end for end in ends(self.result, Returned) if isinstance(end, Returned)]

    def source(self, end: Returned) -> Returned:
        """Return where a returned tensor comes from: one that is written is an output."""
        if end.output is not None or end.lifted not in self.written:
            return end
        return Returned(self.written[end.lifted], end.lifted, None)

    def aval_of(self, end: Returned) -> Any:
        """Return what has shape and dtype of a returned tensor."""
        output = self.source(end).output
        if output is None:
            return self.tensors[end.lifted or 0]._array
        return self.found.jaxpr.out_avals[output]

    def tensor_of(self, end: Returned) -> Any:
        """Return the tensor from outside that is returned, written or not; or None."""
        return self.tensors[end.lifted or 0] if end.output is None else None

    def written_source(self, tensor: Any) -> Returned | None:
        """Return where the new value of a tensor comes from; None when it is not written."""
        for number, output in self.written.items():
            if self.tensors[number] is tensor:
                return Returned(output, number, None)
        return None


class Run(NamedTuple):
    """What computes a part: it holds no tensor, for JAX keeps it with the program.

    Attributes:
        function: takes the arrays of a jaxpr.
        plan: for each of them the number of a tensor, None for a constant.
        lifted: how many tensors from outside there are.
    """

    function: Callable
    plan: list[int | None]
    lifted: int

    def __call__(self, arguments: Sequence[Any], outside: Sequence[Any]) -> Ran:
        """Return what a run computes."""
        tensors = [*arguments, *outside[: self.lifted]]
        constants = iter(outside[self.lifted :])
        given = [next(constants) if at is None else tensors[at] for at in self.plan]
        return Ran(tensors, self.function(*given))


class Ran(NamedTuple):
    """What one run of a part has computed.

    Attributes:
        tensors: the arrays of the tensors that it used.
        outs: its outputs.
    """

    tensors: list
    outs: Sequence[Any]

    def array(self, source: Returned) -> Any:
        """Return an array by where it comes from: see ``Part.source``."""
        output = source.output
        return self.tensors[source.lifted or 0] if output is None else self.outs[output]


def part_of(what: str, function: Callable, arguments: Sequence[Any]) -> Part:
    """Capture a part; two tensors of one array are given one each."""
    while True:
        try:
            return Part(what, function, arguments)
        except SharedValue as shared:
            outer = grad_mode.capture
            tensor = shared.tensor
            if outer.number_of(tensor) is not None:  # then it is the other one
                tensor = shared.first
            tensor._array = jnp.array(tensor._array, copy=True)


def wants_gradient(value: Any) -> bool:
    """Return whether a gradient can be asked of a tensor; not of an array."""
    return (
        isinstance(value, Tensor)
        and not value.stop_gradient
        and jnp.issubdtype(value._array.dtype, jnp.inexact)
    )


# ---- random draws


def key_of_stream() -> Any:
    """Return a tensor to draw from within a part; None where the capture around has the keys."""
    if not random.draws_from_key():
        return None
    return wrap(random.plain_words(random.next_key()))


def drawing(key: Any) -> Any:
    """Let a block draw from a tensor, or as before when that is None."""
    return contextlib.nullcontext() if key is None else random.drawing_from(key._array)
