"""Connections between processes that share a secret, and their messages.

Note [What a stranger can do at a port]
    Anyone who can reach a port can connect. So both sides first send random bytes, and prove that
    they know the key by a digest of both sides' bytes under it. Until then a side reads only a few
    dozen bytes, for at most ``HANDSHAKE_SECONDS``, in a separate thread, and a port has at most
    ``_WAITING`` such connections. Each message has a digest as well, under a key of this connection
    alone, over its direction, its number and its content: an attacker between two processes, who
    has taken over the port of one, can forward their messages but cannot send others. Messages are
    not encrypted.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
import socket
import struct
import threading
import time
from collections.abc import Callable

from jaxeager.errors import PermissionDeniedError, UnavailableError

HANDSHAKE_SECONDS = 10.0
_WAITING = 64  # connections of a port that have not proved that they know the key
_AGAIN_SECONDS = 5.0  # how long a caller retries when a port has too many of these
_HELLO = b"jaxeager rpc 2\n\0"
_LENGTH = struct.Struct("<Q")
_DIGEST = 32


class Closed(ConnectionError):
    """The other side has ended the connection."""


class Connection:
    """A connection on which both sides have proved that they know the key.

    Args:
        end: the socket.
        key: the secret.
        calls: whether this side has connected, rather than listened.

    Raises:
        PermissionDeniedError: when the other side does not know the key.
        Closed: when it has closed the connection.
        TimeoutError: when it does not answer.
    """

    def __init__(self, end: socket.socket, key: bytes, calls: bool):
        self._end = end
        self._names = (
            (b"from caller", b"from server") if calls else (b"from server", b"from caller")
        )
        self._counts = [0, 0]  # messages sent, received
        until = time.monotonic() + HANDSHAKE_SECONDS
        mine = secrets.token_bytes(_DIGEST)
        self._put(_HELLO + mine)
        theirs = self._take(len(_HELLO) + _DIGEST, until)
        both = mine + theirs[len(_HELLO) :] if calls else theirs[len(_HELLO) :] + mine
        self._key = _digest(key, both)
        self._put(_digest(self._key, self._names[0]))
        shown = self._take(_DIGEST, until)
        if not hmac.compare_digest(shown, _digest(self._key, self._names[1])):
            raise PermissionDeniedError(
                "The process at the other end of a connection does not know the key of this job."
            )
        end.settimeout(None)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def send(self, message: bytes) -> None:
        """Send a message."""
        head = self._named(0) + _LENGTH.pack(len(message))
        self._counts[0] += 1
        self._put(head[-_LENGTH.size :] + _digest(self._key, head))
        self._put(message)
        self._put(_digest(self._key, head + hashlib.blake2b(message).digest()))

    def receive(self) -> bytearray:
        """Wait for the next message and return it.

        Raises:
            Closed: when the other side has ended the connection.
            PermissionDeniedError: when the message was changed in transit.
        """
        length = self._take(_LENGTH.size)
        head = self._named(1) + length
        self._counts[1] += 1
        self._check(self._take(_DIGEST), _digest(self._key, head))
        message = self._take(_LENGTH.unpack(length)[0])
        wanted = _digest(self._key, head + hashlib.blake2b(message).digest())
        self._check(self._take(_DIGEST), wanted)
        return message

    def close(self) -> None:
        """End the connection."""
        self._end.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _named(self, side: int) -> bytes:
        return self._names[side] + _LENGTH.pack(self._counts[side])

    def _check(self, found: bytearray, wanted: bytes) -> None:
        if not hmac.compare_digest(found, wanted):
            raise PermissionDeniedError("The data of a connection was changed on its way.")

    def _put(self, content: bytes) -> None:
        try:
            self._end.sendall(content)
        except OSError as error:
            raise Closed(str(error)) from error

    def _take(self, count: int, until: float | None = None) -> bytearray:
        """Return exactly ``count`` bytes; raise TimeoutError when they are not received in time."""
        content = bytearray(count)
        view, at = memoryview(content), 0
        while at < count:
            if until is not None:
                self._end.settimeout(max(until - time.monotonic(), 1e-3))
            try:
                found = self._end.recv_into(view[at:])
            except TimeoutError:
                raise
            except OSError as error:
                raise Closed(str(error)) from error
            if not found:
                raise Closed("the other side has ended the connection")
            at += found
        return content


def _digest(key: bytes, content: bytes | bytearray) -> bytes:
    return hashlib.blake2b(content, key=key, digest_size=_DIGEST).digest()


def connected(address: tuple[str, int], key: bytes) -> Connection:
    """Return a connection to a port.

    Raises:
        OSError: when no process listens there.
        PermissionDeniedError: when the process at the port does not know the key.
        UnavailableError: when it does not answer, or ends each connection.
    """
    until = time.monotonic() + _AGAIN_SECONDS
    while True:
        end = socket.create_connection(address, HANDSHAKE_SECONDS)
        try:
            return Connection(end, key, calls=True)
        except (Closed, TimeoutError) as error:  # the port has too many, or is not of this job
            end.close()
            if isinstance(error, TimeoutError) or time.monotonic() > until:
                raise UnavailableError(
                    f"The process that listens at {address[0]}:{address[1]} does not answer like a "
                    f"process of this job: {error}."
                ) from error
            time.sleep(0.1)
        except BaseException:
            end.close()
            raise


class Port:
    """A listener that passes on connections that have proved that they know the key.

    Args:
        address: the address to listen on; port 0 means any free port.
        key: the secret.
        on_connected: called with each connection, in a separate thread.

    Attributes:
        address: the address it listens on.
    """

    def __init__(
        self, address: tuple[str, int], key: bytes, on_connected: Callable[[Connection], None]
    ):
        self._key, self._on_connected = key, on_connected
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._end = socket.create_server(address, family=family, backlog=128)
        self.address: tuple[str, int] = self._end.getsockname()[:2]
        self._free = threading.Semaphore(_WAITING)
        self._is_open = True
        threading.Thread(target=self._accept, daemon=True, name="rpc").start()

    def _accept(self) -> None:
        while self._is_open:
            try:
                end, _ = self._end.accept()
            except OSError:  # closed, or no more files for a moment
                time.sleep(0.01)
                continue
            if self._is_open and self._free.acquire(blocking=False):
                threading.Thread(target=self._greet, args=(end,), daemon=True).start()
            else:
                end.close()

    def _greet(self, end: socket.socket) -> None:
        try:
            connection = Connection(end, self._key, calls=False)
        except (OSError, PermissionDeniedError):  # a stranger
            end.close()
            return
        finally:
            self._free.release()
        try:
            self._on_connected(connection)
        except (OSError, PermissionDeniedError):  # it has ended
            connection.close()

    def close(self) -> None:
        """Accept no more connections."""
        self._is_open = False
        with contextlib.suppress(OSError):  # wakes the thread that waits for a connection
            self._end.shutdown(socket.SHUT_RDWR)
        self._end.close()
