"""``static.nn.cond`` and ``while_loop`` in a captured function: JAX's ``switch`` and ``while``.

Each branch, condition or body is captured separately, so that the tensors it uses are known. They
are the operands of one JAX function, which the tape records as any other (``from_jax``). A gradient
passes through the chosen branch, and back through the rounds of a loop (loop_gradients.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from jaxeager.arrays import random
from jaxeager.errors import UnimplementedError
from jaxeager.jax_bridge.from_jax import from_jax
from jaxeager.jit.capture.capture import set_flow
from jaxeager.jit.capture.captured import Returned
from jaxeager.jit.capture.loop_gradients import looped
from jaxeager.jit.capture.nesting import mapped
from jaxeager.jit.capture.parts import Part, drawing, key_of_stream, part_of
from jaxeager.ops.call.dispatch import wrap
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax


def _part(what: str, function: Callable, arguments: Sequence[Tensor]) -> Part:
    part = part_of(what, function, arguments)
    if part.written:
        raise UnimplementedError(
            f"{what}: a function writes into a tensor that is not an argument. Return the new "
            "value instead."
        )
    return part


def _run_of(part: Part) -> Callable[[Sequence[jax.Array], Sequence[jax.Array]], list]:
    """Return a part as a function of (arguments, outside), arrays, which holds no tensor.

    JAX caches functions with a custom gradient, and with them everything that they hold.
    """
    run, ends = part.run, part.returned()

    def arrays(arguments: Sequence[jax.Array], outside: Sequence[jax.Array]) -> list:
        ran = run(arguments, outside)
        return [ran.array(end) for end in ends]

    return arrays


def branch(number: Tensor, functions: Sequence[Callable]) -> Any:
    """Return the result of the function with a number; of the last one for other numbers."""
    key = key_of_stream()
    keys = [] if key is None else [key]

    def part(function: Callable) -> Part:
        def run() -> Any:
            with drawing(key):
                return function()

        return _part("cond", run, keys)

    parts = [part(function) for function in functions]
    lengths = [len(part.outside) for part in parts]
    starts = [sum(lengths[:n]) for n in range(len(parts))]
    pieces = [slice(at, at + length) for at, length in zip(starts, lengths, strict=True)]
    of_parts = list(map(_run_of, parts))

    def switch(index: jax.Array, *given: jax.Array) -> list:
        runs = [
            lambda keys, outside, run=run, piece=piece: run(keys, outside[piece])
            for run, piece in zip(of_parts, pieces, strict=True)
        ]
        chosen = index.reshape(()).astype("int32")
        return lax.switch(chosen, runs, given[: len(keys)], given[len(keys) :])

    outside = [each for part in parts for each in part.outside]
    return _filled(parts[0].result, from_jax(switch, name="cond")(number, *keys, *outside))


def loop(condition: Callable, body: Callable, values: Sequence[Tensor]) -> list:
    """Run a body as long as a condition holds; shapes and dtypes do not change.

    Each round draws its random numbers from a separate key, which is part of the loop state.
    """
    state = [
        wrap(jnp.array(value._array, copy=True)) for value in values
    ]  # copies, because the functions may use the values as well
    holds, asks_key = _drawing_part(condition, state)
    once, takes_key = _drawing_part(lambda *state: _listed(body(*state)), state)
    has_key = asks_key or takes_key
    keys = [wrap(random.plain_words(random.next_key()))] if has_key else []
    length = len(values)
    count, cut = length + len(keys), len(holds.outside)
    run_condition, run_body = _run_of(holds), _run_of(once)

    def goes_on(state: list, outside: list) -> jax.Array:
        arguments = state if has_key else [*state, random.no_key()]
        return run_condition(arguments, outside[:cut])[0].reshape(()).astype(bool)

    def round_(state: list, outside: list) -> list:
        if not has_key:
            return run_body([*state, random.no_key()], outside[cut:])
        kept, now = random.split_words(state[-1])
        return [*run_body([*state[:-1], now], outside[cut:]), kept]

    def run(*operands: jax.Array) -> list:
        found = looped(goes_on, round_)(list(operands[:count]), list(operands[count:]))
        return found[:length]

    return list(from_jax(run, name="while")(*values, *keys, *holds.outside, *once.outside))


def _drawing_part(function: Callable, state: list) -> tuple[Part, bool]:
    """Return a part of the state and a key, and whether it draws from the key."""
    key = wrap(random.no_key())
    draws = 0

    def run() -> Any:
        nonlocal draws
        with random.drawing_from(key._array) as stream:
            found = function(*state)
        draws = stream.draws
        return found

    return _part("while_loop", run, [*state, key]), draws > 0


def _listed(found: object) -> list:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _filled(result: object, tensors: Sequence[Tensor]) -> Any:
    waiting = iter(tensors)
    return mapped(
        lambda end: next(waiting) if isinstance(end, Returned) else end, result, stops_at=Returned
    )


set_flow(branch=branch, loop=loop)
