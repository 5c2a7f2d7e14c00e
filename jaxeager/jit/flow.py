"""``static.nn.cond`` and ``while_loop`` inside a captured function: JAX's ``switch`` and ``while``.

Each branch, condition or body is captured by itself, so that the tensors it uses are known; they
are the operands of one JAX function, which the tape records as it does any other (``from_jax``).
A gradient goes through the branch that is taken. JAX has none for a loop whose length is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

from jaxeager.autograd.jax_ops import from_jax
from jaxeager.errors import UnimplementedError
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.capture import SharedValue, capture, set_flow
from jaxeager.jit.captured import Captured, Returned
from jaxeager.jit.nesting import ends, mapped
from jaxeager.ops.call.dispatch import wrap
from jaxeager.tensor import Tensor


class _Part:
    """A captured part: what it takes from around it, and a function of arrays.

    Attributes:
        outside: the tensors and arrays it uses beside its arguments.
        result: what it returns; a Returned where a tensor is.
    """

    def __init__(self, what: str, function: Callable, arguments: Sequence[Any]):
        found: Captured = capture(function, arguments, wants_gradients=False)
        if found.written or found.graded or found.replaced:
            raise UnimplementedError(
                f"{what}: a function writes into a tensor that it was not given. Return the new "
                "value instead."
            )
        self.result = found.result
        self._count = len(arguments)
        self._inputs = found.inputs
        inner = found.jaxpr.jaxpr
        opened = inner.replace(
            constvars=[],
            invars=inner.constvars,
            debug_info=inner.debug_info.with_unknown_names(),
        )
        self._run = jaxpr_as_fun(ClosedJaxpr(opened, []))
        self.outside = list(found.tensors[self._count :])
        self.outside += [value for kind, value in found.inputs if kind == "constant"]
        self._lifted = len(found.tensors) - self._count

    def call(self, arguments: Sequence[Any], outside: Sequence[Any]) -> list:
        """Returns the arrays of the tensors it returns, in their order."""
        tensors = [*arguments, *outside[: self._lifted]]
        constants = iter(outside[self._lifted :])
        given = [
            tensors[value] if kind == "lifted" else next(constants) for kind, value in self._inputs
        ]
        outs = self._run(*given)
        return [
            tensors[end.lifted or 0] if end.output is None else outs[end.output]
            for end in self.returned()
        ]

    def returned(self) -> list[Returned]:
        """Returns the tensors among what it returns."""
        return [end for end in ends(self.result, Returned) if isinstance(end, Returned)]


def _part(what: str, function: Callable, arguments: Sequence[Any]) -> _Part:
    """Captures a part; two tensors of one array are given one each."""
    while True:
        try:
            return _Part(what, function, arguments)
        except SharedValue as shared:
            outer = grad_mode.capture
            tensor = shared.tensor
            if outer.number_of(tensor) is not None:  # then it is the other one
                tensor = shared.first
            tensor._array = jnp.array(tensor._array, copy=True)


def branch(number: Tensor, functions: Sequence[Callable]) -> Any:
    """Returns what the function of a number returns; the last one for others."""
    parts = [_part("cond", function, []) for function in functions]
    starts = [sum(len(part.outside) for part in parts[:n]) for n in range(len(parts))]

    def switch(index: Any, *outside: Any) -> list:
        runs = [
            lambda given, part=part, at=at: part.call([], given[at : at + len(part.outside)])
            for part, at in zip(parts, starts, strict=True)
        ]
        return lax.switch(index.reshape(()).astype("int32"), runs, outside)

    outside = [each for part in parts for each in part.outside]
    return _filled(parts[0].result, from_jax(switch, name="cond")(number, *outside))


def loop(condition: Callable, body: Callable, values: Sequence[Any]) -> list:
    """Runs a body as long as a condition holds; shapes and dtypes stay as they are."""
    state = [
        wrap(jnp.array(value._array, copy=True)) for value in values
    ]  # the functions may use the values as well
    holds = _part("while_loop", lambda: condition(*state), state)
    once = _part("while_loop", lambda: _listed(body(*state)), state)
    if grad_mode.enabled and any(map(_wants_gradient, (*values, *holds.outside, *once.outside))):
        grad_mode.capture.refuse(
            "while_loop has no gradient backwards in a program, for nobody knows how often it "
            "runs. Use a Python `for` with a number, or paddle.no_grad()."
        )
    count, cut = len(values), len(values) + len(holds.outside)

    def run(*operands: Any) -> list:
        of_holds, of_once = operands[count:cut], operands[cut:]
        return lax.while_loop(
            lambda state: holds.call(state, of_holds)[0].reshape(()).astype(bool),
            lambda state: once.call(state, of_once),
            list(operands[:count]),
        )

    return list(from_jax(run, name="while")(*values, *holds.outside, *once.outside))


def _wants_gradient(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and not value.stop_gradient
        and jnp.issubdtype(value._array.dtype, jnp.inexact)
    )


def _listed(found: Any) -> list:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _filled(result: Any, tensors: Sequence[Tensor]) -> Any:
    waiting = iter(tensors)
    return mapped(
        lambda end: next(waiting) if isinstance(end, Returned) else end, result, stops_at=Returned
    )


set_flow(branch, loop)
