"""Which layers are quantized, and how a layer is found and replaced in a model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError, RefusedTypeError
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant import quant_layers

layer_name_map: dict[str, type[Layer]] = {
    name: getattr(paddle.nn, name)
    for name in (
        "Conv2DTranspose", "Conv2D", "Linear", "AdaptiveAvgPool2D", "AdaptiveMaxPool2D",
        "AvgPool2D", "MaxPool2D", "Hardswish", "LeakyReLU", "PReLU", "ReLU", "ReLU6", "Sigmoid",
        "Softmax", "Swish", "Tanh", "BatchNorm", "GroupNorm", "LayerNorm",
    )
}  # fmt: skip
"""Name of a class -> the class."""

fake_quant_input_layers: list[type[Layer]] = [
    paddle.nn.Conv2D, paddle.nn.Linear, paddle.nn.Conv2DTranspose,
]  # fmt: skip
"""Layers whose input and weight are rounded."""

fake_quant_output_layers: list[type[Layer]] = [
    paddle.nn.quant.add, paddle.nn.quant.subtract, paddle.nn.quant.multiply,
    paddle.nn.quant.divide, paddle.nn.quant.matmul,
]  # fmt: skip
"""Layers whose output is rounded."""

fake_quant_leaf_layers: list[type[Layer]] = [
    quant_layers.FakeQuantAbsMax, quant_layers.FakeQuantChannelWiseAbsMax,
    quant_layers.FakeQuantMovingAverageAbsMax, quant_layers.MovingAverageAbsMaxScale,
]  # fmt: skip
"""Layers that round a tensor or track its scale."""

fake_quant_wrap_layers: list[type[Layer]] = [
    quant_layers.QuantizedConv2D, quant_layers.QuantizedLinear,
    quant_layers.QuantizedConv2DTranspose, quant_layers.QuantizedColumnParallelLinear,
    quant_layers.QuantizedRowParallelLinear,
]  # fmt: skip
"""Layers that replace another one and round its input and weight."""

spec_channel_axis_layers: list[type[Layer]] = [paddle.nn.Conv2DTranspose, paddle.nn.Linear]
"""Layers whose weight has its output channels along axis 1, not 0."""


def parallel_layers() -> dict[str, type[Layer]]:
    """Return the linear layers that processes can share, by name."""
    room = paddle.distributed.fleet.meta_parallel
    return {name: getattr(room, name) for name in ("ColumnParallelLinear", "RowParallelLinear")}


def quantized_class(layer: Layer) -> type:
    """Return the class that replaces a layer to round its input and weight.

    Raises:
        RefusedArgumentError: for a layer that has no such class.

    Example:
        >>> import jaxeager as paddle
        >>> quantized_class(paddle.nn.Linear(2, 3)).__name__
        'QuantizedLinear'
    """
    for name, each in {**parallel_layers(), **layer_name_map}.items():
        if isinstance(layer, each) and hasattr(quant_layers, f"Quantized{name}"):
            return getattr(quant_layers, f"Quantized{name}")
    raise RefusedArgumentError(f"The layer {layer.full_name()} is unsupported to be quantized.")


def check_is_layer(model: object) -> None:
    """Raise for anything but a Layer.

    Raises:
        RefusedTypeError: for anything else.
    """
    if not isinstance(model, Layer):
        raise RefusedTypeError(
            f"The model must be the instance of paddle.nn.Layer, but received {model!r}."
        )


def is_leaf_layer(layer: object) -> bool:
    """Return whether an object is a Layer without sublayers.

    Example:
        >>> import jaxeager as paddle
        >>> is_leaf_layer(paddle.nn.ReLU()), is_leaf_layer(paddle.nn.Sequential(paddle.nn.ReLU()))
        (True, False)
    """
    return isinstance(layer, Layer) and not layer.sublayers()


def is_skipped(layer: Layer) -> bool:
    """Return whether a user has excluded a layer, by ``layer.skip_quant = True``."""
    return getattr(layer, "skip_quant", False) is True


def find_parent_layer_and_sub_name(model: Layer, name: str) -> tuple[Layer, str]:
    """Return the layer that contains another one, and the name of that one in it.

    Args:
        model: the model.
        name: full name of the layer in the model.

    Raises:
        RefusedTypeError: when the model is not a Layer.
        RefusedArgumentError: for an empty name.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Sequential(paddle.nn.Sequential(paddle.nn.ReLU()))
        >>> parent, name = find_parent_layer_and_sub_name(model, "0.0")
        >>> parent is model[0], name
        (True, '0')
    """
    check_is_layer(model)
    if not name:
        raise RefusedArgumentError("The input (name) should not be empty.")
    parent, pending = model, []
    *above, last = name.split(".")
    for part in above:
        pending.append(part)
        child = getattr(parent, ".".join(pending), None)
        if child is not None:
            parent, pending = child, []
    return parent, ".".join([*pending, last])


def replace_layers(model: Layer, made: Callable[[Layer], Layer | None]) -> None:
    """Replace layers of a model in all places where it has them.

    Args:
        model: the model, which is not replaced itself.
        made: called once with each layer; returns its replacement, or None to keep it.

    Example:
        >>> import jaxeager as paddle
        >>> relu = paddle.nn.ReLU()
        >>> model = paddle.nn.Sequential(relu, paddle.nn.Sequential(relu))
        >>> replace_layers(model, lambda l: paddle.nn.Tanh() if l is relu else None)
        >>> type(model[0]).__name__, model[0] is model[1][0]
        ('Tanh', True)
    """
    parents = model.sublayers(include_self=True)
    found = {id(layer): made(layer) for layer in parents[1:]}
    for parent in parents:
        for name, child in list(parent._sub_layers.items()):
            replacement = found.get(id(child))
            if replacement is not None:
                parent._sub_layers[name] = replacement


def fp_numpy_to_naive(x_np: np.ndarray) -> complex | list:
    """Return an array as numbers of Python: one, or a list.

    Paddle: fails for an array of one number that has an axis, with NumPy 2.4.

    Example:
        >>> import numpy as np
        >>> fp_numpy_to_naive(np.array([2.0])), fp_numpy_to_naive(np.array([1.0, 2.0]))
        (2.0, [1.0, 2.0])
    """
    return x_np.item() if x_np.size == 1 else x_np.tolist()
