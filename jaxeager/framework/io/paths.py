"""Files that appear whole or not at all.

Note [A file next to its target]
``save`` writes to a temporary file in the folder of its target and renames it when it is whole. Its
name is short, whatever the target's: a digest of the target's name, and some random letters. While
it is written, its writer holds a lock on it (``flock``), which the system releases when the process
ends for any reason. So the next save of the same name can distinguish the file of a killed process
from one that another process is writing, and removes only the former. On a filesystem without
locks, nothing is removed.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import io
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO

from jaxeager.errors import InvalidArgumentError, InvalidTypeError

try:
    import fcntl
except ImportError:  # on Windows, which has no such locks
    fcntl = None


def refuse_path(path) -> None:
    """Raise InvalidArgumentError for a path that ``save`` cannot write to."""
    if isinstance(path, io.BytesIO):
        return
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidArgumentError(
            f"only supports saving objects to file and `BytesIO`, but got {type(path)}"
        )
    name = os.fsdecode(path)
    if os.path.basename(name) == "":
        raise InvalidArgumentError(
            "The input path MUST be format of dirname/filename, but received filename is empty "
            f"string: {name!r}."
        )
    if "\0" in name:
        raise InvalidArgumentError(f"A path has no null characters in it, but received {name!r}.")


def shown(path) -> str:
    """Return the name of a file for error messages."""
    return "the buffer" if isinstance(path, io.BytesIO) else os.fsdecode(path)


def ends_in_safetensors(path) -> bool:
    """Return whether the name requests the safetensors format."""
    return isinstance(path, (str, os.PathLike)) and os.fsdecode(path).endswith(".safetensors")


@contextlib.contextmanager
def writing(path) -> Iterator[IO[bytes]]:
    """Open a file that replaces its target when it is whole; see Note [A file next to its target].

    A symbolic link is kept, and its target is written. A replaced file keeps its permissions.
    Anything but a plain file, such as /dev/stdout, is written to directly.

    Raises:
        OSError: as in ``open``, also for a file that may not be written.
    """
    if isinstance(path, io.BytesIO):
        yield path
        return
    os.makedirs(os.path.dirname(os.fsdecode(path)) or ".", exist_ok=True)
    target = os.path.realpath(os.fsdecode(path))
    old = os.stat(target) if os.path.lexists(target) else None  # a cycle of links: OSError
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(target, "wb") as file:
            yield file
        return
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    _remove_left_behind(target)
    temporary, file = _temporary(target, old)
    try:
        with file:
            yield file
            file.flush()
            if fcntl is None:
                file.close()  # Windows cannot rename an open file
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _prefix(target: str) -> str:
    """Return the prefix of the names of a target's temporary files."""
    name = os.fsencode(os.path.basename(target))
    return f".jaxeager-save-{hashlib.blake2s(name, digest_size=8).hexdigest()}-"


def _temporary(target: str, old: os.stat_result | None) -> tuple[str, IO[bytes]]:
    """Create a locked file next to a target, with the permissions of the target.

    Returns:
        Its name, and the open file.
    """
    while True:
        name = os.path.join(os.path.dirname(target), _prefix(target) + secrets.token_hex(6))
        mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
        file = open(  # noqa: SIM115 - the caller closes it
            name, "xb", opener=functools.partial(os.open, mode=mode)
        )
        if old is not None:
            with contextlib.suppress(OSError, AttributeError):  # another user's file, or on Windows
                os.chown(name, old.st_uid, old.st_gid)
            with contextlib.suppress(OSError):  # a filesystem without modes
                os.chmod(name, mode)
        if _is_ours(file) and os.path.exists(name):
            return name, file
        file.close()  # another writer took it for abandoned, before it was locked


def _is_ours(file: IO[bytes]) -> bool:
    """Lock a new file; return False when another writer has locked it, to remove it."""
    try:
        _lock(file)
    except BlockingIOError:
        return False
    except OSError:  # a filesystem without locks, where nothing is removed
        pass
    return True


def _remove_left_behind(target: str) -> None:
    """Remove the temporary files of a target that no running process is writing."""
    folder, prefix = os.path.dirname(target), _prefix(target)
    with os.scandir(folder) as entries:
        left = [entry for entry in entries if entry.name.startswith(prefix)]
    for entry in left:
        with contextlib.suppress(OSError):  # locked, or already removed
            if entry.is_file(follow_symlinks=False):
                with open(entry.path, "r+b") as file:
                    _lock(file)
                    os.unlink(entry.path)


def _lock(file: IO[bytes]) -> None:
    """Lock a file while it is open; raise OSError when it is locked, or there are no locks."""
    if fcntl is None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def reading(path) -> Iterator[IO[bytes]]:
    """Open a file; raise InvalidArgumentError or InvalidTypeError for an invalid path."""
    if isinstance(path, io.BytesIO):
        yield path
        return
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(
            f"paddle.load takes a file name or `BytesIO`, but got {type(path).__name__}."
        )
    if not os.path.isfile(path):
        name, hint = os.fsdecode(path), ""
        for ending in (".pdparams", ".pdopt"):
            if os.path.isfile(name + ending):
                hint = f" There is {name}{ending}; pass the whole file name."
        raise InvalidArgumentError(f"The ``path`` ({name}) to load not exists.{hint}")
    with open(path, "rb") as file:
        yield file
