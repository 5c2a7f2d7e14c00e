"""The process that forks the worker processes: no threads, and no JAX unless it is requested.

It executes orders of the process that started it, one at a time (see fork_server.py), and ends,
with all its workers, when that process has ended.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import socket
import sys
import time
import warnings

from jaxeager.io import light, worker_main
from jaxeager.io.channel import Channel, ChannelClosed, is_readable
from jaxeager.launcher import finder

GRACE_S = 5.0  # for a worker to end by itself after its channel was closed


class Forks:
    """The forked workers: which are alive, and how the others ended until they are released."""

    def __init__(self) -> None:
        self.alive: set[int] = set()
        self.codes: dict[int, int] = {}
        self.deadlines: dict[int, float] = {}

    def reap(self) -> None:
        """Record the workers that have ended, and end those whose time is up."""
        for pid in list(self.alive):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                self.alive.discard(pid)
                if self.deadlines.pop(pid, None) is None:
                    self.codes[pid] = os.waitstatus_to_exitcode(status)
            elif self.deadlines.get(pid, float("inf")) < time.monotonic():
                os.kill(pid, signal.SIGKILL)

    def release(self, pids: list[int]) -> None:
        """Release workers: no caller needs them any more, and their time to end starts."""
        for pid in pids:
            if pid in self.alive:
                self.deadlines[pid] = time.monotonic() + GRACE_S
            self.codes.pop(pid, None)

    def code(self, pid: int) -> int | None:
        """Wait briefly for a worker; return its exit code, negative for a signal."""
        deadline = time.monotonic() + GRACE_S
        while pid in self.alive and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.002)
        return self.codes.get(pid)

    def end_all(self) -> None:
        """End every worker, by force if necessary."""
        deadline = time.monotonic() + GRACE_S / 5
        while self.alive:
            self.reap()
            if time.monotonic() > deadline:
                for pid in self.alive:
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)


def serve(descriptor: int) -> None:
    """Answer orders until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    forks = Forks()
    with contextlib.suppress(ChannelClosed, BrokenPipeError, ConnectionResetError):
        while True:
            wait_s = 0.2 if forks.deadlines else (5.0 if forks.alive else None)
            if is_readable(control, wait_s):
                order, files = _next_order(control)
                answer = _obey(order, files, forks, control)
                control.sendall(_framed(pickle.dumps(answer)))
            forks.reap()
    forks.end_all()
    worker_main.leave(0)


def _obey(order: tuple, files: list[int], forks: Forks, control: socket.socket) -> int | None:
    """Execute an order: start a worker, report how one ended, or release workers."""
    what, value, released = order
    forks.release(released)
    if what == "start":
        pid = _fork(value, files[0], control)
        forks.alive.add(pid)
        return pid
    return forks.code(value) if what == "code" else None


def _fork(order: dict, file: int, control: socket.socket) -> int:
    """Return the number of a new process that works on the channel of a descriptor."""
    sys.path[:] = order["path"]
    os.environ.clear()
    os.environ.update(order["environment"])
    with contextlib.suppress(OSError):
        os.chdir(order["folder"])
    if order["is_paddle"] and not finder.is_installed():
        finder.install(finder.Finder())
    _prepare(order["modules"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of forks; none of its threads runs here
        pid = os.fork()
    if pid:
        os.close(file)
        return pid
    code = 1
    try:
        control.close()
        os.set_inheritable(file, False)
        channel = Channel(socket.socket(fileno=file), order["shares_memory"])
        worker_main.run(channel, order["number"])
        code = 0
    except SystemExit as request:
        code = request.code if isinstance(request.code, int) else 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        worker_main.leave(code)
    return 0


def _prepare(modules: list[str]) -> None:
    """Import the modules that the workers will need, so that each of them has them already."""
    for name in modules:
        try:
            if name == "jaxeager":
                light.complete()
            else:
                importlib.import_module(name)
        except Exception:  # the error occurs again in the worker, which can report it
            continue


def _framed(body: bytes) -> bytes:
    return len(body).to_bytes(8, "little") + body


def _next_order(control: socket.socket) -> tuple[tuple, list[int]]:
    """Return an order whose first bytes have been received, and the descriptors sent with it."""
    block, files, _, _ = socket.recv_fds(control, 1 << 20, 1)
    while len(block) < 8 or len(block) < 8 + int.from_bytes(block[:8], "little"):
        more = control.recv(1 << 20)
        if not more:
            raise ChannelClosed("the other process has closed its end")
        block += more
    return pickle.loads(block[8:]), files
