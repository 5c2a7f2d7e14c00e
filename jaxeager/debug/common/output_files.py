"""Files that tools append to: one per process, whose folders are created."""

import multiprocessing
import os
import threading
import weakref

from jaxeager.core import user_lines
from jaxeager.errors import InvalidArgumentError

_HOME = os.getpid()


def is_worker() -> bool:
    """Return whether this process is a worker: forked, spawned, or a trainer after the first."""
    return (
        os.getpid() != _HOME
        or multiprocessing.parent_process() is not None
        or os.environ.get("PADDLE_TRAINER_ID", "0") not in ("", "0")
    )


def own_path(path: str) -> str:
    """Return the path for the first process of a program, ``path.pid`` for its workers."""
    return f"{path}.{os.getpid()}" if is_worker() else path


def check_writable(path: str, flag: str) -> None:
    """Create the folder of a file.

    Args:
        path: the file.
        flag: the flag that requests it.

    Raises:
        InvalidArgumentError: when a file cannot be written there.
    """
    folder = os.path.dirname(path) or "."
    try:
        if "\0" in path:
            raise ValueError("it has a null character")
        os.makedirs(folder, exist_ok=True)
        if os.path.isdir(path or "."):
            raise IsADirectoryError("it is a folder")
        if not os.access(path if os.path.exists(path) else folder, os.W_OK):
            raise PermissionError("it may not be written")
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"{flag} should name a file that can be written, but received {path!r}: {error}."
        ) from None


class AppendedFile:
    """This process's own file, opened by the first write, and again if it was removed.

    Threads may write at the same time, and one may close the file while another writes.

    Args:
        path: see ``own_path``; a relative path is resolved when the object is created.
        who: the owner of the file, for the warning when it cannot be written.
        is_numbered: whether ``.pid`` is added in the first process too.
    """

    def __init__(self, path: str, who: str = "a tool", is_numbered: bool = False):
        self._path = os.path.abspath(path) if path else path
        self._who = who
        self._is_numbered = is_numbered
        self._number = -1
        self._process = 0
        self._has_warned = False
        self._lock = threading.RLock()
        _files.add(self)

    def write(self, text: str) -> None:
        """Append text; other processes can read it immediately. About 5 us.

        Raises:
            OSError: when it cannot be written.
        """
        with self._lock:
            if not self._is_open():
                self._open()
            left = memoryview(text.encode(errors="backslashreplace"))
            while left:
                left = left[os.write(self._number, left) :]

    def try_write(self, text: str) -> None:
        """Append text; if that fails, warn once and continue."""
        try:
            self.write(text)
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                user_lines.warn(f"The output of {self._who} is lost: {error}.")

    def close(self) -> None:
        """Close the file; a later write reopens it."""
        with self._lock:
            if self._number >= 0:
                os.close(self._number)
                self._number = -1

    def _is_open(self) -> bool:
        if self._number < 0 or self._process != os.getpid():
            return False
        return os.fstat(self._number).st_nlink > 0

    def _open(self) -> None:
        self.close()
        path = f"{self._path}.{os.getpid()}" if self._is_numbered else own_path(self._path)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        self._number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self._process = os.getpid()


_files: weakref.WeakSet[AppendedFile] = weakref.WeakSet()


def _unlock() -> None:
    """Replace the locks in a forked process, as threads of its parent may have held them."""
    for file in list(_files):
        file._lock = threading.RLock()


os.register_at_fork(after_in_child=_unlock)
