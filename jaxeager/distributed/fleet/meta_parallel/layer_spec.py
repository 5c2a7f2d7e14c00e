"""LayerSpec: the Layer to create, as a class or by the name of its module."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(repr=False)
class LayerSpec:
    """The description of a Layer to create.

    Args:
        layer: its class, or (module, name) of it.
        extra_kwargs: the keyword arguments of the class.
        sublayers_spec: the specs of its sublayers; passed on as an argument of that name.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import LayerSpec, build_spec_layer
        >>> spec = LayerSpec(("jaxeager.nn", "Linear"), {"in_features": 2, "out_features": 3})
        >>> build_spec_layer(spec)
        Linear(in_features=2, out_features=3, dtype=float32)
    """

    layer: tuple[str, str] | type | Callable
    extra_kwargs: dict[str, object] = field(default_factory=dict)
    sublayers_spec: object = None

    def __repr__(self) -> str:
        if isinstance(self.layer, tuple):
            return "".join(f"{each!r}," for each in self.layer)
        return repr(self.layer) + repr(self.extra_kwargs)


def import_spec_layer(layer_path: tuple[str, str]) -> Any:
    """Return the object that a module has under a name.

    Args:
        layer_path: (module, name).

    Raises:
        ImportError: when there is no such module.

    Paddle: prints and returns None when there is no such module.

    Example:
        >>> from jaxeager.distributed.fleet.meta_parallel import import_spec_layer
        >>> import_spec_layer(("jaxeager.nn", "ReLU")).__name__
        'ReLU'
    """
    module, name = layer_path
    return getattr(importlib.import_module(module), name)


def get_spec_layer(spec_or_layer: LayerSpec | type, **additional_kwargs: object) -> Any:
    """Return the class that a LayerSpec names.

    Args:
        spec_or_layer: the LayerSpec; a class or a function is returned as it is.
        additional_kwargs: ignored.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import LayerSpec, get_spec_layer
        >>> get_spec_layer(LayerSpec(paddle.nn.ReLU)) is paddle.nn.ReLU
        True
    """
    found = spec_or_layer.layer if isinstance(spec_or_layer, LayerSpec) else spec_or_layer
    return import_spec_layer(found) if isinstance(found, tuple) else found


def build_spec_layer(spec_or_layer: LayerSpec | type, *args: Any, **kwargs: Any) -> Any:
    """Return the Layer that a LayerSpec names, created with its arguments and the given ones.

    Args:
        spec_or_layer: the LayerSpec, or a class; a function is returned as it is.
        args: the arguments of the class.
        kwargs: its keyword arguments.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import build_spec_layer
        >>> build_spec_layer(paddle.nn.Linear, 2, 3)
        Linear(in_features=2, out_features=3, dtype=float32)
    """
    found = get_spec_layer(spec_or_layer)
    if isinstance(found, types.FunctionType):
        return found
    given = dict(kwargs)
    if isinstance(spec_or_layer, LayerSpec):
        given |= spec_or_layer.extra_kwargs
        if spec_or_layer.sublayers_spec is not None:
            given["sublayers_spec"] = spec_or_layer.sublayers_spec
    return found(*args, **given)
