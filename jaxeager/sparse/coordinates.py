"""Coordinates of entries, on the host: NumPy arrays int64[dims, entries] and their flat keys."""

import math

import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.size_limit import LARGEST


def host_array(tensor) -> np.ndarray:
    """Return the integers of a tensor as int64 on the host; wait for the device."""
    return host_values(tensor._array).astype(np.int64)


def keys_of(coordinates: np.ndarray, dims) -> np.ndarray:
    """Return each entry's position in the dense order, int64[entries].

    Raises:
        InvalidArgumentError: when a position does not fit into 64 bits.
    """
    if math.prod(dims) > LARGEST:
        raise InvalidArgumentError(
            f"A sparse shape {list(dims)} has more places than 64 bits can count, so its entries "
            "cannot be sorted. Use smaller dimensions."
        )
    keys = np.zeros(coordinates.shape[1], np.int64)
    for each, size in zip(coordinates, dims, strict=True):
        keys = keys * size + each
    return keys


def coordinates_of(keys: np.ndarray, dims) -> np.ndarray:
    """Return the coordinates of flat keys, int64[dims, entries]."""
    found, rest = [], keys
    for size in reversed(list(dims)):
        found.append(rest % max(size, 1))
        rest = rest // max(size, 1)
    return np.stack(found[::-1]) if found else np.zeros((0, len(keys)), np.int64)


def is_increasing(keys: np.ndarray) -> bool:
    """Return whether the keys are sorted and distinct."""
    return bool(np.all(keys[1:] > keys[:-1]))


def row_starts(coordinates: np.ndarray, shape) -> np.ndarray:
    """Return the crows of entries that are sorted by row; those of each batch start at 0."""
    *batch, rows, _ = shape
    batches = int(np.prod(batch))
    counts = np.bincount(keys_of(coordinates[:-1], shape[:-1]), minlength=batches * rows)
    starts = np.zeros((batches, rows + 1), np.int64)
    starts[:, 1:] = np.cumsum(counts.reshape(batches, rows), axis=1)
    return starts.reshape(-1)


def rows_of(crows: np.ndarray, cols: np.ndarray, shape) -> np.ndarray:
    """Return the coordinates of entries in compressed rows, int64[dims, entries]."""
    *batch, rows, _ = shape
    counts = np.diff(crows.reshape(-1, rows + 1), axis=1).reshape(-1)
    keys = np.repeat(np.arange(len(counts)), counts)
    return np.concatenate([coordinates_of(keys, [*batch, rows]), cols[None]])


def unique_keys(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct keys, and the position of each given key among them."""
    kept, at = np.unique(keys, return_inverse=True)
    return kept, at.reshape(-1)
