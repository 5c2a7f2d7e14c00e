"""Channel: messages between the processes of a DataLoader, with arrays in shared memory.

Note [Shared batches]
A message is a pickle and the memory of its arrays. From ``SHARED_BYTES`` on, that memory is an
anonymous file (``memfd``) whose descriptor is sent along. The reader maps it, and creates arrays
over the mapping without a copy. The file has no name, so it disappears with its last reader,
whichever process is killed: nothing can leak. A worker writes into the file again, which saves
allocating new pages, once the reader reports that nothing refers to the mapping any more. So an
array may live as long as it likes, including one that JAX uses as it is or has not copied yet.
"""

from __future__ import annotations

import array
import errno
import io
import itertools
import mmap
import os
import pickle
import select
import socket
import struct
import tempfile
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

SHARED_BYTES = 32 * 1024
ALIGNMENT = 64  # of each array; XLA on the CPU can use such an array without a copy
MOST_FILES = 16  # the most that a worker keeps for reuse
_HEADER = struct.Struct("<QII")  # bytes of the pickle, number of buffers, number of the file or 0


class ChannelClosed(EOFError):
    """The other process has closed its end, or has ended."""


class KeptFile(NamedTuple):
    """A file that a worker reuses."""

    descriptor: int
    size: int


class Files:
    """Anonymous files that are reused; each has a number, from 1."""

    def __init__(self) -> None:
        self._files: list[KeptFile] = []
        self._free: set[int] = set()

    def take(self, size: int) -> tuple[int, int]:
        """Return a file of at least ``size`` bytes, and its number: 0 for one that is not kept."""
        for number in self._free:
            kept = self._files[number - 1]
            if kept.size >= size:
                self._free.remove(number)
                return kept.descriptor, number
        file = _anonymous_file()
        os.ftruncate(file, size)
        if len(self._files) < MOST_FILES:
            self._files.append(KeptFile(file, size))
            return file, len(self._files)
        return file, 0

    def give_back(self, numbers: Sequence[int]) -> None:
        """Mark these files as no longer read."""
        self._free.update(numbers)


class Mapping(weakref.ref):
    """The mapping of a reusable file, by its number.

    Its callback is a method of list, not Python code, in which an interrupt would be lost.
    """

    __slots__ = ("number",)

    number: int


class Channel:
    """One end of a pair of connected sockets.

    Args:
        end: the socket, which the channel then owns.
        shares_memory: send arrays in shared memory rather than through the socket.
    """

    def __init__(self, end: socket.socket, shares_memory: bool = True):
        self._socket = end
        self._shares_memory = shares_memory
        self._files = Files()
        self._mappings: set[Mapping] = set()
        self._read_out: list[Mapping] = []

    def fileno(self) -> int:
        """Return the descriptor, for ``select``."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close this end; the other process notices."""
        self._socket.close()

    def send(self, body: bytes, buffers: Sequence = (), file: int | None = None) -> None:
        """Send a pickle and the memory of its arrays.

        Args:
            body: what ``dump`` returned.
            buffers: the memory of the arrays, as flat bytes.
            file: a file that already contains the memory (see ``written``).

        Raises:
            ChannelClosed: when no process reads the other end.
        """
        sizes = [len(buffer) for buffer in buffers]
        own, number = None, 0
        if file is None and self._shares_memory and sum(sizes) >= SHARED_BYTES:
            file, number = self._files.take(sum(map(_padded, sizes)))
            own = None if number else file
            write_all(file, buffers)
        head = _HEADER.pack(len(body), len(sizes), number)
        head += struct.pack(f"<{len(sizes)}Q", *sizes)
        try:
            self._send_head(head[:1], file)
            self._socket.sendall(head[1:])
            self._socket.sendall(body)
            if file is None:
                for buffer in buffers:
                    self._socket.sendall(buffer)
        except (BrokenPipeError, ConnectionResetError):
            raise ChannelClosed("the other process has ended") from None
        finally:
            if own is not None:
                os.close(own)

    def _send_head(self, first: bytes, file: int | None) -> None:
        """Send the first byte, with the descriptor."""
        if file is None:
            self._socket.sendall(first)
        else:
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))]
            self._socket.sendmsg([first], ancillary)

    def receive(self, is_private: bool = False) -> tuple[bytes, list]:
        """Wait for a message; return its pickle and the memory of its arrays.

        Args:
            is_private: keep writes to the memory in this process.

        Raises:
            ChannelClosed: when the other end is closed.
            OSError: when this process may not open another file; the channel is unusable then.
        """
        try:
            first, ancillary, flags, _ = self._socket.recvmsg(1, socket.CMSG_SPACE(4))
        except ConnectionResetError:
            first, ancillary, flags = b"", [], 0
        if not first:
            raise ChannelClosed("the other process has closed its end")
        if flags & socket.MSG_CTRUNC:
            raise OSError(
                errno.EMFILE,
                "Too many open files: the shared memory of a batch could not be opened. Raise the "
                "limit (ulimit -n), keep fewer batches, or use use_shared_memory=False",
            )
        file = None
        for _, _, found in ancillary:
            file = array.array("i", found[:4])[0]
            os.set_inheritable(file, False)
        try:
            head = first + self._read(_HEADER.size - 1)
            length, count, number = _HEADER.unpack(head)
            sizes = struct.unpack(f"<{count}Q", self._read(8 * count))
            body = self._read(length)
            if file is None:
                return bytes(body), [self._read(size) for size in sizes]
            return bytes(body), self._mapped(file, sizes, number, is_private)
        finally:
            if file is not None:
                os.close(file)

    def _mapped(self, file: int, sizes: Sequence[int], number: int, is_private: bool) -> list:
        """Return the buffers of a file, which may be reused when none of them is left."""
        # Map all pages together where possible: a fault for each would cost more than a copy.
        at_once = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        flags = mmap.MAP_PRIVATE if is_private else at_once
        memory = mmap.mmap(file, sum(map(_padded, sizes)), flags)
        if number:
            mapping = Mapping(memory, self._read_out.append)
            mapping.number = number
            self._mappings.add(mapping)
        whole = memoryview(memory)
        ends = list(itertools.accumulate(map(_padded, sizes), initial=0))
        return [whole[start : start + size] for start, size in zip(ends, sizes, strict=False)]

    def take_read_out(self) -> list[int]:
        """Return the files of the other end that have been read completely since the last call."""
        mappings = self._read_out[:]
        del self._read_out[: len(mappings)]
        self._mappings.difference_update(mappings)
        return [mapping.number for mapping in mappings]

    def give_back(self, numbers: Sequence[int]) -> None:
        """Record that the other end has read these files completely."""
        self._files.give_back(numbers)

    def _read(self, size: int) -> bytearray:
        """Return exactly ``size`` bytes."""
        block = bytearray(size)
        view, start = memoryview(block), 0
        while start < size:
            try:
                count = self._socket.recv_into(view[start:])
            except ConnectionResetError:
                count = 0
            if count == 0:
                raise ChannelClosed("the other process ended in the middle of a message")
            start += count
        return block


def is_readable(end: Channel | socket.socket, wait_s: float | None) -> bool:
    """Return whether a message, or the end, is there; wait up to ``wait_s``, forever for None.

    Args:
        end: a socket or a Channel. (``select`` would not accept descriptors from 1024 on.)
        wait_s: seconds.
    """
    poll = select.poll()
    poll.register(end, select.POLLIN)
    return bool(poll.poll(None if wait_s is None else wait_s * 1000))


def dump(value: object, pickler: type[pickle.Pickler] = pickle.Pickler) -> tuple[bytes, list]:
    """Return a value as a pickle, and the memory of its arrays as flat bytes."""
    buffers: list[pickle.PickleBuffer] = []
    body = io.BytesIO()
    pickler(body, 5, buffer_callback=buffers.append).dump(value)
    return body.getvalue(), [buffer.raw() for buffer in buffers]


def load(body: bytes, buffers: Sequence) -> Any:
    """Return the value that was passed to ``dump``."""
    return pickle.loads(body, buffers=buffers)


def written(buffers: Sequence) -> int:
    """Return the descriptor of a new anonymous file that contains the buffers."""
    file = _anonymous_file()
    try:
        os.ftruncate(file, sum(map(_padded, map(len, buffers))))
        write_all(file, buffers)
    except BaseException:
        os.close(file)
        raise
    return file


def write_all(file: int, buffers: Sequence) -> None:
    """Write buffers into a file, each aligned."""
    start = 0
    for buffer in buffers:
        _write(file, memoryview(buffer), start)
        start += _padded(len(buffer))


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _write(file: int, view: memoryview, start: int) -> None:
    """Write all bytes of a view at a position of a file."""
    while view:
        count = os.pwrite(file, view, start)
        view, start = view[count:], start + count


def _anonymous_file() -> int:
    """Return the descriptor of a file without a name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("jaxeager-batch", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
