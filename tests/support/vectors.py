"""Eigenvectors and singular vectors, which are determined up to a factor of size 1 each.

LAPACK and cuSOLVER choose different ones.
"""

import numpy as np


def aligned(name: str, found: list, expected: list) -> list:
    """Returns what a row has computed with the factors of the expected vectors.

    Args:
        name: of the row; of all but "eigh" and "svd" it is returned as it is.
        found: the row's outputs, of NumPy.
        expected: what they should be.
    """
    if name == "eigh":
        values, vectors = found
        return [values, vectors * _factors(vectors, expected[1])]
    if name == "svd":
        u, values, vh = found
        count = values.shape[-1]
        factors = _factors(u[..., :count], expected[0][..., :count])
        u = np.concatenate([u[..., :count] * factors, _turned(u, expected[0], count)], -1)
        rows = np.swapaxes(vh, -1, -2)
        first = rows[..., :count] / factors
        rows = [first, _turned(rows, np.swapaxes(expected[2], -1, -2), count)]
        return [u, values, np.swapaxes(np.concatenate(rows, -1), -1, -2)]
    return found


def _factors(found, expected):
    """Returns [..., 1, n]: what takes each column nearest to the expected one."""
    along = (found.conj() * expected).sum(-2, keepdims=True).astype(found.dtype)
    size = np.abs(along)
    return np.where(size == 0, 1, along / np.where(size == 0, 1, size))


def _turned(found, expected, count: int):
    """Returns the columns from a number on, of which only the space they span is determined."""
    found, expected = found[..., count:], expected[..., count:].astype(found.dtype)
    return found @ (np.swapaxes(found.conj(), -1, -2) @ expected)
