"""Files that appear whole or not at all.

Note [A file beside its place]
``save`` writes into a temporary file in the folder of its target and renames that when it is whole.
Its name is short, whatever the target's, and says whose it is: a digest of the target's name, and
some random letters. While it is written its writer holds a lock on it (``flock``), which the system
lets go when the process ends, however it ends. So the next save of the same name can tell what a
killed one left from what another process is writing, and removes the one only. Where a filesystem
has no locks, nothing is removed.
"""

import contextlib
import errno
import functools
import hashlib
import io
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO, Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError

try:
    import fcntl
except ImportError:  # on Windows, which has no such locks
    fcntl = None


def refuse_path(path) -> None:
    """Raise InvalidArgumentError for what ``save`` cannot write to."""
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
    """Return what errors call a file."""
    return "the buffer" if isinstance(path, io.BytesIO) else os.fsdecode(path)


def ends_in_safetensors(path) -> bool:
    """Says whether the name asks for the format."""
    return isinstance(path, (str, os.PathLike)) and os.fsdecode(path).endswith(".safetensors")


@contextlib.contextmanager
def writing(path) -> Iterator[Any]:
    """Open a file that takes its place when it is whole; see Note [A file beside its place].

    A symbolic link stays, and its target is written. A file that is replaced keeps its permissions.
    What is no plain file, such as /dev/stdout, is written to as it is.

    Raises:
        OSError: as ``open`` does, also for a file that may not be written.
    """
    if isinstance(path, io.BytesIO):
        yield path
        return
    os.makedirs(os.path.dirname(os.fsdecode(path)) or ".", exist_ok=True)
    target = os.path.realpath(os.fsdecode(path))
    old = os.stat(target) if os.path.lexists(target) else None  # a circle of links: OSError
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
                file.close()  # Windows renames no open file
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _prefix(target: str) -> str:
    """Return how the names of a target's temporary files begin."""
    name = os.fsencode(os.path.basename(target))
    return f".jaxeager-save-{hashlib.blake2s(name, digest_size=8).hexdigest()}-"


def _temporary(target: str, old: os.stat_result | None) -> tuple[str, IO[bytes]]:
    """Make a locked file beside a target, with the permissions of the file there.

    Returns:
        Its name, and the file, open.
    """
    while True:
        name = os.path.join(os.path.dirname(target), _prefix(target) + secrets.token_hex(6))
        mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
        file = open(  # noqa: SIM115 - the caller closes it
            name, "xb", opener=functools.partial(os.open, mode=mode)
        )
        if old is not None:
            with contextlib.suppress(OSError, AttributeError):  # another's file, or on Windows
                os.chown(name, old.st_uid, old.st_gid)
            with contextlib.suppress(OSError):  # a filesystem without modes
                os.chmod(name, mode)
        if _is_ours(file) and os.path.exists(name):
            return name, file
        file.close()  # another writer took it for left behind, before it was locked


def _is_ours(file: IO[bytes]) -> bool:
    """Lock a new file; False when another writer has, to remove it."""
    try:
        _lock(file)
    except BlockingIOError:
        return False
    except OSError:  # a filesystem without locks, where nothing is removed
        pass
    return True


def _remove_left_behind(target: str) -> None:
    """Remove the temporary files of a target that no living process writes."""
    folder, prefix = os.path.dirname(target), _prefix(target)
    with os.scandir(folder) as entries:
        left = [entry for entry in entries if entry.name.startswith(prefix)]
    for entry in left:
        with contextlib.suppress(OSError):  # locked, or gone already
            if entry.is_file(follow_symlinks=False):
                with open(entry.path, "r+b") as file:
                    _lock(file)
                    os.unlink(entry.path)


def _lock(file: IO[bytes]) -> None:
    """Lock a file as long as it is open; OSError when another has, or there are no locks."""
    if fcntl is None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def reading(path) -> Iterator[Any]:
    """Open a file; InvalidArgumentError or InvalidTypeError when it cannot be one."""
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
                hint = f" There is {name}{ending}; give the whole file name."
        raise InvalidArgumentError(f"The ``path`` ({name}) to load not exists.{hint}")
    with open(path, "rb") as file:
        yield file
