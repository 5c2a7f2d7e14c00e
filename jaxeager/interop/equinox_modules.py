"""Equinox modules as Layers, and Layers as Equinox modules."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.errors import InvalidTypeError
from jaxeager.interop.foreign_layer import ForeignLayer, path_name
from jaxeager.interop.packages import needed
from jaxeager.interop.pure import fresh_key, pure
from jaxeager.jax_bridge.from_jax import from_jax
from jaxeager.nn import Layer

if TYPE_CHECKING:
    from types import ModuleType


def from_equinox(module: object, batched: bool = False) -> Layer:
    """Return a Layer that runs an Equinox module.

    Its floating arrays are the Layer's parameters, under their paths in the module; all else is
    part of the program. ``eval()`` is ``eqx.nn.inference_mode``. A module that takes a ``key`` gets
    one from the generator that random ops draw from, unless the caller passes it.

    Args:
        module: a callable ``eqx.Module``. One with state (``eqx.nn.BatchNorm``) takes it and
            returns it, as in Equinox.
        batched: map the module over the first axis of its positional arguments (``jax.vmap``):
            Equinox's layers take one sample. A key is split, one for each sample.

    Raises:
        InvalidTypeError: when it is not an Equinox module.
        UnavailableError: when equinox is not installed.
    """
    eqx = needed("equinox", "interop.from_equinox")
    if not isinstance(module, eqx.Module):
        raise InvalidTypeError(
            f"from_equinox takes an eqx.Module, but got {type(module).__name__}."
        )
    return _EquinoxLayer(eqx, module, batched)


class _EquinoxLayer(ForeignLayer):
    """The result of ``from_equinox``."""

    def __init__(self, eqx: ModuleType, module: object, batched: bool):
        super().__init__()
        self._name = type(module).__name__
        params, rest = eqx.partition(module, eqx.is_inexact_array)
        pairs, structure = jax.tree_util.tree_flatten_with_path(params)
        names, arrays = [path_name(path) for path, _ in pairs], [array for _, array in pairs]
        self._params = self._adopt(names, arrays, True)
        self._takes_key = "key" in inspect.signature(type(module).__call__).parameters

        def run(params: list, training: bool, args: tuple, kwargs: dict):
            merged = eqx.combine(jax.tree.unflatten(structure, params), rest)
            merged = eqx.nn.inference_mode(merged, value=not training)
            return _mapped(merged, args, kwargs) if batched else merged(*args, **kwargs)

        self._run = from_jax(run, name=self._name, recompute=False)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module."""
        if self._takes_key and self.training and kwargs.get("key") is None:
            kwargs["key"] = fresh_key()
        return self._run(self._params, self.training, args, kwargs)

    def extra_repr(self) -> str:
        """Return the class name of the module."""
        return self._name


def _mapped(module: Callable, args: tuple, kwargs: dict):
    """Call a module for each sample."""
    key = kwargs.pop("key", None)
    if key is None:
        return jax.vmap(lambda *each: module(*each, **kwargs))(*args)
    keys = jax.random.split(key, jax.tree.leaves(args)[0].shape[0])
    return jax.vmap(lambda key, *each: module(*each, key=key, **kwargs))(keys, *args)


def to_equinox(layer: Layer) -> Any:
    """Return an Equinox module that runs a Layer, on batches as the Layer does.

    It is a pytree: the trainable arrays in ``params``, all others in ``buffers``, by their names in
    the state dict. ``eqx.filter_grad`` differentiates all floating arrays of a module, including
    buffers: use the gradients of ``params``. Calling it returns the output; ``call_and_update``
    returns (output, module with the updated buffers). ``eqx.nn.inference_mode`` is the Layer's
    ``eval()``. The arrays are copied once: the Layer does not change with the module, and keeps its
    structure for it.

    Args:
        layer: a Layer whose forward does not read values of tensors.

    Raises:
        InvalidTypeError: when it is not a Layer.
        UnavailableError: when equinox is not installed.
    """
    eqx = needed("equinox", "interop.to_equinox")
    apply, params, buffers = pure(layer)
    return _equinox_class(eqx)(params, buffers, apply, not layer.training)


@functools.cache
def _equinox_class(eqx: ModuleType) -> type:
    class LayerModule(eqx.Module):
        """A Layer as an Equinox module: the result of ``interop.to_equinox``."""

        params: dict
        buffers: dict
        apply: Callable = eqx.field(static=True)
        inference: bool

        def __call__(self, *args: Any, key: jax.Array | None = None, **kwargs: Any) -> Any:
            return self.call_and_update(*args, key=key, **kwargs)[0]

        def call_and_update(self, *args: Any, key: jax.Array | None = None, **kwargs: Any) -> tuple:
            """Return the output, and the module with its updated buffers."""
            out, after = self.apply(
                self.params, self.buffers, *args, key=key, training=not self.inference, **kwargs
            )
            return out, eqx.tree_at(lambda module: module.buffers, self, after)

    return LayerModule
