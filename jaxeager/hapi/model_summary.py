"""summary: a table of a network's layers, with their shapes and numbers of parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.layer.container import LayerList, Sequential
from jaxeager.nn.layer.rnn import RNNBase
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.static.input_spec import InputSpec

MEGABYTE = 1024.0**2
HEADINGS = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
WIDTHS = (15, 20, 20, 15)  # the least widths of the columns


def summary(
    net: Layer,
    input_size: int | Sequence[int] | InputSpec | list[Sequence[int] | InputSpec] | None = None,
    dtypes: str | Sequence[str] | None = None,
    input: Tensor | Sequence[Tensor] | dict[str, Tensor] | None = None,
) -> dict[str, int]:
    """Print a table of the layers of a network, and return the number of its parameters.

    The network runs once, in evaluation mode and without gradients.

    Args:
        net: the network, a Layer.
        input_size: the shape of its input, an int or a tuple of ints in which -1 or None means a
            batch of one; a list of shapes for several inputs. An object with a ``shape`` is
            accepted instead of a shape. May be None when ``input`` is given.
        dtypes: the dtype of each input; float32 when None.
        input: the arguments of the network: a tensor, or a list or dict of tensors.

    Returns:
        {"total_params": number, "trainable_params": number}, of NumPy's type int64; 0 if there
        are none.

    Raises:
        InvalidArgumentError: when neither size nor input is given, or a size is not positive.
        RefusedArgumentError: when an item of a list is not a shape.

    Example:
        >>> import jaxeager as paddle
        >>> counts = paddle.summary(paddle.nn.Linear(3, 2), (1, 3))  # doctest: +ELLIPSIS
        -----...
        >>> counts
        {'total_params': np.int64(8), 'trainable_params': np.int64(8)}
    """
    if input_size is None and input is None:
        raise InvalidArgumentError("input_size and input cannot be None at the same time")
    sizes = _sizes_of(_size_of_input(input) if input_size is None else input_size)
    was_training = net.training
    net.eval()
    try:
        rows = _run(net, sizes, dtypes, input)
    finally:
        if was_training:
            net.train()
    total = sum(row["params"] for row in rows.values())
    trainable = sum(row["trainable"] for row in rows.values())
    print(_text(rows, sizes, total, trainable))
    return {"total_params": total, "trainable_params": trainable}


# ---- sizes of inputs


def _size_of_input(input):
    """Return the shapes of the tensors with which a network is called."""
    if isinstance(input, Tensor):
        return tuple(input.shape)
    if isinstance(input, dict):
        return [tuple(each.shape) for each in input.values()]
    if isinstance(input, (list, tuple)):
        return [tuple(each.shape) for each in input]
    raise InvalidArgumentError(
        "Input is not tensor, list, tuple and dict, unable to determine input_size, please input "
        f"input_size. It is of type {type(input).__name__}."
    )


def _sizes_of(size):
    """Return a shape as a tuple, several as a list; unknown batch sizes become 1."""
    if hasattr(size, "shape"):
        size = tuple(size.shape)
    if isinstance(size, int):
        size = (size,)
    if isinstance(size, list):
        for item in size:
            if not isinstance(item, (int, tuple)) and not hasattr(item, "shape"):
                raise RefusedArgumentError(
                    "When input_size is list, expect item in input_size is a tuple or InputSpec, "
                    f"but got {type(item)}"
                )
    nested = any(isinstance(item, (list, tuple)) or hasattr(item, "shape") for item in size)
    if nested or isinstance(size, list):
        return [_sizes_of(item) for item in size]
    return _checked_size(size)


def _checked_size(size: tuple) -> tuple[int, ...]:
    unknown = [item for item in size if item is None or item == -1]
    if len(unknown) > 1:
        raise InvalidArgumentError(
            "Option input_size only the dim of batch_size can be None or -1, but received "
            f"{list(size)}."
        )
    known = tuple(1 if item is None or item == -1 else item for item in size)
    for item in known:
        if item <= 0:
            raise InvalidArgumentError(
                f"Expected element in input size greater than zero, but got {item}"
            )
    return known


def _drawn(size, dtype):
    """Return a tensor of a shape, or a list of them."""
    if isinstance(size, tuple):
        dtype = dtype[0] if isinstance(dtype, (list, tuple)) else dtype
        return paddle.cast(paddle.rand(list(size)), "float32" if dtype is None else dtype)
    given = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(size)
    return [_drawn(*pair) for pair in zip(size, given, strict=False)]


# ---- running the network


def _run(net, sizes, dtypes, input) -> dict[str, dict]:
    """Run the network; return the row of each layer that ran, by its name in the table."""
    rows: dict[str, dict] = {}
    handles = [
        layer.register_forward_post_hook(_observer(rows))
        for layer in [*net.sublayers(), net]
        if _is_shown(layer, net)
    ]
    try:
        with paddle.no_grad():
            if input is not None:
                net(input)
            else:
                net(*_drawn([sizes] if isinstance(sizes, tuple) else sizes, dtypes))
    finally:
        for handle in handles:
            handle.remove()
    return rows


def _is_shown(layer, net) -> bool:
    """Return whether a layer has a row: containers of layers and the network itself have none."""
    if isinstance(layer, RNNBase):
        return not layer.proj_size  # its cells run then
    if isinstance(layer, (Sequential, LayerList)):
        return False
    return layer is not net or not net.sublayers()


def _observer(rows: dict[str, dict]):
    def observe(layer, inputs, output):
        number = layer.full_name().rpartition("_")[2]
        number = int(number) if number.isdigit() else len(rows)
        parameters = [p for p in layer._parameters.values() if p is not None]
        rows[f"{type(layer).__name__}-{number + 1}"] = {
            "inputs": _shapes(inputs),
            "outputs": _shapes(output, other=[]),
            "params": sum(map(_number_of_elements, parameters)),
            "trainable": sum(
                _number_of_elements(p) for p in parameters if p.trainable and not p.stop_gradient
            ),
        }

    return observe


def _number_of_elements(parameter) -> np.int64:
    """Return the number of elements as NumPy's integer, of which Paddle's totals are."""
    return np.prod(parameter.shape, dtype="int64")


def _shapes(value, other=None):
    """Return the shapes of tensors in lists and tuples as lists; ``other`` for other objects."""
    if isinstance(value, (list, tuple)):
        return [_shapes(each, other) for each in value]
    return list(value.shape) if hasattr(value, "shape") else other


# ---- the text


def _text(rows: dict[str, dict], sizes, total: int, trainable: int) -> str:
    lines = [
        (name, str(row["inputs"]), str(row["outputs"]), f"{row['params']:,}")
        for name, row in rows.items()
    ]
    plain = [
        (*line[:3], str(row["params"])) for line, row in zip(lines, rows.values(), strict=True)
    ]
    widths = [max(least, *map(len, column)) for least, *column in zip(WIDTHS, *plain, strict=True)]
    width = max(75, sum(widths) + 5)

    def line_of(cells) -> str:
        return " ".join(f"{cell:^{n}}" for cell, n in zip(cells, widths, strict=True))

    elements = sum(_elements(row["outputs"]) for row in rows.values())
    input_mb = _elements(sizes) * 4.0 / MEGABYTE
    output_mb = 2.0 * elements * 4.0 / MEGABYTE  # values and gradients
    params_mb = total * 4.0 / MEGABYTE
    return "\n".join(
        [
            "-" * width,
            line_of(HEADINGS),
            "=" * width,
            *[line_of(line) for line in lines],
            "=" * width,
            f"Total params: {total:,}",
            f"Trainable params: {trainable:,}",
            f"Non-trainable params: {total - trainable:,}",
            "-" * width,
            f"Input size (MB): {input_mb:0.2f}",
            f"Forward/backward pass size (MB): {output_mb:0.2f}",
            f"Params size (MB): {params_mb:0.2f}",
            f"Estimated Total Size (MB): {params_mb + output_mb + input_mb:0.2f}",
            "-" * width,
            "",
        ]
    )


def _elements(shapes) -> int:
    """Return the number of elements of tensors with nested shapes."""
    if all(isinstance(each, int) for each in shapes):
        return math.prod(shapes)
    return sum(_elements(each) for each in shapes)
