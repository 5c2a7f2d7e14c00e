"""Flax NNX modules as Layers, and Layers as NNX modules."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.errors import InvalidTypeError
from jaxeager.interop.foreign_layer import ForeignLayer, path_name
from jaxeager.interop.packages import needed
from jaxeager.interop.pure import pure
from jaxeager.jax_bridge.from_jax import from_jax
from jaxeager.nn import Layer

if TYPE_CHECKING:
    from types import ModuleType


def from_nnx(module: object) -> Layer:
    """Return a Layer that runs a Flax NNX module.

    Its ``nnx.Param`` are the Layer's parameters, other variables (running statistics, counters of
    random streams) its buffers, under their paths in the module. ``train()`` and ``eval()`` are the
    module's own. The arrays are copied once: the module itself does not change with the Layer.

    Args:
        module: an ``nnx.Module`` that was called with the shapes of its inputs, or does not need
            them.

    Raises:
        InvalidTypeError: when it is not an NNX module.
        UnavailableError: when flax is not installed.
    """
    nnx = needed("flax.nnx", "interop.from_nnx")
    if not isinstance(module, nnx.Module):
        raise InvalidTypeError(f"from_nnx takes an nnx.Module, but got {type(module).__name__}.")
    return _NNXLayer(nnx, module)


class _NNXLayer(ForeignLayer):
    """The result of ``from_nnx``."""

    def __init__(self, nnx: ModuleType, module: object):
        super().__init__()
        graph, params, rest = nnx.split(module, nnx.Param, ...)
        self._name, structures = type(module).__name__, []
        self._held: list[list] = []
        for state, is_parameter in ((params, True), (rest, False)):
            pairs, structure = jax.tree_util.tree_flatten_with_path(state)
            names = [path_name(path).removesuffix(".value") for path, _ in pairs]
            self._held.append(self._adopt(names, [array for _, array in pairs], is_parameter))
            structures.append(structure)

        def run(params: list, rest: list, training: bool, args: tuple, kwargs: dict):
            states = map(jax.tree.unflatten, structures, (params, rest))
            merged = nnx.merge(graph, *states)
            merged.train() if training else merged.eval()
            out = merged(*args, **kwargs)
            return out, jax.tree.leaves(nnx.state(merged, nnx.Not(nnx.Param)))

        self._run = from_jax(run, name=self._name, recompute=False)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module."""
        params, rest = self._held
        out, after = self._run(params, rest, self.training, args, kwargs)
        if rest:
            self._put_back(rest, after)
        return out

    def extra_repr(self) -> str:
        """Return the class name of the module."""
        return self._name


def to_nnx(layer: Layer, rngs: object = None) -> Any:
    """Return a Flax NNX module that runs a Layer.

    Trainable arrays are ``nnx.Param`` in ``params``, all others ``nnx.BatchStat`` in ``buffers``,
    each under its name in the state dict with "/" instead of ".". ``nnx.jit``, ``nnx.grad`` and
    ``nnx.Optimizer`` accept it; ``train()`` and ``eval()`` are the Layer's. The arrays are copied
    once: the Layer does not change with the module, and keeps its structure for it.

    Args:
        layer: a Layer whose forward does not read values of tensors.
        rngs: an ``nnx.Rngs`` that dropout and other random ops draw from; without it they draw
            constants in a jitted function.

    Raises:
        InvalidTypeError: when it is not a Layer.
        UnavailableError: when flax is not installed.
    """
    nnx = needed("flax.nnx", "interop.to_nnx")
    return _nnx_class(nnx)(layer, rngs)


@functools.cache
def _nnx_class(nnx: ModuleType) -> type:
    class LayerModule(nnx.Module):
        """A Layer as an NNX module: the result of ``interop.to_nnx``."""

        def __init__(self, layer: Layer, rngs: Any = None):
            apply, params, buffers = pure(layer)
            self.apply = apply
            self.params = nnx.Dict({_slashed(k): nnx.Param(v) for k, v in params.items()})
            self.buffers = nnx.Dict({_slashed(k): nnx.BatchStat(v) for k, v in buffers.items()})
            self.deterministic = not layer.training
            self.rngs = rngs

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            params = {_dotted(k): v[...] for k, v in self.params.items()}
            buffers = {_dotted(k): v[...] for k, v in self.buffers.items()}
            is_training = not self.deterministic
            key = self.rngs() if is_training and self.rngs is not None else None
            out, after = self.apply(params, buffers, *args, key=key, training=is_training, **kwargs)
            for name, array in after.items():
                self.buffers[_slashed(name)][...] = array
            return out

    return LayerModule


def _slashed(name: str) -> str:
    return name.replace(".", "/")


def _dotted(name: str) -> str:
    return name.replace("/", ".")
