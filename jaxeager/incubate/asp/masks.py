"""Masks of n:m sparse patterns: what is kept of each group of m numbers, and checks of it.

The functions take and return NumPy arrays: a network is pruned once, not in every step.
"""

from __future__ import annotations

import enum
import functools
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError, RefusedTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

# The number of patterns of a block that get_mask_2d_best compares at most; 2:4 has 1296.
_MOST_PATTERNS = 10**6


class MaskAlgo(enum.Enum):
    """The ways to choose a mask; the values are names of functions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.MaskAlgo.MASK_1D.value
        'get_mask_1d'
    """

    MASK_1D = "get_mask_1d"
    MASK_2D_GREEDY = "get_mask_2d_greedy"
    MASK_2D_BEST = "get_mask_2d_best"


class CheckMethod(enum.Enum):
    """The ways to check a pattern; the values are names of functions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.CheckMethod.CHECK_2D.value
        'check_mask_2d'
    """

    CHECK_1D = "check_mask_1d"
    CHECK_2D = "check_mask_2d"

    @staticmethod
    def get_checking_method(mask_algo: MaskAlgo) -> CheckMethod:
        """Return the check of the masks that an algorithm creates.

        Args:
            mask_algo: the algorithm.

        Raises:
            RefusedTypeError: for anything but a MaskAlgo.
        """
        if not isinstance(mask_algo, MaskAlgo):
            raise RefusedTypeError(
                f"mask_algo should be MaskAlgo type, but is {type(mask_algo).__name__}"
            )
        is_of_rows = mask_algo is MaskAlgo.MASK_1D
        return CheckMethod.CHECK_1D if is_of_rows else CheckMethod.CHECK_2D


def calculate_density(x: np.ndarray) -> float:
    """Return the share of an array's elements that are not zero.

    Args:
        x: an array with at least one element.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.calculate_density(np.array([[0, 1, 3, 0], [1, 1, 0, 1]]))
        0.625
    """
    return float(np.count_nonzero(x)) / x.size


# ---- groups in a row


def get_mask_1d(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """Return a mask without the ``n`` smallest of every ``m`` numbers of a row.

    Args:
        mat: a matrix; a row is filled up with zeros to a multiple of ``m``.
        n: how many numbers of each group become zero.
        m: the size of a group.

    Returns:
        an array of the matrix's shape and dtype: 1 where it keeps a number, else 0.

    Raises:
        RefusedArgumentError: for anything but a matrix.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.get_mask_1d(np.array([[0, 1, 5, 4], [2, 7, 3, 6]]), 2, 4).tolist()
        [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    padded = _padded(mat, 1, m)
    groups = padded.reshape(-1, m)
    smallest = np.argsort(np.abs(groups), axis=1)[:, :n]
    mask = np.ones_like(groups)
    np.put_along_axis(mask, smallest, 0, axis=1)
    return mask.reshape(padded.shape)[:, : mat.shape[1]].astype(mat.dtype)


def check_mask_1d(mat: np.ndarray, n: int, m: int) -> bool:
    """Return whether at least ``n`` of every ``m`` numbers of a row are zero.

    Args:
        mat: a matrix; a row is filled up with zeros to a multiple of ``m``.
        n: how many numbers of each group must be zero.
        m: the size of a group.

    Raises:
        RefusedArgumentError: for anything but a matrix.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.check_mask_1d(np.array([[0, 1, 0, 4, 5]]), 2, 4)
        True
    """
    kept = np.count_nonzero(_padded(mat, 1, m).reshape(-1, m), axis=1)
    return bool((kept <= m - n).all())


# ---- square blocks


def get_mask_2d_greedy(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """Return a mask that keeps at most ``n`` numbers of each row and column of m x m blocks.

    The numbers of a block are considered in descending order.

    Args:
        mat: a matrix; it is filled up with zeros to multiples of ``m``.
        n: how many numbers of each row and column of a block are kept at most.
        m: the size of a block.

    Returns:
        a float64 array of the matrix's shape: 1 where it keeps a number, else 0.

    Raises:
        RefusedArgumentError: for anything but a matrix.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> x = np.array([[9, 8, 3, 7], [9, 2, 1, 10], [5, 1, 3, 6], [2, 4, 6, 1]])
        >>> paddle.incubate.asp.get_mask_2d_greedy(x, 2, 4).tolist()[0]
        [1.0, 1.0, 0.0, 0.0]
    """
    padded = _padded(mat, m, m)
    blocks = _blocks(padded, m)
    order = np.argsort(np.abs(blocks.reshape(-1, m * m)), axis=1)
    every = np.arange(len(blocks))
    mask = np.zeros((len(blocks), m, m))
    of_row, of_column = np.zeros((len(blocks), m), int), np.zeros((len(blocks), m), int)
    for places in order.T[::-1]:
        row, column = places // m, places % m
        is_kept = (of_row[every, row] != n) & (of_column[every, column] != n)
        mask[every, row, column] = is_kept
        of_row[every, row] += is_kept
        of_column[every, column] += is_kept
    return _matrix(mask, padded.shape)[: mat.shape[0], : mat.shape[1]]


def get_mask_2d_best(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """Return a mask that keeps the largest sum of absolute values of each m x m block.

    It keeps ``n`` numbers of each row, and at most ``n`` of each column of a block.

    Args:
        mat: a matrix; it is filled up with zeros to multiples of ``m``.
        n: how many numbers of each row of a block are kept.
        m: the size of a block.

    Returns:
        a float64 array of the matrix's shape: 1 where it keeps a number, else 0.

    Raises:
        RefusedArgumentError: for anything but a matrix.
        InvalidArgumentError: for a block with too many patterns, such as 4:8.

    Paddle: it maximizes the sum of the numbers themselves, so that it drops large negative ones.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> x = np.array([[2, 8, 9, 9], [9, 1, 3, 9], [5, 6, 3, 9], [2, 4, 6, 9]])
        >>> float((x * paddle.incubate.asp.get_mask_2d_best(x, 2, 4)).sum())
        61.0
    """
    padded = _padded(mat, m, m)
    patterns = _patterns(n, m)
    sums = np.abs(_blocks(padded, m)).reshape(-1, m * m) @ patterns.reshape(-1, m * m).T
    best = patterns[np.argmax(sums, axis=1)]
    return _matrix(best, padded.shape)[: mat.shape[0], : mat.shape[1]]


def check_mask_2d(mat: np.ndarray, n: int, m: int) -> bool:
    """Return whether m x m blocks have ``n`` zeros in every row, or ``n`` in every column.

    Args:
        mat: a matrix; it is filled up with zeros to multiples of ``m``.
        n: how many numbers of each row, or of each column, must be zero.
        m: the size of a block.

    Raises:
        RefusedArgumentError: for anything but a matrix.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> x = np.array([[0, 8, 9, 0], [9, 0, 0, 10], [5, 0, 0, 6], [0, 4, 6, 0]])
        >>> paddle.incubate.asp.check_mask_2d(x, 2, 4)
        True
    """
    kept = _blocks(_padded(mat, m, m), m) != 0
    rows, columns = ((kept.sum(axis) <= m - n).all(axis=1) for axis in (2, 1))
    return bool((rows | columns).all())


@functools.lru_cache(maxsize=8)
def _patterns(n: int, m: int) -> np.ndarray:
    """Return the patterns of a block with n ones in each row, and at most n in each column."""
    if math.comb(m, n) ** m > _MOST_PATTERNS:
        raise InvalidArgumentError(
            f"A block of {m} x {m} numbers has too many patterns with {n} in each row to compare "
            "them; use the algorithm mask_2d_greedy."
        )
    rows = [row for row in itertools.product((1.0, 0.0), repeat=m) if sum(row) == n]
    found = np.array(list(itertools.product(rows, repeat=m)))
    return found[(found.sum(axis=1) <= n).all(axis=1)]


def _padded(mat: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Return a matrix filled up with zeros to multiples of two numbers."""
    if mat.ndim != 2:
        raise RefusedArgumentError(
            f"The input mat should be a 2D matrix, but its shape is {list(mat.shape)}."
        )
    return np.pad(mat, ((0, -mat.shape[0] % rows), (0, -mat.shape[1] % columns)))


def _blocks(padded: np.ndarray, m: int) -> np.ndarray:
    """Return the m x m blocks of a matrix, [blocks, m, m]."""
    height, width = padded.shape
    return padded.reshape(height // m, m, width // m, m).transpose(0, 2, 1, 3).reshape(-1, m, m)


def _matrix(blocks: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the matrix of m x m blocks."""
    m = blocks.shape[-1]
    grid = blocks.reshape(shape[0] // m, shape[1] // m, m, m)
    return grid.transpose(0, 2, 1, 3).reshape(shape)


# ---- arrays of up to four axes


def create_mask(
    tensor: np.ndarray, func_name: MaskAlgo = MaskAlgo.MASK_1D, n: int = 2, m: int = 4
) -> np.ndarray:
    """Return the n:m mask of an array.

    Args:
        tensor: an array of one to four axes. Groups are along the last axis, and along the third
            of four.
        func_name: the algorithm.
        n: n of the pattern.
        m: m of the pattern.

    Returns:
        an array of the same shape and dtype: 1 where it keeps a number, else 0.

    Raises:
        RefusedTypeError: when the algorithm is not a MaskAlgo.
        InvalidArgumentError: for an array of more axes, or of none.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.create_mask(np.array([[2, 8, 9, 9], [9, 1, 3, 9]])).tolist()
        [[0, 0, 1, 1], [1, 0, 0, 1]]
    """
    if not isinstance(func_name, MaskAlgo):
        raise RefusedTypeError(
            "func_name argument of create_mask is only accepted as type MaskAlgo. "
            f"But got {type(func_name)}"
        )
    rows, back = _rows(tensor)
    return back(globals()[func_name.value](rows, n=n, m=m)).astype(tensor.dtype)


def check_sparsity(
    tensor: np.ndarray, func_name: CheckMethod = CheckMethod.CHECK_1D, n: int = 2, m: int = 4
) -> bool:
    """Return whether an array has an n:m pattern.

    Args:
        tensor: an array of one to four axes. Groups are along the last axis, and along the third
            of four.
        func_name: the check.
        n: n of the pattern.
        m: m of the pattern.

    Raises:
        RefusedTypeError: when the check is not a CheckMethod.
        InvalidArgumentError: for an array of more axes, or of none.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.check_sparsity(np.array([[0, 0, 9, 9], [9, 1, 3, 9]]))
        False
    """
    if not isinstance(func_name, CheckMethod):
        raise RefusedTypeError(
            "func_name argument of check_sparsity is only accepted as type CheckMethod. "
            f"But got {type(func_name)}"
        )
    return globals()[func_name.value](_rows(tensor)[0], n=n, m=m)


def _rows(tensor: np.ndarray) -> tuple[np.ndarray, Callable]:
    """Return the matrix of an array's groups, and a function that returns to the array's shape."""
    shape, values = list(tensor.shape), tensor.astype("float64")
    if not 1 <= len(shape) <= 4:
        raise InvalidArgumentError(
            f"A mask is of an array of one to four axes, but there are {len(shape)}."
        )
    if len(shape) < 4:
        return values.reshape(-1, shape[-1]), lambda mask: mask.reshape(shape)
    swapped = values.swapaxes(2, 3)
    return (
        swapped.reshape(-1, shape[2]),
        lambda mask: mask.reshape(swapped.shape).swapaxes(2, 3),
    )
