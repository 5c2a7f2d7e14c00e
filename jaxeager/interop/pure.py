"""pure: a Layer as a function of its parameters and buffers, for use with pytrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from jaxeager.arrays import random
from jaxeager.errors import InvalidTypeError
from jaxeager.jax_bridge.to_jax import to_jax
from jaxeager.jit.saved_model.weights import standing_in, weights_of
from jaxeager.nn import Layer
from jaxeager.nn.layer.modes import in_mode


class PureLayer(NamedTuple):
    """A Layer in JAX's form: a function, and the arrays that it takes.

    Attributes:
        apply: ``apply(params, buffers, *args, key=None, training=None, **kwargs)``, which returns
            the Layer's result, with arrays instead of Tensors, and the updated buffers (running
            statistics). With a ``jax.random.key`` it draws from that; without one, random values
            are constants of a program that JAX compiles. ``training`` True or False is as
            ``train()`` and ``eval()``; None leaves the Layer unchanged.
        params: the trainable arrays, by their names in the state dict.
        buffers: the others: running statistics, frozen parameters.
    """

    apply: Callable[..., tuple[Any, dict[str, jax.Array]]]
    params: dict[str, jax.Array]
    buffers: dict[str, jax.Array]


def pure(layer: Layer) -> PureLayer:
    """Return a Layer as a pure function of its parameters and buffers.

    ``jax.jit``, ``jax.grad``, ``jax.vmap`` and optax accept it as any model of theirs. Derivatives
    are JAX's own, of the same kernels. The Layer is not modified; it holds the structure, so it
    must not be changed while the function is in use.

    Args:
        layer: a Layer whose forward does not read values of tensors.

    Raises:
        InvalidTypeError: when it is not a Layer.

    Example:
        >>> import jax
        >>> import jax.numpy as jnp
        >>> import jaxeager as paddle
        >>> apply, params, buffers = paddle.interop.pure(paddle.nn.Linear(2, 1))
        >>> def loss(params, x):
        ...     out, _ = apply(params, buffers, x)
        ...     return out.sum()
        >>> gradients = jax.jit(jax.grad(loss))(params, jnp.ones([3, 2], "float32"))
        >>> gradients["weight"].tolist()
        [[3.0], [3.0]]
    """
    if not isinstance(layer, Layer):
        raise InvalidTypeError(f"pure takes a Layer, but got {type(layer).__name__}.")
    weights = weights_of(layer)
    held = {name: weight.tensor for name, weight in weights.items()}
    params = {name: each._array for name, each in held.items() if not each.stop_gradient}
    buffers = {name: each._array for name, each in held.items() if each.stop_gradient}

    def on_tensors(arrays: dict, training: bool | None, args: tuple, kwargs: dict):
        data = {name: tensor._array for name, tensor in arrays.items()}
        with in_mode(layer, training), standing_in(weights, data):
            out = layer(*args, **kwargs)
            after = {name: weights[name].tensor._array for name in buffers}
        return out, after

    def apply(params: dict, buffers: dict, *args: Any, key=None, training=None, **kwargs: Any):
        def run(arrays, args, kwargs):
            return on_tensors(arrays, training, args, kwargs)

        run.__name__ = type(layer).__name__
        if key is None:
            return to_jax(run)({**params, **buffers}, args, kwargs)
        return to_jax(run, takes_key=True)(key, {**params, **buffers}, args, kwargs)

    return PureLayer(apply, params, buffers)


def fresh_key() -> jax.Array:
    """Return a ``jax.random.key`` from the generator that random ops draw from."""
    return random.as_key(random.next_key())
