"""Untrusted archives: bounded in size, and unpacked into their own folder only.

Note [Archives]
A few bytes can unpack to terabytes, a name can lead out of the folder, and a link can point to any
file. So the content of an archive may be at most a hundred times as long as the archive, plus 16
MiB (text packs to a tenth, images hardly at all). Only plain files and folders are unpacked, under
names that stay inside the folder. A half-unpacked archive is never visible. Any other damage raises
one kind of error, which names the archive.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import importlib
import os
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from jaxeager.errors import InvalidArgumentError, JaxEagerError

RATIO, MORE = 100, 16 * 2**20
# Errors that the readers of archives, and of the text in them, raise for damage.
_DAMAGES = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    ValueError,
    OverflowError,
    NotImplementedError,  # a compression method that zipfile does not support
    RecursionError,
)
# Errors of a filesystem for names that an archive should not have.
_BAD_NAMES = (errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.EINVAL)


@contextlib.contextmanager
def reading(path) -> Iterator[None]:
    """Convert every error caused by a damaged file to InvalidArgumentError.

    Args:
        path: the file that the block reads.

    Raises:
        InvalidArgumentError: when the file is damaged, or of another format.

    Example:
        >>> from jaxeager.io.archives import reading
        >>> try:
        ...     with reading("words.gz"):
        ...         raise EOFError("too short")
        ... except ValueError as error:
        ...     print(error)
        (InvalidArgument) words.gz is damaged, or of another format: EOFError: too short.
    """
    try:
        yield
    except InvalidArgumentError as error:
        if os.fsdecode(path) in error.message:
            raise
        raise InvalidArgumentError(f"{os.fsdecode(path)}: {error.message}") from None
    except JaxEagerError:
        raise
    except _DAMAGES as error:
        raise InvalidArgumentError(
            f"{os.fsdecode(path)} is damaged, or of another format: {type(error).__name__}: "
            f"{str(error)[:200]}."
        ) from None
    except OSError as error:
        if error.errno is not None and error.errno not in _BAD_NAMES:
            raise
        raise InvalidArgumentError(
            f"{os.fsdecode(path)} is damaged, or of another format: {error}."
        ) from None
    except RuntimeError as error:  # zipfile: a password is required
        raise InvalidArgumentError(f"{os.fsdecode(path)} cannot be read: {error}.") from None
    except Exception as error:
        if type(error).__module__ != "_lzma":  # a module that some Pythons are built without
            raise
        raise InvalidArgumentError(f"{os.fsdecode(path)} is damaged: {error}.") from None


class Bounded:
    """A file of bytes that raises an error when it exceeds a limit.

    Args:
        file: open for reading, unpacked as it is read.
        limit: how many bytes may be read from it.
        name: the name for error messages.
        under: the packed file, which is closed too.
    """

    def __init__(self, file: Any, limit: int, name, under: IO[bytes] | None = None):
        self._file = file
        self._under = under
        self._limit = limit
        self.name = os.fsdecode(name)

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        left = self._limit - self._file.tell()
        found = self._file.read(left + 1 if size < 0 else min(size, left + 1))
        self._check(self._file.tell())
        return found

    def seek(self, place: int) -> int:
        """Move to a position."""
        self._check(place)
        return self._file.seek(place)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Return True: the file is seekable."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        if self._under is not None:
            self._under.close()

    def _check(self, place: int) -> None:
        if place > self._limit:
            raise InvalidArgumentError(
                f"{self.name} unpacks to more than {self._limit} bytes, which is {RATIO} times its "
                "length and 16 MiB: it is damaged, or was made to exhaust the memory."
            )


def limit_of(length: int) -> int:
    """Return how many bytes may be unpacked from ``length`` packed bytes.

    Example:
        >>> from jaxeager.io.archives import limit_of
        >>> limit_of(1000)
        16877216
    """
    return RATIO * length + MORE


# A member may have a header for its long name, one for its link's, and two of pax.
_CHAIN = 16


class _Member(tarfile.TarInfo):
    """A member with at most ``_CHAIN`` headers before its own.

    tarfile calls itself once per header of such a chain. A file that lets it reach the limit of
    recursion would also fail every finalizer that Python runs at that depth.
    """

    @classmethod
    def fromtarfile(cls, tarfile: Any):
        tarfile.depth += 1
        try:
            if tarfile.depth > _CHAIN:
                raise ValueError(f"a member with more than {_CHAIN} headers")
            return super().fromtarfile(tarfile)
        finally:
            tarfile.depth -= 1


class _Tar(tarfile.TarFile):
    """A tar file that closes the file it reads."""

    tarinfo = _Member
    depth = 0  # of headers that announce another one, being read

    def close(self) -> None:
        super().close()
        assert self.fileobj is not None
        self.fileobj.close()


# Functions that open packed files, by their first bytes; some Pythons lack bz2 and lzma.
_OPENERS = {b"\x1f\x8b": "gzip", b"BZ": "bz2", b"\xfd7": "lzma"}


def open_tar(path) -> tarfile.TarFile:
    """Return a tar file, packed or not, all of whose members are bounded.

    Raises:
        InvalidArgumentError: when it is damaged, or of another format.
    """
    file = Path(path).open("rb")  # noqa: SIM115 - the archive closes it
    try:
        module = _OPENERS.get(file.read(2))
        file.seek(0)
        length = os.fstat(file.fileno()).st_size
        stream: IO[bytes] = file
        if module is not None:
            stream = importlib.import_module(module).open(file)
            length = limit_of(length)
        with reading(path):
            bounded: Any = Bounded(stream, length, file.name, file)
            return _Tar(os.fsdecode(path), "r", fileobj=bounded)
    except BaseException:
        file.close()
        raise


@contextlib.contextmanager
def tar_of(path) -> Iterator[tarfile.TarFile]:
    """Open a tar file; convert every error in opening or reading it to InvalidArgumentError.

    Raises:
        InvalidArgumentError: when it is damaged, or of another format.

    Example:
        >>> from jaxeager.io.archives import member, tar_of
        >>> with tar_of("aclImdb_v1.tar.gz") as archive:  # doctest: +SKIP
        ...     member(archive, "aclImdb/README").read()
    """
    with contextlib.closing(open_tar(path)) as archive, reading(path):
        yield archive


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the plain files of an archive.

    Raises:
        InvalidArgumentError: when the archive has links, devices or sparse files.
    """
    for found in archive:
        if found.isdir():
            continue
        if not found.isreg() or found.issparse():
            raise InvalidArgumentError(
                f"The archive {archive.name} has {found.name[:200]!r}, which is not a plain file "
                "but a link, a device or a sparse file: it is not read."
            )
        yield found


def content(archive: tarfile.TarFile, found: tarfile.TarInfo) -> IO[bytes]:
    """Return a file of an archive, found by ``members``, open for reading."""
    file = archive.extractfile(found)
    assert file is not None
    return file


def member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    """Return a file of an archive, open for reading.

    Raises:
        InvalidArgumentError: when no member has that name, or it is not a plain file.
    """
    with reading(archive.name):
        found = archive.getmember(name) if name in archive.getnames() else None
        if found is None or not found.isreg() or found.issparse():
            raise InvalidArgumentError(f"The archive {archive.name} has no file {name}.")
        return content(archive, found)


@contextlib.contextmanager
def zip_of(path) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP file; convert every error in opening or reading it to InvalidArgumentError.

    Raises:
        InvalidArgumentError: when it is damaged, of another format, or unpacks to too many bytes.
    """
    with reading(path), zipfile.ZipFile(path) as archive:
        limit, total = limit_of(os.path.getsize(path)), 0
        for found in archive.infolist():
            total += found.file_size  # zipfile reads no more than this
        if total > limit:
            raise InvalidArgumentError(
                f"{os.fsdecode(path)} unpacks to {total} bytes, which is more than {RATIO} times "
                "its length and 16 MiB: it is damaged, or was made to exhaust the memory."
            )
        yield archive


def gunzipped(file: IO[bytes], length: int, name: str) -> Bounded:
    """Return a stream of the content of a gzip file.

    Args:
        file: open for reading.
        length: of the file.
        name: the name for error messages.
    """
    return Bounded(gzip.GzipFile(fileobj=file), limit_of(length), name)


def unpacked(path: Path, folder: Path, wanted: str) -> None:
    """Unpack the plain files of a tar file into a folder, all or nothing.

    Args:
        path: of the archive.
        folder: the folder to create, unless ``wanted`` is already in it.
        wanted: a name that the archive must have at its top level.

    Raises:
        InvalidArgumentError: for an archive that is damaged, contains links or names that lead out
            of it, or lacks ``wanted``.
    """
    if (folder / wanted).exists():
        return
    making = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}-", dir=folder.parent))
    try:
        with tar_of(path) as archive:
            for found in members(archive):
                _unpack(archive, found, making)
        if not (making / wanted).exists():
            raise InvalidArgumentError(f"The archive {path} has no folder {wanted}.")
        making.chmod(0o777 & ~_umask())
        with contextlib.suppress(FileNotFoundError):
            folder.rmdir()  # an empty one
        try:
            making.rename(folder)
        except OSError:
            if not (folder / wanted).exists():  # no other process was faster
                raise
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _umask() -> int:
    """Return the permission bits that new files do not get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _unpack(archive: tarfile.TarFile, found: tarfile.TarInfo, folder: Path) -> None:
    name = PurePosixPath(found.name)
    parts = [part for part in name.parts if part != "."]
    is_inside = parts and not name.is_absolute() and ".." not in parts
    if not is_inside or any(letter in found.name for letter in "\0\\:"):
        raise InvalidArgumentError(
            f"The archive {archive.name} has {found.name[:200]!r}, a name that points outside "
            "of it."
        )
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with content(archive, found) as file, target.open("wb") as out:
        shutil.copyfileobj(file, out)
