"""A safe reader of the matrices of real numbers in MATLAB 5 files.

Some data sets store lists in such files. SciPy's reader crashes the process for some damaged files.
This reader supports matrices of real numbers only, and accepts a length only when there are that
many bytes.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.io.archives import limit_of

_HEAD = 128
_MATRIX, _COMPRESSED = 14, 15
# The number types of a part of a file, and those of a matrix, by their codes.
_PARTS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8",
            15: "u8"}  # fmt: skip


def numbers_in(path: str | Path, name: str) -> np.ndarray:
    """Return a matrix of real numbers from a file.

    Args:
        path: the file.
        name: the matrix's name.

    Raises:
        InvalidArgumentError: when the file is damaged, of another format, or has no such matrix.
    """
    data = Path(path).read_bytes()
    mark = data[126:_HEAD]
    if mark not in (b"IM", b"MI"):
        raise InvalidArgumentError(f"{path} is not a file of MATLAB 5, or it is damaged.")
    reader = _Reader(path, "<" if mark == b"IM" else ">", limit_of(len(data)))
    for found, matrix in reader.matrices(data[_HEAD:]):
        if found == name:
            return matrix
    raise InvalidArgumentError(f"{path} has no matrix of numbers {name!r}.")


class _Reader:
    """A reader of the parts of one file."""

    def __init__(self, path: str | Path, order: str, limit: int):
        self._path, self._order, self._limit = path, order, limit

    def matrices(self, data: bytes) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the name and values of each matrix of real numbers."""
        for kind, body in self._parts(data):
            if kind == _COMPRESSED:
                yield from self.matrices(self._unpacked(body))
            elif kind == _MATRIX:
                found = self._matrix(body)
                if found is not None:
                    yield found

    def _unpacked(self, body: bytes) -> bytes:
        unpacker = zlib.decompressobj()
        try:
            found = unpacker.decompress(body, self._limit)
        except zlib.error as error:
            raise self._damage(str(error)) from None
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise self._damage("a compressed part is cut off, or unpacks to too many bytes")
        if int.from_bytes(found[:4], self._byte_order()) == _COMPRESSED:
            raise self._damage("a compressed part contains a compressed part")
        return found

    def _parts(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        at = 0
        while at + 8 <= len(data):
            kind = int.from_bytes(data[at : at + 4], self._byte_order())
            if kind >> 16:  # a short one, of at most four bytes
                size, start, end = kind >> 16, at + 4, at + 8
                kind &= 0xFFFF
            else:
                size, start = int.from_bytes(data[at + 4 : at + 8], self._byte_order()), at + 8
                end = start + size + (0 if kind == _COMPRESSED else -size % 8)
            if start + size > len(data) or (start == at + 4 and size > 4):
                raise self._damage(f"{size} bytes should follow, but {len(data) - start} do")
            yield kind, data[start : start + size]
            at = end

    def _matrix(self, body: bytes) -> tuple[str, np.ndarray] | None:
        """Return name and values; None for anything but a matrix of real numbers."""
        parts = list(self._parts(body))
        if len(parts) < 4 or len(parts[0][1]) != 8:
            return None
        flags = int.from_bytes(parts[0][1][:4], self._byte_order())
        dtype = _CLASSES.get(flags & 0xFF)
        if dtype is None or flags & 0x0800:  # cells, text, complex numbers
            return None
        shape = self._numbers(*parts[1]).tolist()
        values = self._numbers(*parts[3])
        if not shape or min(shape) < 0 or math.prod(shape) != values.size or len(shape) > 8:
            raise self._damage(f"{values.size} numbers do not form a matrix of shape {shape[:8]}")
        name = parts[2][1].decode("latin1")
        return name, values.astype(dtype).reshape(shape, order="F")

    def _numbers(self, kind: int, body: bytes) -> np.ndarray:
        dtype = _PARTS.get(kind)
        if dtype is None or len(body) % np.dtype(dtype).itemsize:
            raise self._damage(f"{len(body)} bytes do not form numbers of kind {kind}")
        return np.frombuffer(body, f"{self._order}{dtype}")

    def _byte_order(self):
        return "little" if self._order == "<" else "big"

    def _damage(self, why: str) -> InvalidArgumentError:
        return InvalidArgumentError(f"{self._path} is damaged: {why}.")
