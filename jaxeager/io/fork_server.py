"""ForkServer: the parent's side of the process that workers are forked from."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from jaxeager.errors import UnavailableError, UnimplementedError
from jaxeager.io.light import LIGHT_MODULES
from jaxeager.launcher import finder

_ROOT = Path(__file__).parent.parent.absolute()
_START = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("jaxeager.io.light", {light!r})
light = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = light
spec.loader.exec_module(light)
sys.path[:] = {path!r}
light.install({root!r})
import jaxeager.io.fork_main as fork_main
fork_main.serve({descriptor})
"""


class ForkServer:
    """A process without threads that forks workers; it is started once and ends with this process.

    Starting it takes about 0.2 s, starting a worker about 10 ms. If workers will need JAX, it
    imports jaxeager once before they are forked (a second, the first time).
    """

    def __init__(self) -> None:
        if os.name != "posix":
            raise UnimplementedError(
                "Worker processes of a DataLoader need a POSIX system; use num_workers=0."
            )
        if not sys.executable:
            raise UnavailableError(
                "Worker processes are started with sys.executable, which is not set here; use "
                "num_workers=0."
            )
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._released: list[int] = []
        self._control, theirs = socket.socketpair()
        code = _START.format(
            light=str(_ROOT / "io" / "light.py"),
            path=_search_path(),
            root=str(_ROOT),
            descriptor=theirs.fileno(),
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**_one_thread_each(), **_environment()},
        )
        theirs.close()
        atexit.register(self.close)

    def start(
        self, number: int, modules: list[str], shares_memory: bool
    ) -> tuple[int, socket.socket]:
        """Start a worker; return its process number and the socket it reads."""
        ours, theirs = socket.socketpair()
        order = {
            "number": number,
            "modules": _to_prepare(modules),
            "shares_memory": shares_memory,
            "path": _search_path(),
            "environment": _environment(),
            "folder": os.getcwd(),
            "is_paddle": finder.is_installed(),
        }
        try:
            pid = self._ask("start", order, theirs.fileno())
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return pid, ours

    def release(self, pids: list[int]) -> None:
        """Release workers whose channels were closed; those that do not end soon are killed.

        The garbage collector may call it in the middle of another order of this very thread. Then
        the next order includes the release.
        """
        self._released.extend(pids)
        if self._lock.acquire(blocking=False):
            try:
                with contextlib.suppress(UnavailableError):  # it has ended; the workers soon will
                    self._exchange("release", None, None)
            finally:
                self._lock.release()

    def code(self, pid: int) -> int | None:
        """Return the exit code of a worker, negative for a signal; None when it still runs."""
        return self._ask("code", pid)

    def is_usable(self) -> bool:
        """Return whether the server runs, is in a consistent state, and belongs to this process."""
        is_ours = self.owner == os.getpid() and self._control.fileno() >= 0
        return is_ours and self._process.poll() is None

    def close(self) -> None:
        """End the process and all workers."""
        if self.owner != os.getpid():
            return
        atexit.unregister(self.close)
        self._control.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, what: str, value: object, file: int | None = None) -> Any:
        with self._lock:
            return self._exchange(what, value, file)

    def _exchange(self, what: str, value: object, file: int | None) -> Any:
        """Return the answer to an order; after an error, accept no more orders."""
        released, self._released = self._released, []
        body = pickle.dumps((what, value, released))
        framed = len(body).to_bytes(8, "little") + body
        try:
            socket.send_fds(self._control, [framed[:8]], [] if file is None else [file])
            self._control.sendall(framed[8:])
            size = int.from_bytes(self._read(8), "little")
            return pickle.loads(self._read(size))
        except BaseException as error:  # an interrupt may have left an incomplete message
            self._control.close()
            if not isinstance(error, (OSError, EOFError)):
                raise
            raise UnavailableError(
                "The process that starts the workers of DataLoaders has ended (exit code "
                f"{self._process.poll()}); was it killed? Iterate again to start another one."
            ) from error

    def _read(self, size: int) -> bytes:
        block = b""
        while len(block) < size:
            more = self._control.recv(size - len(block))
            if not more:
                raise EOFError
            block += more
        return block


_server: ForkServer | None = None
_lock = threading.Lock()


def fork_server() -> ForkServer:
    """Return the server of this process; start it if there is none."""
    global _server
    with _lock:
        if _server is not None and not _server.is_usable():
            _server.close()
            _server = None
        if _server is None:
            _server = ForkServer()
        return _server


def _search_path() -> list[str]:
    """Return where a worker searches modules: as here, with the current folder by its name."""
    return [entry or os.getcwd() for entry in sys.path]


def _environment() -> dict[str, str]:
    """Return the environment of a worker, which must not use the accelerator."""
    return {**os.environ, "JAX_PLATFORMS": "cpu"}


def _one_thread_each() -> dict[str, str]:
    """Return settings that keep each worker from starting one thread per core."""
    return dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _to_prepare(modules: list[str]) -> list[str]:
    """Return the modules to import before a fork: those a worker lacks at its start."""
    own = ("jaxeager", "jax", "jaxlib")
    return sorted(
        {
            "jaxeager" if module.partition(".")[0] in own else module
            for module in modules
            if module not in LIGHT_MODULES
        }
    )
