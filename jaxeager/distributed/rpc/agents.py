"""What carries calls of functions between processes: a listener in each, and a meeting at rank 0.

Note [Calls of functions]
    Each process listens at a port of its own. All meet once at the address that they were told,
    where rank 0 collects names and ports and gives everybody the list; they meet there again at the
    end, so that none leaves while another one calls it. A call is a connection: pickles of the
    function and its arguments go one way, that of the result or of the error comes back.

    A pickle runs what it says, so both sides have to know the key of the job, which the launchers
    draw and hand on (JAXEAGER_JOB_KEY). Without one, processes of one machine alone may meet.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from jaxeager.errors import PreconditionNotMetError, UnavailableError

_MEET_SECONDS = 300.0
_LOOPBACK = ("127.0.0.1", "localhost")


def key_of(host: str) -> bytes:
    """Returns the key of the job.

    Raises:
        PreconditionNotMetError: without one, when processes of other machines could come.
    """
    key = os.environ.get("JAXEAGER_JOB_KEY", "")
    if not key and host not in _LOOPBACK:
        raise PreconditionNotMetError(
            f"init_rpc() meets at {host}, where anybody could send functions to run. Set "
            "JAXEAGER_JOB_KEY to the same secret text for all processes; the launcher does so on "
            "one machine."
        )
    return (key or "processes of one machine").encode()


def _address(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.rpartition(":")
    return host, int(port)


class Meeting:
    """The place where all processes exchange what they bring, at rank 0.

    Args:
        endpoint: its address.
        rank: the number of this process.
        size: how many there are.
    """

    def __init__(self, endpoint: str, rank: int, size: int):
        self._address, self._rank, self._size = _address(endpoint), rank, size
        self._key = key_of(self._address[0])
        self._listener = None
        if rank == 0:
            self._listener = Listener(self._address, backlog=size, authkey=self._key)

    def exchange(self, brought: Any) -> list[Any]:
        """Returns what all have brought, in the order of their ranks, when all are here.

        Raises:
            UnavailableError: when rank 0 does not come in time.
        """
        if self._listener is None:
            with self._connected() as connection:
                connection.send((self._rank, brought))
                return connection.recv()
        found, open_ones = {0: brought}, []
        while len(found) < self._size:
            open_ones.append(self._listener.accept())
            rank, theirs = open_ones[-1].recv()
            found[rank] = theirs
        for each in open_ones:
            each.send([found[rank] for rank in range(self._size)])
            each.close()
        return [found[rank] for rank in range(self._size)]

    def _connected(self) -> Connection:
        until = time.monotonic() + _MEET_SECONDS
        while True:
            try:
                return Client(self._address, authkey=self._key)
            except OSError as error:
                if time.monotonic() > until:
                    raise UnavailableError(
                        f"Process {self._rank} has not found process 0 at {self._address} within "
                        f"{_MEET_SECONDS:.0f} s."
                    ) from error
                time.sleep(0.1)

    def close(self) -> None:
        """Ends the meeting."""
        if self._listener is not None:
            self._listener.close()


class Server:
    """Runs functions for other processes.

    Args:
        host: the address at which this process is seen by them.

    Attributes:
        host: that address.
        port: where it listens.
    """

    def __init__(self, host: str):
        self.host = host
        self._key = key_of(host)
        self._listener = Listener((host, 0), backlog=16, authkey=self._key)
        self.port = int(self._listener.address[1])
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="rpc of others")
        self._is_open = True
        threading.Thread(target=self._accept, daemon=True, name="rpc").start()

    def _accept(self) -> None:
        while self._is_open:
            try:
                connection = self._listener.accept()
            except Exception:  # closed, or somebody who does not know the key
                continue
            self._pool.submit(_answer, connection)

    def close(self) -> None:
        """Takes no further calls, and ends those that run."""
        self._is_open = False
        self._listener.close()
        self._pool.shutdown(wait=True)


def _answer(connection: Connection) -> None:
    """Runs the function of a call, and sends what it returns or raises."""
    with connection:
        try:
            function, args, kwargs = pickle.loads(connection.recv_bytes())
            answer = pickle.dumps((True, function(*args, **kwargs)))
        except BaseException as error:
            answer = _error(error)
        connection.send_bytes(answer)


def _error(error: BaseException) -> bytes:
    """Returns an exception as an answer; as text when it cannot be sent."""
    text = "".join(traceback.format_exception(error))
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:
        return pickle.dumps((False, UnavailableError(f"In the other process:\n{text}")))
    return answer


def call(host: str, port: int, function: Callable, args: tuple, kwargs: dict) -> Any:
    """Calls a function in the process that listens at a port, and returns what it gives.

    Raises:
        UnavailableError: when nobody listens there.
    """
    given = pickle.dumps((function, args, kwargs))
    try:
        connection = Client((host, port), authkey=key_of(host))
    except OSError as error:
        raise UnavailableError(f"No process answers at {host}:{port}; it has ended.") from error
    with connection:
        connection.send_bytes(given)
        try:
            is_good, found = pickle.loads(connection.recv_bytes())
        except EOFError as error:
            raise UnavailableError(f"The process at {host}:{port} has ended.") from error
    if is_good:
        return found
    raise found
