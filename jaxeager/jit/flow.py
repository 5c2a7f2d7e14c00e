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

from jaxeager.autograd.jax_ops import from_jax
from jaxeager.errors import UnimplementedError
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.capture import set_flow
from jaxeager.jit.captured import Returned
from jaxeager.jit.nesting import mapped
from jaxeager.jit.parts import Part, part_of, wants_gradient
from jaxeager.ops.call.dispatch import wrap
from jaxeager.tensor import Tensor


def _part(what: str, function: Callable, arguments: Sequence[Any]) -> Part:
    part = part_of(what, function, arguments)
    if part.written:
        raise UnimplementedError(
            f"{what}: a function writes into a tensor that it was not given. Return the new "
            "value instead."
        )
    return part


def _arrays(part: Part, arguments: Sequence[Any], outside: Sequence[Any]) -> list:
    """Returns the arrays of the tensors that a part returns, in their order."""
    ran = part.run(arguments, outside)
    return [ran.array(end) for end in part.returned()]


def branch(number: Tensor, functions: Sequence[Callable]) -> Any:
    """Returns what the function of a number returns; the last one for others."""
    parts = [_part("cond", function, []) for function in functions]
    starts = [sum(len(part.outside) for part in parts[:n]) for n in range(len(parts))]

    def switch(index: Any, *outside: Any) -> list:
        runs = [
            lambda given, part=part, at=at: _arrays(part, [], given[at : at + len(part.outside)])
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
    if grad_mode.enabled and any(map(wants_gradient, (*values, *holds.outside, *once.outside))):
        grad_mode.capture.refuse(
            "while_loop has no gradient backwards in a program, for nobody knows how often it "
            "runs. Use a Python `for` with a number, or paddle.no_grad()."
        )
    count, cut = len(values), len(values) + len(holds.outside)

    def run(*operands: Any) -> list:
        of_holds, of_once = operands[count:cut], operands[cut:]
        return lax.while_loop(
            lambda state: _arrays(holds, state, of_holds)[0].reshape(()).astype(bool),
            lambda state: _arrays(once, state, of_once),
            list(operands[:count]),
        )

    return list(from_jax(run, name="while")(*values, *holds.outside, *once.outside))


def _listed(found: Any) -> list:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _filled(result: Any, tensors: Sequence[Tensor]) -> Any:
    waiting = iter(tensors)
    return mapped(
        lambda end: next(waiting) if isinstance(end, Returned) else end, result, stops_at=Returned
    )


set_flow(branch=branch, loop=loop)
