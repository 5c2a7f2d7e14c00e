"""Positions of nonzero elements, and distinct elements: nonzero, unique.

The length of the outputs depends on values and is computed on the host, so these functions wait for
their input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.creation_events import source
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_int
from jaxeager.ops.rules.axes import normal_axis

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


@composite()
def nonzero(x: Tensor, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """Return where the elements of a tensor are not zero.

    Their number depends on the values, so this waits for ``x``.

    Args:
        x: tensor with at least one dimension.
        as_tuple: whether to return one tensor per dimension instead of one with a row per element.

    Returns:
        int64 Tensor [n, ndim], or a tuple of ndim tensors [n].

    Raises:
        InvalidArgumentError: for a 0-D tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nonzero(paddle.to_tensor([0.0, 2.0, 3.0])).tolist()
        [[1], [2]]
    """
    if x.ndim == 0:
        raise InvalidArgumentError("nonzero: the tensor must have at least one dimension.")
    if as_tuple:
        places = [place.astype(np.int64) for place in np.nonzero(x.numpy())]
        return tuple(wrap(on_device(place)) for place in places)
    return _nonzero(x)


@source("nonzero", "condition")
def _nonzero(condition):
    return wrap(on_device(np.stack(np.nonzero(condition.numpy()), axis=1).astype(np.int64)))


@composite()
def argwhere(input: Tensor) -> Tensor:
    """Return the indices of the nonzero elements, one row each; see ``nonzero``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.argwhere(paddle.to_tensor([[0.0, 2.0]])).tolist()
        [[0, 1]]
    """
    return nonzero(input)  # type: ignore[return-value]


@composite()
@source(
    "unique", "x",
    more={"return_index": "indices", "return_inverse": "inverse", "return_counts": "counts"},
)  # fmt: skip
def unique(
    x: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: DTypeLike = "int64",
    sorted: bool = True,
    name: str | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Return the distinct elements of a tensor in order, or its distinct slices.

    Their number depends on the values, so this waits for ``x``.

    Args:
        x: tensor of any shape.
        return_index: whether to also return the first position of each.
        return_inverse: whether to also return, for each element of ``x``, its index in the output.
        return_counts: whether to also return how often each occurs.
        axis: the axis whose slices are compared; without it ``x`` is flattened.
        dtype: "int64" or "int32", of the indices and counts.
        sorted: accepted for compatibility; the output is sorted.
        name: accepted for compatibility.

    Returns:
        Tensor, or a tuple of it and the other requested results, in the order above.

    Example:
        >>> import jaxeager as paddle
        >>> out, counts = paddle.unique(paddle.to_tensor([2, 1, 2]), return_counts=True)
        >>> out.tolist(), counts.tolist()
        ([1, 2], [1, 2])
    """
    axis = None if axis is None else normal_axis(as_int(axis, "axis"), x.ndim)
    results = np.unique(x.numpy(), return_index, return_inverse, return_counts, axis)
    if not isinstance(results, tuple):
        return wrap(on_device(results))
    rest = [np.reshape(each, -1).astype(dtypes.to_numpy(dtype)) for each in results[1:]]
    return tuple(wrap(on_device(each)) for each in (results[0], *rest))


@composite()
@source("unique_consecutive", "x", more={"return_inverse": "index", "return_counts": "counts"})
def unique_consecutive(
    x: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Return the elements (or slices) of a tensor that differ from the one before.

    Their number depends on the values, so this waits for ``x``.

    Args:
        x: tensor of any shape.
        return_inverse: whether to also return, for each element of ``x``, its index in the output.
        return_counts: whether to also return the length of each run.
        axis: the axis whose slices are compared; without it ``x`` is flattened.
        dtype: "int64" or "int32", of the indices and counts.
        name: accepted for compatibility.

    Returns:
        Tensor, or a tuple of it and the other requested results, in the order above.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1])).tolist()
        [1, 2, 1]
    """
    host = x.numpy()
    axis = None if axis is None else normal_axis(as_int(axis, "axis"), x.ndim)
    lines = host.reshape(-1) if axis is None else np.moveaxis(host, axis, 0)
    is_new = np.ones(len(lines), bool)
    is_new[1:] = (lines[1:] != lines[:-1]).any(axis=tuple(range(1, lines.ndim)))
    starts = np.flatnonzero(is_new)
    out = host.reshape(-1)[starts] if axis is None else np.take(host, starts, axis)
    results, dtype = [out], dtypes.to_numpy(dtype)
    if return_inverse:
        results.append((np.cumsum(is_new) - 1).astype(dtype))
    if return_counts:
        results.append(np.diff(np.append(starts, len(lines))).astype(dtype))
    tensors = tuple(wrap(on_device(each)) for each in results)
    return tensors if len(results) > 1 else tensors[0]
