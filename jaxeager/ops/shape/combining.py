"""Combinations of elements, products of vectors, and powers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.call.bad_operands import listed
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.creation.creation import from_numpy
from jaxeager.ops.elementwise.math import elementwise_pow
from jaxeager.ops.indexing.gather import index_select
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_int
from jaxeager.ops.shape.joining import stack
from jaxeager.ops.shape.manipulation import reshape, unsqueeze
from jaxeager.ops.shape.matrices import meshgrid

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite()
def combinations(
    x: Tensor, r: int = 2, with_replacement: bool = False, name: str | None = None
) -> Tensor:
    """Return all combinations of ``r`` elements of a vector, in order.

    Args:
        x: tensor[n].
        r: the number of elements in each combination.
        with_replacement: whether an element may occur again.
        name: accepted for compatibility.

    Returns:
        Tensor[number of combinations, r]; of shape [0] when ``r`` is 0.

    Raises:
        InvalidTypeError: when ``x`` is not a vector.
        InvalidArgumentError: when ``r`` is not an int of at least 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.combinations(paddle.to_tensor([1, 2, 3])).tolist()
        [[1, 2], [1, 3], [2, 3]]
    """
    if raw(x).ndim != 1:
        raise InvalidTypeError(f"Expect a 1-D vector, but got x shape {list(raw(x).shape)}.")
    if not isinstance(r, int) or r < 0:
        raise InvalidArgumentError(f"Expect a non-negative int, but got r={r!r}.")
    if r == 0:
        return wrap(jnp.zeros(0, raw(x).dtype))
    size = raw(x).shape[0]
    count = math.comb(size + r - 1, r) if with_replacement and size else math.comb(size, r)
    check_size("combinations", (count, r), np.int64)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = choose(range(size), r) if count else ()
    places = np.fromiter(itertools.chain.from_iterable(rows), np.int64, count * r)
    return reshape(index_select(x, from_numpy(places), 0), [count, r])


@composite(method=False)
def cartesian_prod(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return all rows with one element of each vector, the last vector's changing fastest.

    Args:
        x: list of vectors of one dtype.
        name: accepted for compatibility.

    Returns:
        Tensor[product of the lengths, number of vectors]; of one vector the vector itself.

    Raises:
        InvalidArgumentError: when there are no vectors, one is not a vector, or dtypes differ.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cartesian_prod([paddle.to_tensor([1, 2]), paddle.to_tensor([5, 6])]).tolist()
        [[1, 5], [1, 6], [2, 5], [2, 6]]
    """
    x = listed("cartesian_prod", "x", x)
    if not x:
        raise InvalidArgumentError("cartesian_prod: there must be at least one vector, not [].")
    for each in x:
        if raw(each).ndim != 1:
            raise InvalidArgumentError(
                f"Expect a 1D vector, but got shape {list(raw(each).shape)}."
            )
    if len(x) == 1:
        return x[0]
    count = math.prod(raw(each).size for each in x)
    return reshape(stack(list(meshgrid(x)), -1), [count, len(x)])


@composite()
def vander(
    x: Tensor, n: int | None = None, increasing: bool = False, name: str | None = None
) -> Tensor:
    """Return the matrix whose columns are powers of a vector.

    Args:
        x: tensor[m].
        n: the number of columns, m by default.
        increasing: whether the powers increase from left to right.
        name: accepted for compatibility.

    Returns:
        Tensor[m, n].

    Raises:
        InvalidArgumentError: when ``x`` is not a vector, or ``n`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vander(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [[1.0, 1.0, 1.0], [4.0, 2.0, 1.0], [9.0, 3.0, 1.0]]
    """
    if raw(x).ndim != 1:
        raise InvalidArgumentError(
            f"vander: x must have 1 dimension, but it has {raw(x).ndim}: {list(raw(x).shape)}."
        )
    columns = raw(x).shape[0] if n is None else as_int(n, "n")
    if columns < 0:
        raise InvalidArgumentError(f"vander: n must be 0 or more, but received {n}.")
    check_size("vander", (raw(x).size, columns), np.int64)
    powers = np.arange(columns) if increasing else np.arange(columns)[::-1]
    if columns < 2:
        x = x.detach()  # ones do not depend on x
    return elementwise_pow(unsqueeze(x, -1), from_numpy(powers.astype(raw(x).dtype)))
