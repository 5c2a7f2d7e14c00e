"""The state that a training step depends on: weights, optimizers, random numbers."""

from __future__ import annotations

import copy
import dataclasses
import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.random import get_rng_state, set_rng_state
from jaxeager.errors import InvalidTypeError
from jaxeager.tensor.tensor import Tensor


class State:
    """A copy of the state of some objects, and of the generators of random numbers.

    Of a Layer: parameters, buffers, gradients, sublayers, hooks and attributes. What is inside of
    an attribute, such as the elements of a list, is not copied.

    Copies stay on the device, and making them does not wait for it.

    Args:
        things: Layers, optimizers, schedulers, scalers: what has a ``state_dict``.
    """

    def __init__(self, things: tuple):
        self._things = things
        self._kept = [_kept(thing) for thing in things]
        self._rates = [getattr(thing, "_learning_rate", None) for thing in things]
        self._random = get_rng_state(), random.getstate(), np.random.get_state()

    @property
    def nbytes(self) -> int:
        """Return the bytes of the copied arrays."""
        return sum(array.nbytes for array in self.arrays())

    def arrays(self) -> list:
        """Return the copied arrays."""
        return arrays_in(
            [each.copies if isinstance(each, _LayerState) else each for each in self._kept]
        )

    def restore(self) -> None:
        """Restore the state of the objects and of the generators."""
        for thing, kept, rate in zip(self._things, self._kept, self._rates, strict=True):
            if rate is not None:
                thing._learning_rate = rate  # a state dict has only that of a scheduler
            _restore(thing, kept)
        key, pythons, numpys = self._random
        set_rng_state(key)
        random.setstate(pythons)
        np.random.set_state(numpys)


def arrays_in(nested: object) -> list:
    """Return the arrays in nested containers, and those of their tensors."""
    leaves = jax.tree.leaves(nested, is_leaf=lambda each: isinstance(each, Tensor))
    arrays = [each._held if isinstance(each, Tensor) else each for each in leaves]
    return [each for each in arrays if isinstance(each, (jax.Array, np.ndarray))]


def check(things: tuple) -> None:
    """Raise if the state of an object cannot be saved.

    Raises:
        InvalidTypeError: when an object has no ``state_dict``.
    """
    for thing in things:
        load = getattr(thing, "set_state_dict", None) or getattr(thing, "load_state_dict", None)
        if not hasattr(thing, "state_dict") or load is None:
            raise InvalidTypeError(
                "The state of a step is that of Layers, optimizers, schedulers and scalers, but "
                f"received {type(thing).__name__}, which has no state_dict and set_state_dict."
            )


def _is_layer(thing: object) -> bool:
    """Return whether an object is an nn.Layer; this room may not import that one."""
    return hasattr(thing, "named_parameters") and hasattr(thing, "named_buffers")


def _kept(thing: Any) -> Any:
    return _LayerState.of(thing) if _is_layer(thing) else _copied(thing.state_dict())


def _copied(value: Any) -> Any:
    """Return a copy of a state dict, its tensors included."""
    if isinstance(value, Tensor):
        return Tensor.from_array(jnp.copy(value._array))
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_copied, value))
    return copy.deepcopy(value)


def _restore(thing: Any, kept: Any) -> None:
    if _is_layer(thing):
        kept.restore()
        return
    restart = getattr(thing, "_restart", None)  # of an optimizer
    if restart is not None and not set(kept) - {"LR_Scheduler", "master_weights"}:
        restart()  # set_state_dict would demand the accumulators that exist now
    load = getattr(thing, "set_state_dict", None) or thing.load_state_dict
    load(_copied(kept))


# ---- Layers


class Members:
    """What a Layer and its sublayers have by name: attributes, parameters, buffers, hooks, layers.

    Args:
        layer: the Layer. Values of tensors are not copied.
    """

    def __init__(self, layer: Any):
        self._kept = [
            (each, dict(vars(each)), [copy.copy(table) for table in _tables(each)])
            for each in layer.sublayers(include_self=True)
        ]

    def restore(self) -> None:
        """Give the Layers what they had, whatever was made, replaced, resized or removed since."""
        for layer, attributes, tables in self._kept:
            for table, kept in zip(_tables(layer), tables, strict=True):
                table.clear()
                table.update(kept)
            vars(layer).clear()
            vars(layer).update(attributes)
            layer.training = layer.training  # programs that read the Layer see that it changed


@dataclasses.dataclass
class _LayerState:
    """The parameters, buffers and sublayers of a Layer and its sublayers.

    Attributes:
        members: what each Layer had by name.
        tensors: (Tensor, a copy of its value, a copy of its gradient or None, stop_gradient).
    """

    members: Members
    tensors: list[tuple[Tensor, jax.Array, Tensor | None, bool]]

    @classmethod
    def of(cls, layer: Any) -> _LayerState:
        """Return the state of a Layer."""
        tensors = []
        for _, tensor in [*layer.named_parameters(), *layer.named_buffers()]:
            grad = None if tensor.grad is None else tensor.grad.detach().clone()
            tensors.append((tensor, jnp.copy(tensor._array), grad, tensor.stop_gradient))
        return cls(Members(layer), tensors)

    @property
    def copies(self) -> list:
        """Return the copies of values and gradients."""
        return [[array, grad] for _, array, grad, _ in self.tensors]

    def restore(self) -> None:
        """Give the Layers their members, and the tensors their values and gradients."""
        self.members.restore()
        for tensor, array, grad, stop_gradient in self.tensors:
            _write(tensor, jnp.copy(array))
            tensor.stop_gradient = stop_gradient
            tensor.clear_gradient(False)
            if grad is not None:
                tensor.grad = grad.clone()


def _tables(layer: Any) -> list:
    """Return the tables of a Layer's members and hooks: dicts, and a set of names."""
    return [
        layer._parameters,
        layer._buffers,
        layer._sub_layers,
        layer._non_persistable_buffer_names_set,
        layer._forward_pre_hooks,
        layer._forward_post_hooks,
    ]


def _write(tensor: Tensor, array: jax.Array) -> None:
    if (tensor._array.shape, tensor._array.dtype) == (array.shape, array.dtype):
        tensor.set_value(array)
    else:
        tensor.data = Tensor.from_array(array)
