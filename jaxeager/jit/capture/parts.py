"""A branch, a condition or a body as a part of a program: a function of arrays.

Each is captured separately, so that the tensors it uses are known: they are operands of the JAX
function that it becomes a part of (flow.py, lowering/).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

from jaxeager.arrays import random
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.capture.capture import SharedValue, capture
from jaxeager.jit.capture.captured import Captured, Returned
from jaxeager.jit.capture.nesting import ends
from jaxeager.ops.call.dispatch import wrap
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import jax
    from jax.core import ShapedArray


class Part:
    """A captured part: its inputs from outside, and a function of arrays.

    Args:
        what: the name of the statement, for errors.
        function: a function without arguments, which uses ``arguments``.
        arguments: tensors that are given for each run.

    Attributes:
        found: the Captured.
        result: its result, with a Returned for each tensor.
        outside: the tensors and arrays it uses besides its arguments.
        written: the number of the output that is the new value of each tensor that it writes.
    """

    def __init__(self, what: str, function: Callable, arguments: Sequence[Tensor]):
        self.found: Captured = capture(function, arguments, wants_gradients=False)
        found = self.found
        if found.graded or found.replaced or found.stopped:
            grad_mode.capture.refuse(
                f"{what}: its function computes a gradient, replaces a buffer, or sets "
                "stop_gradient. Do that outside."
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
    def tensors(self) -> list[Tensor]:
        """Return the tensors that it uses, its arguments first."""
        return self.found.tensors

    def written_tensors(self) -> list[Tensor]:
        """Return the tensors that it writes, including its arguments."""
        return [self.tensors[number] for number in self.written]

    def returned(self) -> list[Returned]:
        """Return the tensors in its result."""
        return [end for end in ends(self.result, Returned) if isinstance(end, Returned)]

    def source(self, end: Returned) -> Returned:
        """Return the source of a returned tensor: a written tensor is an output."""
        if end.output is not None or end.lifted not in self.written:
            return end
        return Returned(self.written[end.lifted], end.lifted, None)

    def aval_of(self, end: Returned) -> jax.Array | ShapedArray:
        """Return an object with the shape and dtype of a returned tensor."""
        output = self.source(end).output
        if output is None:
            return self.tensors[end.lifted or 0]._array
        return self.found.jaxpr.out_avals[output]

    def tensor_of(self, end: Returned) -> Tensor | None:
        """Return the returned tensor from outside, written or not; or None."""
        return self.tensors[end.lifted or 0] if end.output is None else None

    def written_source(self, tensor: Tensor) -> Returned | None:
        """Return the source of the new value of a tensor; None when it is not written."""
        for number, output in self.written.items():
            if self.tensors[number] is tensor:
                return Returned(output, number, None)
        return None


class Run(NamedTuple):
    """The computation of a part; it holds no tensor, because JAX keeps it with the program.

    Attributes:
        function: takes the arrays of a jaxpr.
        plan: for each of them the number of a tensor; None for a constant.
        lifted: the number of tensors from outside.
    """

    function: Callable
    plan: list[int | None]
    lifted: int

    def __call__(self, arguments: Sequence[jax.Array], outside: Sequence[jax.Array]) -> Ran:
        """Return the results of a run."""
        tensors = [*arguments, *outside[: self.lifted]]
        constants = iter(outside[self.lifted :])
        given = [next(constants) if at is None else tensors[at] for at in self.plan]
        return Ran(tensors, self.function(*given))


class Ran(NamedTuple):
    """The results of one run of a part.

    Attributes:
        tensors: the arrays of the tensors that it used.
        outs: its outputs.
    """

    tensors: list[jax.Array]
    outs: Sequence[jax.Array]

    def array(self, source: Returned) -> jax.Array:
        """Return the array of a source: see ``Part.source``."""
        output = source.output
        return self.tensors[source.lifted or 0] if output is None else self.outs[output]


def part_of(what: str, function: Callable, arguments: Sequence[Tensor]) -> Part:
    """Capture a part; two tensors of one array get separate copies."""
    while True:
        try:
            return Part(what, function, arguments)
        except SharedValue as shared:
            outer = grad_mode.capture
            tensor = shared.tensor
            if outer.number_of(tensor) is not None:  # then it is the other one
                tensor = shared.first
            tensor._array = jnp.array(tensor._array, copy=True)


def wants_gradient(value: object) -> bool:
    """Return whether a value is a tensor that can have a gradient; False for an array."""
    return (
        isinstance(value, Tensor)
        and not value.stop_gradient
        and jnp.issubdtype(value._array.dtype, jnp.inexact)
    )


# ---- random draws


def key_of_stream() -> Tensor | None:
    """Return a key, a tensor, for draws within a part; None if the outer capture has the keys."""
    if not random.draws_from_key():
        return None
    return wrap(random.plain_words(random.next_key()))


def drawing(key: Tensor | None) -> AbstractContextManager:
    """Make a block draw from a key, a tensor; None changes nothing."""
    return contextlib.nullcontext() if key is None else random.drawing_from(key._array)
