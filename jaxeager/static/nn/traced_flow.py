"""Branches and loops on values that JAX traces: ``lax.switch`` and ``lax.while_loop``.

While JAX traces (``autograd.to_jax``, ``jit.save``) a condition has no value that Python could
test. Random numbers in a branch or a body are drawn from a separate key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax
from jax.core import Tracer

from jaxeager.arrays import random
from jaxeager.graph.mode import grad_mode
from jaxeager.jax_bridge.to_jax import to_jax
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.tensor import Tensor


def is_traced(value: object) -> bool:
    """Return whether JAX traces a tensor, so that it has no value."""
    if grad_mode.capture is not None and isinstance(value, Tensor):
        grad_mode.capture.see((value,))
    return isinstance(value, Tensor) and isinstance(value._array, Tracer)


def branch(number: Tensor, functions: Sequence[Callable | None]) -> Any:
    """Return the result of the function with a number; of the last one for other numbers.

    All functions return tensors of the same shapes and dtypes, nested alike.
    """
    if grad_mode.capture is not None:
        return grad_mode.capture.branch(number, [each or _nothing for each in functions])
    return pure_branch(number, functions)


def pure_branch(number: Tensor, functions: Sequence[Callable | None]) -> Any:
    """Do the same as ``branch`` when JAX alone traces."""
    key = random.next_key()
    pure = [to_jax(each or _nothing, takes_key=True) for each in functions]
    index = number._array.reshape(()).astype("int32")
    return _tensors(lax.switch(index, pure, key))


def loop(condition: Callable, body: Callable, values: list) -> list:
    """Run a body while a condition holds; shapes and dtypes stay the same."""
    if grad_mode.capture is not None:
        return grad_mode.capture.loop(condition, body, [_as_tensor(each) for each in values])
    return pure_loop(condition, body, values)


def pure_loop(condition: Callable, body: Callable, values: Sequence[object]) -> list:
    """Do the same as ``loop`` when JAX alone traces."""
    holds, step = to_jax(condition, takes_key=True), to_jax(_listed(body), takes_key=True)

    def goes_on(state: tuple) -> jax.Array:
        key, arrays = state
        return holds(key, *arrays).reshape(()).astype(bool)

    def once(state: tuple) -> tuple:
        key, arrays = state
        key, of_step = jax.random.split(key)
        return key, step(of_step, *arrays)

    arrays = jax.tree.map(raw, list(values), is_leaf=_is_tensor)
    arrays = jax.tree.map(jax.numpy.asarray, arrays)
    return _tensors(lax.while_loop(goes_on, once, (random.next_key(), arrays))[1])


def _listed(body: Callable) -> Callable:
    def run(*values: Any) -> list:
        found = body(*values)
        return list(found) if isinstance(found, (list, tuple)) else [found]

    return run


def _as_tensor(value: object) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(jax.numpy.asarray(value))


def _nothing() -> None:
    return None


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


def _tensors(found: object) -> Any:
    return jax.tree.map(wrap, found)
