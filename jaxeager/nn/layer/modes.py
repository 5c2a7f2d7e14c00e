"""The mode of a Layer, training or inference, for the time of a block."""

import contextlib
from collections.abc import Iterator

from jaxeager.nn.layer.layer import Layer


@contextlib.contextmanager
def in_mode(layer: Layer | None, training: bool | None) -> Iterator[None]:
    """Switch a Layer and all its sublayers to training or inference in a block.

    Afterwards each of them has its earlier mode.

    Args:
        layer: the Layer; nothing is switched when None.
        training: True as after ``train()``, False as after ``eval()``; None switches nothing.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Dropout(), paddle.nn.Dropout().eval())
        >>> with in_mode(net, False):
        ...     [each.training for each in net]
        [False, False]
        >>> [each.training for each in net]
        [True, False]
    """
    layers = [] if layer is None or training is None else layer.sublayers(include_self=True)
    before = [each.training for each in layers]
    try:
        for each in layers:
            each.training = bool(training)
        yield
    finally:
        for each, was_training in zip(layers, before, strict=True):
            each.training = was_training
