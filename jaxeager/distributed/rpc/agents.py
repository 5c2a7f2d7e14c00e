"""Transport of function calls: a server in each process, and a meeting at rank 0.

Note [Calls of functions]
    Each process listens on its own port. All processes meet once at the given address, where rank 0
    collects names and ports and sends the list to all; they meet there again at the end, so that no
    process exits while another one calls it. Each call is a connection: pickles of the function and
    its arguments are sent one way, and that of the result or the error the other way.

    A pickle can run any code, so both sides have to know the key of the job (job_key.py), and a
    stranger at a port blocks no other connection (wire.py).
"""

from __future__ import annotations

import pickle
import queue
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from jaxeager.distributed.ranks.job_key import job_key
from jaxeager.distributed.rpc.wire import Closed, Connection, Port, connected
from jaxeager.errors import InvalidArgumentError, UnavailableError

MEET_SECONDS = 300.0


def _address(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.rpartition(":")
    if not host or not port.isdigit():
        raise InvalidArgumentError(
            f"init_rpc(): master_endpoint is an address and a port, such as 127.0.0.1:23456, but "
            f"received {endpoint!r}."
        )
    return host, int(port)


class Meeting:
    """An exchange of one object per process, at rank 0.

    Args:
        endpoint: its address.
        rank: the number of this process.
        size: the number of processes.
    """

    def __init__(self, endpoint: str, rank: int, size: int):
        self._address, self._rank, self._size = _address(endpoint), rank, size
        self._key = job_key(self._address[0])
        self._arrived: queue.SimpleQueue = queue.SimpleQueue()
        self._port = None if rank else Port(self._address, self._key, self._arrive)

    def _arrive(self, connection: Connection) -> None:
        self._arrived.put((connection, *pickle.loads(connection.receive())))

    def exchange(self, brought: object, seconds: float | None = None) -> list[Any]:
        """Return the objects of all processes in the order of their ranks; wait for all of them.

        Args:
            brought: the object of this process.
            seconds: how long process 0 waits for the others; None for no limit.

        Raises:
            UnavailableError: when a process does not connect in time, or process 0 has ended.
            InvalidArgumentError: when two processes have the same rank.
        """
        if self._port is None:
            with self._connected() as connection:
                connection.send(pickle.dumps((self._rank, brought)))
                try:
                    found = pickle.loads(connection.receive())
                except Closed as error:
                    raise UnavailableError("Process 0 has ended.") from error
            if isinstance(found, Exception):
                raise found
            return found
        found, open_ones, wrong = {0: brought}, [], None
        until = None if seconds is None else time.monotonic() + seconds
        while len(found) < self._size and wrong is None:
            left = None if until is None else max(until - time.monotonic(), 0)
            try:
                connection, rank, theirs = self._arrived.get(timeout=left)
            except queue.Empty:
                missing = sorted(set(range(self._size)) - set(found))
                wrong = UnavailableError(
                    f"init_rpc(): of {self._size} processes those of ranks {missing} have not "
                    f"connected within {seconds:.0f} s."
                )
                break
            open_ones.append(connection)
            if rank in found or rank not in range(self._size):
                wrong = InvalidArgumentError(
                    f"init_rpc(): a process connected as rank {rank} of {self._size}, which is "
                    "taken or does not exist."
                )
            found[rank] = theirs
        answer = pickle.dumps(wrong or [found[rank] for rank in range(self._size)])
        for each in open_ones:
            each.send(answer)
            each.close()
        if wrong is not None:
            raise wrong
        return [found[rank] for rank in range(self._size)]

    def _connected(self) -> Connection:
        until = time.monotonic() + MEET_SECONDS
        while True:
            try:
                return connected(self._address, self._key)
            except OSError as error:
                if time.monotonic() > until:
                    raise UnavailableError(
                        f"Process {self._rank} has not found process 0 at {self._address} within "
                        f"{MEET_SECONDS:.0f} s."
                    ) from error
                time.sleep(0.1)

    def close(self) -> None:
        """End the meeting."""
        if self._port is not None:
            self._port.close()


class Server:
    """A server that runs functions for other processes.

    Args:
        host: the address at which other processes can reach this one.

    Attributes:
        host: that address.
        port: where it listens.
    """

    def __init__(self, host: str):
        self.host = host
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="rpc of others")
        self._port = Port((host, 0), job_key(host), self._take)
        self.port = self._port.address[1]

    def _take(self, connection: Connection) -> None:
        given = connection.receive()  # in the connection's own thread: it may take a while
        self._pool.submit(_answer, connection, given)

    def close(self) -> None:
        """Accept no more calls, and end the running ones."""
        self._port.close()
        self._pool.shutdown(wait=True)


def _answer(connection: Connection, given: bytearray) -> None:
    """Run the function of a call, and send its result or error."""
    with connection:
        try:
            function, args, kwargs = pickle.loads(given)
            answer = pickle.dumps((True, function(*args, **kwargs)))
        except BaseException as error:
            answer = _error(error)
        connection.send(answer)


def _error(error: BaseException) -> bytes:
    """Return an exception as an answer, as text if it cannot be pickled."""
    text = "".join(traceback.format_exception(error))
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:
        return pickle.dumps((False, UnavailableError(f"In the other process:\n{text}")))
    return answer


def call(host: str, port: int, function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a function in the process that listens on a port, and return its result.

    Raises:
        UnavailableError: when no process listens there.
    """
    given = pickle.dumps((function, args, kwargs))
    try:
        connection = connected((host, port), job_key(host))
    except OSError as error:
        raise UnavailableError(f"No process answers at {host}:{port}; it has ended.") from error
    with connection:
        try:
            connection.send(given)
            is_good, found = pickle.loads(connection.receive())
        except Closed as error:
            raise UnavailableError(f"The process at {host}:{port} has ended.") from error
    if is_good:
        return found
    raise found
