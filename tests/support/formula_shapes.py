"""The shapes in which a reader of a formula thinks of the operands: rows, channels, columns.

The arrays of a call are reshaped to these before its formula is computed, and gradients are
reshaped back. Only rows whose formula leaves the shapes to the reader are here.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np


class Shapes(NamedTuple):
    """The shapes in which the values of a call are seen.

    Attributes:
        to: a function of each value, by its name.
        back: a function of each gradient that is not reshaped, by the operand's name.
        axes: the axes of ``sum`` and ``mean``; None for the axes of the call.
        more: further values.
    """

    to: Mapping[str, Callable] = MappingProxyType({})
    back: Mapping[str, Callable] = MappingProxyType({})
    axes: tuple[int, ...] | None = None
    more: Mapping[str, Any] = MappingProxyType({})


def as_shape(*shape: int) -> Callable:
    """Return a function that reshapes."""
    return lambda x: np.reshape(x, shape)


def layer_norm(arrays: list, static: dict) -> Shapes:
    """See samples as rows."""
    return rows(arrays[0], static["begin_norm_axis"], ("mean", "variance"))


def rms_norm(arrays: list, static: dict) -> Shapes:
    """See values that are normalized together as rows."""
    x = arrays[0]
    shapes = rows(x, x.ndim - len(static["normalized_shape"]), ("invvar", "dinvvar"))
    return shapes._replace(to={**shapes.to, "scale": as_shape(-1)})


def rows(x: np.ndarray, start: int, statistics: tuple[str, ...]) -> Shapes:
    """See axes from ``start`` on as one, and statistics as columns."""
    count = math.prod(x.shape[:start])
    wide = as_shape(count, math.prod(x.shape[start:]))
    columns = dict.fromkeys(statistics, as_shape(count, 1))
    return Shapes({"x": wide, "dout": wide} | columns, axes=(-1,))


def channels_first(static: dict) -> tuple[Callable, Callable]:
    """Return functions that move the channels after the samples, and back."""
    if static.get("data_format", "NCHW").startswith("NC"):
        return np.asarray, np.asarray
    return lambda x: np.moveaxis(x, -1, 1), lambda x: np.moveaxis(x, 1, -1)


def group_norm(arrays: list, static: dict) -> Shapes:
    """See groups, the channels of a group, and places."""
    first, last = channels_first(static)
    x = first(arrays[0])
    groups = static.get("groups", x.shape[1])
    shape = (x.shape[0], groups, x.shape[1] // groups, math.prod(x.shape[2:]))

    def wide(each):
        return first(each).reshape(shape)

    channel = as_shape(1, groups, -1, 1)
    return Shapes(
        {"x": wide, "dy": wide, "scale": channel, "bias": channel},
        {"x": lambda each: last(each.reshape(x.shape))},
        axes=(2, 3),
    )


def batch_norm(arrays: list, static: dict) -> Shapes:
    """See samples, channels and places."""
    first, last = channels_first(static)
    x = first(arrays[0])
    shape = (*x.shape[:2], math.prod(x.shape[2:]))

    def wide(each):
        return first(each).reshape(shape)

    names = ("scale", "bias", "saved_mean", "saved_variance")
    return Shapes(
        {"x": wide, "dout": wide} | dict.fromkeys(names, as_shape(1, -1, 1)),
        {"x": lambda each: last(each.reshape(x.shape))},
        axes=(0, 2),
    )


def prelu(arrays: list, static: dict) -> Shapes:
    """See a weight for each channel along the channels."""
    x, weight = arrays
    shape = [1] * x.ndim
    if weight.size > 1:
        shape[1 if static["data_format"].startswith("NC") else -1] = -1
    return Shapes({"weight": as_shape(*shape)})


def transposed(x: np.ndarray) -> np.ndarray:
    """Return matrices with rows and columns swapped."""
    return np.swapaxes(x, -1, -2)


def matmul(arrays: list, static: dict) -> Shapes:
    """See vectors as a row and a column, and matrices as they are multiplied."""
    x, y = arrays
    turns = {
        name: transposed
        for name, each in (("x", x), ("y", y))
        if static[f"transpose_{name}"] and each.ndim > 1
    }
    vectors = {"x": as_shape(1, -1)} if x.ndim == 1 else {}
    vectors |= {"y": as_shape(-1, 1)} if y.ndim == 1 else {}

    def wide(dout):
        dout = dout[..., None] if y.ndim == 1 else dout
        return dout[..., None, :] if x.ndim == 1 else dout

    return Shapes(turns | vectors | {"dout": wide}, turns)


def solve(arrays: list, static: dict) -> Shapes:
    """See vectors as columns."""
    x, y = arrays
    if y.ndim != 1 and y.shape != x.shape[:-1]:
        return Shapes()

    def column(each):
        return each[..., None]

    return Shapes(dict.fromkeys(("y", "dout", "out"), column))


def flat_images(arrays: list, static: dict) -> Shapes:
    """See images as lines."""

    def flat(each):
        return each.reshape(*each.shape[:2], -1)

    return Shapes(dict.fromkeys(("x", "dout", "mask", "indices"), flat), axes=(-1,))


def entries(arrays: list, static: dict) -> Shapes:
    """See the values of a sparse matrix, or their gradients, as a column."""
    return Shapes(dict.fromkeys(("x",), as_shape(-1, 1)), axes=(-1,))


def masked_entries(arrays: list, static: dict) -> Shapes:
    """See the gradients of the values of a sparse matrix as a column."""
    return Shapes({"dout": as_shape(-1, 1)})


def over_last(arrays: list, static: dict) -> Shapes:
    """Sum run over the last axis."""
    return Shapes(axes=(-1,))


def cross_entropy(arrays: list, static: dict) -> Shapes:
    """See a target: the label, one-hot where it is a class, and 0 where it is ignored."""
    logits, label = arrays
    axis = static["axis"] % logits.ndim
    if static["soft_label"]:
        return Shapes(more={"target": label})
    if label.ndim < logits.ndim:
        label = np.expand_dims(label, axis)
    classes = np.arange(logits.shape[axis]).reshape([-1] + [1] * (logits.ndim - 1 - axis))
    target = (classes == label) & (label != static["ignore_index"])
    return Shapes(more={"target": target.astype(float)})


def overlap_add(arrays: list, static: dict) -> Shapes:
    """See the length of frames."""
    x = arrays[0]
    return Shapes(more={"frame_length": x.shape[1 if static["axis"] == 0 else -2]})


SHAPES = {
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "group_norm": group_norm,
    "instance_norm": group_norm,
    "batch_norm": batch_norm,
    "prelu": prelu,
    "matmul": matmul,
    "solve": solve,
    "max_pool2d_with_index": flat_images,
    "max_pool3d_with_index": flat_images,
    "fractional_max_pool2d": flat_images,
    "fractional_max_pool3d": flat_images,
    "unpool": flat_images,
    "unpool3d": flat_images,
    "sparse_matmul": entries,
    "sparse_mv": entries,
    "masked_matmul": masked_entries,
    "fused_softmax_mask": over_last,
    "fused_softmax_mask_upper_triangle": over_last,
    "overlap_add": overlap_add,
    "cross_entropy_with_softmax": cross_entropy,
}
MORE_WORDS = {"overlap_add": {"frame_length"}, "cross_entropy_with_softmax": {"target"}}
