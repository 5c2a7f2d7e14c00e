"""Batch normalization computed by the layer before it, for evaluation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import (
    InvalidTypeError,
    RefusedArgumentError,
    RefusedStateError,
    UnimplementedError,
)
from jaxeager.nn import Identity
from jaxeager.nn.layer.layer import Layer
from jaxeager.quantization.imperative.utils import find_parent_layer_and_sub_name

if TYPE_CHECKING:
    pass


def fuse_conv_bn(model: Layer) -> None:
    """Fuse each Conv2D of a model, in place, with the BatchNorm2D that follows it.

    A BatchNorm2D follows if the same layer has it right after the Conv2D, with as many features as
    that has output channels. The running statistics are used, also of a model in training.

    Args:
        model: the model. A model whose forward calls the two in another way than in the order in
            which it has them computes something else afterwards.

    Raises:
        UnimplementedError: as ``fuse_layers`` does.

    Paddle: fuses a copy that is then discarded, so the model stays as it is; and it pairs a Conv2D
    with any later BatchNorm2D.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2))
        >>> fuse_conv_bn(model)
        >>> [type(layer).__name__ for layer in model]
        ['Conv2D', 'Identity']
    """
    for parent in model.sublayers(include_self=True):
        for (first, conv), (second, norm) in pairwise(list(parent.named_children())):
            if _is_pair(conv, norm):
                _fuse([(parent, first), (parent, second)])


def _is_pair(conv: Layer, norm: Layer) -> bool:
    return (
        type(conv) is paddle.nn.Conv2D
        and type(norm) is paddle.nn.BatchNorm2D
        and conv.weight.shape[0] == norm._mean.shape[0]
    )


def fuse_layers(
    model: Layer, layers_to_fuse: list[list[str]] | None, inplace: bool = False
) -> Layer:
    """Return a model in which pairs of layers are fused.

    Args:
        model: a model in evaluation.
        layers_to_fuse: pairs of names, of a Conv2D and the BatchNorm2D after it, or of a Linear and
            the BatchNorm1D after it: ``[["conv1", "bn1"], ["fc", "bn2"]]``.
        inplace: whether to change the model itself, instead of a copy.

    Raises:
        InvalidTypeError: when ``layers_to_fuse`` is not a list.
        RefusedStateError: when a layer is in training.
        RefusedArgumentError: when the numbers of features differ.
        UnimplementedError: for layers of other classes, a weight that is computed in each call, or
            a hook on what is between the two.

    Paddle: multiplies the weight of a Linear along the wrong axis, and fails if the first layer has
    hooks that run before it, or the last one hooks that run after it.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(3, 2), paddle.nn.BatchNorm1D(2)).eval()
        >>> x = paddle.ones([1, 3])
        >>> fused = fuse_layers(model, [["0", "1"]])
        >>> bool(paddle.allclose(fused(x), model(x))), type(fused[1]).__name__
        (True, 'Identity')
    """
    if not isinstance(layers_to_fuse, (list, tuple)):
        raise InvalidTypeError(
            "The layers to fuse should be a list of pairs of names, as [['conv1', 'bn1']], but "
            f"received {layers_to_fuse!r}."
        )
    model = model if inplace else copy.deepcopy(model)
    for names in layers_to_fuse:
        places = [find_parent_layer_and_sub_name(model, name) for name in names]
        for name, (parent, key) in zip(names, places, strict=True):
            if getattr(parent, key).training:
                raise RefusedStateError(f"Fusion only for eval: the layer {name!r} is in training.")
        _fuse(places)
    return model


def _fuse(places: list[tuple[Layer, str]]) -> None:
    """Replace the first of some layers by a fused one, the others by Identity.

    Args:
        places: each as the layer that has it, and its name there.
    """
    layers = [getattr(parent, key) for parent, key in places]
    fused = _fused(layers)
    fused._forward_post_hooks.update(layers[-1]._forward_post_hooks)
    rest = [Identity() for _ in layers[1:]]
    for each in rest:
        each.training = layers[0].training
    for (parent, key), layer in zip(places, [fused, *rest], strict=True):
        setattr(parent, key, layer)


def _fused(layers: list[Layer]) -> Layer:
    """Return a copy of the first layer with the weight and bias of both."""
    kinds = tuple(type(each) for each in layers)
    if kinds not in types_to_fusion_method:
        names = " and ".join(each.__name__ for each in kinds)
        raise UnimplementedError(
            f"{names} cannot be fused, but Conv2D and BatchNorm2D, or Linear and BatchNorm1D."
        )
    first, last = layers
    if first._forward_post_hooks or last._forward_pre_hooks:
        raise UnimplementedError(
            f"{first.full_name()} and {last.full_name()} cannot be fused: a hook reads the value "
            "between them. Remove it first."
        )
    if "weight" not in first._parameters:
        raise UnimplementedError(
            f"{first.full_name()} cannot be fused: its weight is computed in each call. Remove "
            "that first, as with paddle.nn.utils.remove_weight_norm."
        )
    return types_to_fusion_method[kinds](first, last)


def _fuse_conv_bn(conv: Layer, norm: Layer) -> Layer:
    return _with_norm(conv, norm, 0)


def _fuse_linear_bn(linear: Layer, norm: Layer) -> Layer:
    return _with_norm(linear, norm, 1)


def _with_norm(layer: Any, norm: Any, axis: int) -> Layer:
    """Return a copy of a layer that normalizes its output as a BatchNorm does.

    Args:
        layer: the layer.
        norm: the BatchNorm.
        axis: the axis of the weight's output channels.
    """
    channels = layer.weight.shape[axis]
    if channels != norm._mean.shape[0]:
        raise RefusedArgumentError(
            f"The {channels} output channels of {type(layer).__name__} must match num_features of "
            f"{type(norm).__name__}, {norm._mean.shape[0]}."
        )
    fused = copy.deepcopy(layer)
    with paddle.no_grad():
        scale = paddle.rsqrt(norm._variance + norm._epsilon)
        scale = scale if norm.weight is None else scale * norm.weight
        bias = -norm._mean if layer.bias is None else layer.bias - norm._mean
        bias = bias * scale if norm.bias is None else bias * scale + norm.bias
        shape = [1] * layer.weight.ndim
        shape[axis] = channels
        fused.weight.set_value(layer.weight * scale.reshape(shape))
        if fused.bias is None:
            fused.bias = fused.create_parameter([channels], dtype=bias.dtype, is_bias=True)
        fused.bias.set_value(bias)
    return fused


types_to_fusion_method: dict[tuple[type, ...], Callable[..., Layer]] = {
    (paddle.nn.Conv2D, paddle.nn.BatchNorm2D): _fuse_conv_bn,
    (paddle.nn.Linear, paddle.nn.BatchNorm1D): _fuse_linear_bn,
}
"""Classes of two layers -> the function that fuses them."""
