"""flops: the number of operations of one run of a network, counted layer by layer."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager import nn

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer

HEADINGS = ("Layer Name", "Input Shape", "Output Shape", "Params", "Flops")


def flops(
    net: Layer,
    input_size: Sequence[int],
    custom_ops: dict | None = None,
    print_detail: bool = False,
) -> int:
    """Print and return the number of multiply-adds of one run of a network.

    Linear layers, convolutions, poolings, batch norms and leaky rectifiers are counted; other
    layers count as zero, which is printed. The network runs once, in evaluation mode.

    Args:
        net: the network, a Layer.
        input_size: the shape of its input, a list of ints.
        custom_ops: by class of layer, a function of (layer, inputs, output) that adds to
            ``layer.total_ops``; it has priority over the built-in ones.
        print_detail: whether to also print a table of the layers.

    Returns:
        the number of operations; -1, with a warning, when ``net`` is not a Layer.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(3, 2))
        >>> paddle.flops(net, [1, 3])
        <class 'jaxeager.nn.layer.common.Linear'>'s flops has been counted
        Total Flops: 6     Total Params: 8
        6
    """
    if not isinstance(net, nn.Layer):
        warnings.warn(
            f"Your model must be an instance of paddle.nn.Layer, but is a {type(net).__name__}.",
            stacklevel=2,
        )
        return -1
    custom_ops = custom_ops or {}
    layers = [layer for layer in [*net.sublayers(), net] if not list(layer.children())]
    _announce(layers, custom_ops)
    rows = _run(net, layers, paddle.randn(input_size), custom_ops)
    if print_detail:
        _print_table(rows)
    total = sum(row[4] for row in rows)
    print(f"Total Flops: {total}     Total Params: {sum(row[3] for row in rows)}")
    return total


def _announce(layers: list, custom_ops: dict) -> None:
    """Print once per class of layer how it is counted."""
    for kind in dict.fromkeys(type(layer) for layer in layers):
        if kind in custom_ops:
            print(f"Customize Function has been applied to {kind}")
        elif _counter_of(kind, custom_ops) is not None:
            print(f"{kind}'s flops has been counted")
        else:
            print(f"Cannot find suitable count function for {kind}. Treat it as zero FLOPs.")


def _counter_of(kind: type, custom_ops: dict):
    """Return the function that counts a class of layer, or None."""
    if kind in custom_ops:
        return custom_ops[kind]
    return COUNTERS.get(kind.__name__) if getattr(nn, kind.__name__, None) is kind else None


def _run(net, layers: list, inputs, custom_ops: dict) -> list[list]:
    """Run the network once; return a row of the table for every sublayer that ran."""
    shapes: dict = {}

    def observe(layer, given, output):
        first = output[0] if isinstance(output, (list, tuple)) else output
        shapes[id(layer)] = list(given[0].shape), list(first.shape)

    handles = []
    was_training = net.training
    net.eval()
    try:
        for layer in layers:
            layer.total_ops = 0
            counter = _counter_of(type(layer), custom_ops)
            if counter is not None:
                handles.append(layer.register_forward_post_hook(counter))
            handles.append(layer.register_forward_post_hook(observe))
        with paddle.no_grad():
            net(inputs)
        return [
            [
                layer.full_name(),
                *shapes[id(layer)],
                sum(math.prod(p.shape) for p in layer.parameters()),
                int(layer.total_ops),
            ]
            for layer in net.sublayers()
            if id(layer) in shapes
        ]
    finally:
        for handle in handles:
            handle.remove()
        for layer in layers:
            if hasattr(layer, "total_ops"):
                del layer.total_ops
        if was_training:
            net.train()


def _print_table(rows: list[list]) -> None:
    columns = zip(HEADINGS, *rows, strict=True)
    widths = [max(len(str(cell)) for cell in column) + 2 for column in columns]
    ruler = "+" + "+".join("-" * width for width in widths) + "+"
    lines = [
        "|" + "|".join(str(c).center(w) for c, w in zip(row, widths, strict=True)) + "|"
        for row in (HEADINGS, *rows)
    ]
    print("\n".join([ruler, lines[0], ruler, *lines[1:], ruler]))


# ---- the counters


def _count_convolution(layer, inputs, output):
    taps = math.prod(layer.weight.shape[2:]) * inputs[0].shape[1] / layer._groups
    layer.total_ops += int(output.size * (taps + (layer.bias is not None)))


def _count_linear(layer, inputs, output):
    layer.total_ops += layer.weight.shape[0] * output.size


def _count_batch_norm(layer, inputs, output):
    layer.total_ops += 2 * inputs[0].size


def _count_inputs(layer, inputs, output):
    layer.total_ops += inputs[0].size


def _count_outputs(layer, inputs, output):
    layer.total_ops += output.size


def _count_adaptive_pooling(layer, inputs, output):
    pairs = zip(inputs[0].shape[2:], output.shape[2:], strict=True)
    window = math.prod(before // after for before, after in pairs)
    layer.total_ops += (window + 1) * output.size


def _count_nothing(layer, inputs, output):
    pass


COUNTERS = {
    **{f"Conv{n}D{kind}": _count_convolution for n in (1, 2, 3) for kind in ("", "Transpose")},
    **{f"AvgPool{n}D": _count_outputs for n in (1, 2, 3)},
    **{f"AdaptiveAvgPool{n}D": _count_adaptive_pooling for n in (1, 2, 3)},
    "BatchNorm": _count_batch_norm,
    "BatchNorm2D": _count_batch_norm,
    "Dropout": _count_nothing,
    "LeakyReLU": _count_inputs,
    "Linear": _count_linear,
    "ReLU": _count_nothing,
    "ReLU6": _count_nothing,
}
