"""Eigenvectors and singular vectors, which are determined up to a factor of size 1 each.

LAPACK and cuSOLVER choose different ones.
"""

import numpy as np


def aligned(name: str, found: list, expected: list) -> list:
    """Return a row's results with the factors of the expected vectors.

    Args:
        name: the row's name; for all but "eigh" and "svd" the outputs are returned unchanged.
        found: the row's outputs, as NumPy arrays.
        expected: the expected outputs.
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
    """Return [..., 1, n]: the factors that bring each column nearest to the expected one."""
    along = (found.conj() * expected).sum(-2, keepdims=True).astype(found.dtype)
    size = np.abs(along)
    return np.where(size == 0, 1, along / np.where(size == 0, 1, size))


def _turned(found, expected, count: int):
    """Return the columns from a number on, of which only the spanned space is determined."""
    found, expected = found[..., count:], expected[..., count:].astype(found.dtype)
    return found @ (np.swapaxes(found.conj(), -1, -2) @ expected)
