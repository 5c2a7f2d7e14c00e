"""Which layers are pruned, and how: by the name of the layer or of its parameter."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from jaxeager.errors import InvalidTypeError
from jaxeager.incubate.asp.masks import MaskAlgo, create_mask
from jaxeager.nn.layer.layer import Layer, snake_case

_log = logging.getLogger(__name__)

PruningFunction: TypeAlias = Callable[
    [np.ndarray, int, int, MaskAlgo, str], tuple[np.ndarray, np.ndarray]
]


def prune_along_inputs(
    weight: np.ndarray, m: int, n: int, func_name: MaskAlgo, param_name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return a weight with an n:m pattern along its inputs, and its mask.

    A weight with fewer than ``m`` inputs stays as it is, with a warning in the log.
    """
    inputs = {2: 0, 4: 1}.get(weight.ndim)  # the axis of a matrix, and of a convolution's filter
    if inputs is not None and weight.shape[inputs] < m:
        which = "first" if inputs == 0 else "second"
        _log.warning(
            "%s is not pruned because the %s dimension of %s is smaller than %s",
            param_name, which, weight.shape, m,
        )  # fmt: skip
        return weight.copy(), np.ones_like(weight)
    mask = create_mask(weight.T, func_name=func_name, n=n, m=m).T
    return weight * mask, mask


_pruning: dict[str, PruningFunction] = dict.fromkeys(("fc", "linear", "conv2d"), prune_along_inputs)


def add_supported_layer(
    layer: Layer | type[Layer] | str, pruning_func: PruningFunction | None = None
) -> None:
    """Let ``prune_model`` prune the weights of a kind of layer.

    Args:
        layer: a layer, its class, or a name: of a kind of layers ("linear"), of one layer
            ("linear_0") or of a parameter ("linear_0.w_0").
        pruning_func: a function of the weight, m, n, the MaskAlgo and the parameter's name, which
            returns the pruned weight and its mask, NumPy arrays; None prunes along the inputs.

    Raises:
        InvalidTypeError: for anything else than a layer, a class of layers or a name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.add_supported_layer(paddle.nn.Conv1D)
    """
    if isinstance(layer, Layer):
        layer = type(layer)
    if isinstance(layer, type) and issubclass(layer, Layer):
        layer = snake_case(layer.__name__)
    if not isinstance(layer, str):
        raise InvalidTypeError(
            f"The layer should be a name, a Layer or a class of layers, but is {layer!r}."
        )
    _pruning[layer] = pruning_func or prune_along_inputs


def pruning_of(parameter: str) -> PruningFunction | None:
    """Return how a parameter is pruned, None if it is not.

    Args:
        parameter: its name. The weight of a layer is "kind_number.w_number".
    """
    if parameter in _pruning:
        return _pruning[parameter]
    layer, dot, rest = parameter.partition(".")
    if not dot or "w_" not in rest.partition(".")[0]:
        return None
    return _pruning.get(layer) or _pruning.get(layer[: layer.rfind("_")])
