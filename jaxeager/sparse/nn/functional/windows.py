"""The entries in each window of a convolution or pooling; see Note [Window tables]."""

from typing import NamedTuple

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.tensors import SparseCooTensor


class Window(NamedTuple):
    """The geometry of a window: a number per dimension; pads as (low, high), concatenated."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]

    def out_sizes(self, sizes, ceil_mode: bool = False) -> list[int]:
        """Return the spatial sizes of the output."""
        out = []
        for axis, size in enumerate(sizes):
            low, high = self.pads[2 * axis : 2 * axis + 2]
            stride = self.strides[axis]
            room = size + low + high - self.dilations[axis] * (self.kernel[axis] - 1) - 1
            count = (-(-room // stride) if ceil_mode else room // stride) + 1
            if ceil_mode and (count - 1) * stride >= size + low:
                count -= 1
            out.append(max(count, 0))
        return out


def sparse_image(x, dims: int, what: str) -> SparseCooTensor:
    """Return a sparse image in which each place occurs at most once.

    Raises:
        InvalidArgumentError: for anything but coordinates of batch and space, channels as entries.
    """
    if not isinstance(x, SparseCooTensor) or x.ndim != dims + 2 or x.dense_dim() != 1:
        kind = type(x).__name__
        dense = f" and {x.dense_dim()} dense dimensions" if isinstance(x, SparseCooTensor) else ""
        raise InvalidArgumentError(
            f"Input x should be {dims + 2}D tensor with coordinates of batch and space and "
            f"channels as entries, but {what} received x, a {kind}, with the shape of "
            f"{list(x.shape)}{dense}"
        )
    keys = host.keys_of(x.coordinates(), x.shape[:-1])
    return x if len(np.unique(keys)) == len(keys) else x.coalesce()


def table_of(x, window: Window, out_dims: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the window table, and the sorted coordinates of the outputs whose window has an entry.

    Args:
        x: sparse image.
        window: the geometry of the window.
        out_dims: the batch and spatial sizes of the output.
    """
    keys, entries = zip(*_meetings(x, window, out_dims), strict=True)
    kept, at = host.unique_keys(np.concatenate(keys))
    return _filled(keys, entries, at, len(kept), x.nnz()), host.coordinates_of(kept, out_dims)


def table_at_entries(x, window: Window) -> np.ndarray:
    """Return the window table of outputs at the entries, in the order of the entries."""
    dims = list(x.shape[:-1])
    own = host.keys_of(x.coordinates(), dims)
    order = np.argsort(own)
    keys, entries = [], []
    places = []
    for found, which in _meetings(x, window, dims):
        nearest = np.searchsorted(own[order], found)
        inside = nearest < len(own)
        inside[inside] = own[order][nearest[inside]] == found[inside]
        keys.append(found[inside])
        entries.append(which[inside])
        places.append(order[nearest[inside]])
    return _filled(keys, entries, np.concatenate(places), x.nnz(), x.nnz())


def _meetings(x, window: Window, out_dims: list[int]):
    """Yield, per position of the window, the keys of outputs and the entries at that position."""
    batch, *space = x.coordinates()
    numbers = np.arange(x.nnz())
    for position in np.ndindex(*window.kernel):
        places, inside = [batch], np.ones(len(batch), bool)
        for axis, coordinate in enumerate(space):
            offset = window.pads[2 * axis] - position[axis] * window.dilations[axis]
            place, rest = np.divmod(coordinate + offset, window.strides[axis])
            inside &= (rest == 0) & (place >= 0) & (place < out_dims[1 + axis])
            places.append(place)
        yield host.keys_of(np.stack(places)[:, inside], out_dims), numbers[inside]


def _filled(keys, entries, at: np.ndarray, outputs: int, missing: int) -> np.ndarray:
    """Return the table, with the entries of each position in its row."""
    table = np.full((len(keys), outputs), missing, np.int64)
    position = np.repeat(np.arange(len(keys)), [len(each) for each in keys])
    table[position, at] = np.concatenate(entries)
    return table
