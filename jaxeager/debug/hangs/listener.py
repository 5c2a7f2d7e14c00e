"""Answers ``python -m jaxeager attach PID``: a thread that waits on a socket, on Linux.

Note [Attaching]
    The launchers start the thread. It waits in the kernel, so it costs a running program nothing.
    The socket is an abstract one, which needs no file and ends with the process; only a process of
    the same user is answered. As any process can bind such an address, the reader checks in turn
    that the process it asked for has bound it, and that it is of the same user. A thread needs
    Python's lock to answer: while C code holds it, there is no answer.
"""

import contextlib
import os
import socket
import struct
import sys
import threading

ROOT = 0  # the user who may see everything
_PEER = struct.Struct("3i")  # pid, user, group
_listening: list[tuple[socket.socket, threading.Thread]] = []


def address_of(pid: int) -> str:
    """Return the address of the socket of a process."""
    return f"\0jaxeager-attach-{pid}"


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """Return the number and the user of the process at the other end of a connection."""
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return _PEER.unpack(peer)[:2]


def start() -> bool:
    """Begin to answer, and return whether that is possible: on Linux only."""
    if not sys.platform.startswith("linux") or _listening:
        return bool(_listening)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.bind(address_of(os.getpid()))
        server.listen()
    except OSError:
        server.close()
        return False
    thread = threading.Thread(target=_answer, args=(server,), name="jaxeager attach", daemon=True)
    _listening.append((server, thread))
    thread.start()
    return True


def stop() -> None:
    """Stop answering."""
    for server, thread in _listening:
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)  # ends the thread's wait
        server.close()
        thread.join()  # the address is free when nothing waits there
    _listening.clear()


def _answer(server: socket.socket) -> None:
    while True:
        try:
            other, _ = server.accept()
        except OSError:
            return
        with other, contextlib.suppress(OSError):
            if peer_of(other)[1] in (ROOT, os.getuid()):
                other.sendall(_text().encode(errors="backslashreplace"))


def _text() -> str:
    """Return what the program does; an error of the tool is part of the answer."""
    from jaxeager.debug.hangs import now

    try:
        return now.text()
    except Exception as error:
        return f"The process cannot be described: {type(error).__name__}: {error}\n"


def _leave_to_parent() -> None:
    """Close a forked process's copy of its parent's socket."""
    for server, _ in _listening:
        server.close()
    _listening.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
