"""paddle.functional: an older location of functions of paddle, and a ``split`` by sizes."""

from __future__ import annotations

from collections.abc import Sequence

import jaxeager as paddle
from jaxeager import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_shapes,
    einsum,
    meshgrid,
    norm,
    unique_consecutive,
)
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_shapes", "einsum", "meshgrid", "norm",
    "split", "unique_consecutive",
]  # fmt: skip


def split(
    tensor: paddle.Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[paddle.Tensor, ...]:
    """Split a tensor into pieces of a size, the last of which may be shorter.

    Args:
        tensor: of any dtype and shape.
        split_size_or_sections: the size of each piece, or a list with one size for each.
        dim: the axis to split.

    Returns:
        The pieces.

    Raises:
        RefusedArgumentError: for a size that is not positive.
        InvalidArgumentError: for a negative size in a list.

    Example:
        >>> import jaxeager as paddle
        >>> [each.tolist() for each in paddle.functional.split(paddle.arange(5), 2)]
        [[0, 1], [2, 3], [4]]
    """
    size = split_size_or_sections
    if isinstance(size, (list, tuple)):
        sizes = [int(each) for each in size]
        if any(each < 0 for each in sizes):
            raise InvalidArgumentError(
                "paddle.compat.split expects split_sizes have only non-negative entries, but got "
                f"{sizes}."
            )
    else:
        size = int(size)  # type: ignore[arg-type]
        if size <= 0:
            raise RefusedArgumentError("split_size_or_sections must be greater than 0.")
        length = tensor.shape[dim]
        sizes = [size] * (length // size) + ([length % size] if length % size else [])
    return tuple(paddle.split(tensor, sizes or 1, dim))
