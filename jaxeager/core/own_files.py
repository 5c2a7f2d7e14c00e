"""Files and folders that belong to this user alone; compiled code and keys are read only there.

Note [Files of the user's own]
    Anyone who can write a file of compiled code, or its folder, can run code as the user who reads
    it. So the folder is opened first, and the open folder is checked: it must belong to this user,
    and no other may write there. A file is opened within that open folder, without following a link
    and without waiting (a FIFO would wait for a writer that never opens it). The open file is
    checked again, so that nothing can be exchanged between check and use. The folder itself may be
    reached through a link, because users keep caches on another disk.

    Folders above may belong to others, as /home and /tmp do. They must not allow everybody to
    rename their entries: writable by all, without the sticky bit.

    On systems without users (no ``os.getuid``) none of this is checked.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

_HAS_USERS = hasattr(os, "getuid") and os.open in os.supports_dir_fd
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
_SAFELY = sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)


class NotOwn(OSError):
    """A file or folder that another user could have written, or that is not a plain file."""


class Folder:
    """An open folder: see ``opened``."""

    def __init__(self, path: Path, number: int | None):
        self.path = path
        self._number = number

    def read(self, name: str, limit: int, is_secret: bool = False) -> bytes:
        """Return the content of a file, and set its modification time to now.

        Args:
            name: name of the file.
            limit: its largest size in bytes.
            is_secret: whether others must not be able to read it either.

        Raises:
            NotOwn: when it is not a plain file, others could have written it, or it is too long.
            OSError: when it does not exist.
        """
        try:
            number = os.open(self._at(name), os.O_RDONLY | _SAFELY, dir_fd=self._number)
        except FileNotFoundError:
            raise
        except OSError as error:  # a link, or a socket
            raise NotOwn(
                f"{self.path / name} is not a plain file that can be read ({error})"
            ) from None
        with open(number, "rb") as file:
            found = os.fstat(number)
            why = _why_not_plain(found, _OTHERS_WRITE | (_OTHERS_READ if is_secret else 0))
            if not why and found.st_size > limit:
                why = f"has {found.st_size} bytes, more than {limit}"
            if why:
                raise NotOwn(f"{self.path / name} {why}")
            content = file.read(limit)
            os.utime(number if os.utime in os.supports_fd else self.path / name)
            return content

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all, and replace one of that name."""
        with self._written(content) as path:
            os.replace(path, self._at(name), src_dir_fd=self._number, dst_dir_fd=self._number)

    def write_first(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all, unless one of that name exists."""
        with self._written(content) as path, contextlib.suppress(FileExistsError):
            os.link(path, self._at(name), src_dir_fd=self._number, dst_dir_fd=self._number)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists and can be removed."""
        with contextlib.suppress(OSError):
            os.unlink(self._at(name), dir_fd=self._number)

    @contextlib.contextmanager
    def _written(self, content: bytes) -> Generator[Path | str, None, None]:
        """Yield the path of a new file, which is removed afterwards unless it was renamed."""
        name = f".new-{secrets.token_hex(8)}"
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY
        try:
            number = os.open(self._at(name), how, 0o600, dir_fd=self._number)
            with open(number, "wb") as file:
                file.write(content)
            yield self._at(name)
        finally:
            self.remove(name)

    def _at(self, name: str) -> Path | str:
        return self.path / name if self._number is None else name


@contextlib.contextmanager
def opened_file(path: Path) -> Generator[BinaryIO]:
    """Open a file to read it, in any folder: the open file is checked.

    Raises:
        NotOwn: when it is not a plain file, or others could have written it.
        OSError: when it cannot be opened.
    """
    with open(os.open(path, os.O_RDONLY | _SAFELY), "rb") as file:
        why = _why_not_plain(os.fstat(file.fileno()), _OTHERS_WRITE)
        if why:
            raise NotOwn(f"{path} {why}")
        yield file


@contextlib.contextmanager
def opened(path: Path) -> Generator[Folder, None, None]:
    """Open a folder, to read and write files in it; make it when it does not exist.

    Raises:
        NotOwn: when others than this user can write there.
        OSError: when it cannot be made.
    """
    if not _HAS_USERS:
        path.mkdir(parents=True, exist_ok=True)
        yield Folder(path, None)
        return
    number = _number_of(path)
    try:
        why = _why_not(os.fstat(number), _OTHERS_WRITE)
        if why:
            raise NotOwn(f"{path} {why}")
        yield Folder(path, number)
    finally:
        os.close(number)


def _number_of(path: Path) -> int:
    how = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    try:
        return os.open(path, how)
    except FileNotFoundError:
        make(path)
        return os.open(path, how)


def make(path: Path) -> None:
    """Make a folder and its missing parents, for this user alone."""
    for each in reversed((path, *path.parents)):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


def why_not(path: Path) -> str:
    """Return why others could write into a folder, "" when they cannot; it need not exist yet.

    Folders above are checked too: see Note [Files of the user's own].
    """
    if not _HAS_USERS:
        return ""
    place = path.absolute()
    for each in (place, *place.parents):
        try:
            found = each.stat()
        except OSError:  # does not exist yet
            continue
        why = _why_not(found, _OTHERS_WRITE) if each == place else ""
        if each != place and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
            why = f"has mode {_mode(found)}: any user can rename the files in it"
        if why:
            return f"{each} {why}"
    return ""


def why_not_file(path: Path) -> str:
    """Return why a file may not be read; "" when it may or does not exist.

    Use it only for a folder that ``why_not`` accepts: elsewhere the file could be exchanged between
    the check and the read.
    """
    try:
        found = path.lstat()
    except OSError:
        return ""
    why = _why_not_plain(found, _OTHERS_WRITE)
    return f"{path} {why}" if why else ""


def _why_not_plain(found: os.stat_result, forbidden: int) -> str:
    """Return the fault of what must be a plain file; "" when there is none."""
    return _why_not(found, forbidden) if stat.S_ISREG(found.st_mode) else "is not a plain file"


def _why_not(found: os.stat_result, forbidden: int) -> str:
    """Return the fault of the owner or the mode of a file; "" when there is none."""
    if not _HAS_USERS:
        return ""
    if found.st_uid != os.getuid():
        return f"belongs to user {found.st_uid}, but this process runs as user {os.getuid()}"
    if found.st_mode & forbidden:
        what = "write" if found.st_mode & _OTHERS_WRITE else "read"
        return f"has mode {_mode(found)}: other users can {what} there"
    return ""


def _mode(found: os.stat_result) -> str:
    return f"{stat.S_IMODE(found.st_mode):04o}"
