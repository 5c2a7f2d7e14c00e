"""The gradient of a loop whose number of rounds is known only after it has run.

Note [Gradients of loops]
    JAX has no gradient for ``lax.while_loop``, because the amount of data to keep is unknown. Here
    forward keeps the number of rounds and the initial state. Backward runs the rounds again and
    keeps the state at ``_KEPT`` rounds at equal distances. Then it goes back round by round, each
    time from the last kept state before it. Up to ``_KEPT`` rounds cost two forwards and a backward
    each; of n rounds each is run again n / (2 * _KEPT) times more. There is no gradient of this
    gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jax import lax

_KEPT = 16


def looped(goes_on: Callable, body: Callable) -> Callable:
    """Return a loop with a gradient, as a function of (state, given), lists of arrays.

    Args:
        goes_on: takes state and given; returns bool[].
        body: takes state and given; returns the next state.
    """

    @jax.custom_vjp
    def run(state: list, given: list) -> list:
        return lax.while_loop(lambda s: goes_on(s, given), lambda s: body(s, given), state)

    def forward(state: list, given: list) -> tuple[list, tuple]:
        count, after = lax.while_loop(
            lambda held: goes_on(held[1], given),
            lambda held: (held[0] + 1, body(held[1], given)),
            (jnp.zeros((), "int64"), state),
        )
        return after, (state, given, count)

    def backward(kept: tuple, grads: list) -> tuple[list, list]:
        state, given, count = kept
        stride = jnp.maximum((count + _KEPT - 1) // _KEPT, 1)
        states = _kept_states(body, state, given, count, stride)
        of_state = [grad for grad, each in zip(grads, state, strict=True) if _is_inexact(each)]
        of_given = [jnp.zeros_like(each) for each in given if _is_inexact(each)]

        def back(held: tuple) -> tuple:
            place, of_state, of_given = held
            place = place - 1
            near = [each[place // stride] for each in states]
            now = lax.fori_loop(0, place % stride, lambda _, s: body(s, given), near)
            of_state, more = _pulled(body, now, given, of_state)
            return place, of_state, [a + b for a, b in zip(of_given, more, strict=True)]

        _, of_state, of_given = lax.while_loop(
            lambda held: held[0] > 0, back, (count, of_state, of_given)
        )
        return _laid_out(of_state, state), _laid_out(of_given, given)

    run.defvjp(forward, backward)
    return run


def _kept_states(
    body: Callable, state: Sequence[jax.Array], given: list, count: jax.Array, stride: jax.Array
) -> list:
    """Return the state at every ``stride``-th round, stacked in one array per state array."""
    kept = [jnp.zeros((_KEPT, *each.shape), each.dtype) for each in state]

    def once(place: jax.Array, held: tuple) -> tuple:
        state, kept = held
        at, is_kept = place // stride, place % stride == 0
        kept = [
            each.at[at].set(jnp.where(is_kept, now, each[at]))
            for each, now in zip(kept, state, strict=True)
        ]
        return body(state, given), kept

    return lax.fori_loop(jnp.zeros((), count.dtype), count, once, (list(state), kept))[1]


def _pulled(body: Callable, state: list, given: list, grads: list) -> tuple[list, list]:
    """Return the gradients of the floating arrays of state and given, of one round."""

    def floating(of_state: list, of_given: list) -> list:
        after = body(_filled(state, of_state), _filled(given, of_given))
        return [each for each in after if _is_inexact(each)]

    wanted = [[e for e in arrays if _is_inexact(e)] for arrays in (state, given)]
    _, pull = jax.vjp(floating, *wanted)
    return pull(grads)


def _filled(arrays: Sequence[jax.Array], floating: Sequence[jax.Array]) -> list:
    """Return arrays with the floating ones replaced."""
    waiting = iter(floating)
    return [next(waiting) if _is_inexact(each) else each for each in arrays]


def _laid_out(grads: Sequence[jax.Array], arrays: Sequence[jax.Array]) -> list:
    """Return a gradient for each array; None for those that have none."""
    waiting = iter(grads)
    return [next(waiting) if _is_inexact(each) else None for each in arrays]


def _is_inexact(array: jax.Array) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)
