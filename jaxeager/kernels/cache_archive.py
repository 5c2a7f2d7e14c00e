"""Compiled kernels in one file, for another machine of the same kind: an image of a container.

Note [Archives of kernels]
    An archive is a zip file: a header, the kernels of this package (kernel_files.py) and the
    programs of JAX's own cache, each under the name that it has in the folder. The names are
    digests of all that a kernel depends on, so an archive of another build would never be used: it
    is refused, and the message names the difference.

    A kernel is machine code, and its digest detects damage, not malice. So an archive is read only
    if it belongs to this user and no other user can write it; whether its content can be trusted is
    the user's decision, as with any program that is installed. Names and sizes are checked before
    anything is written, and a file that exists is not replaced.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import jax

from jaxeager.core import own_files
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.kernels import kernel_files, kernel_identity

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADER = "jaxeager-cache.json"
_FORMAT = 1
_KERNELS, _PROGRAMS = "kernels", "programs"
_KERNEL = re.compile(r"[0-9a-f]{64}")
_PROGRAM = re.compile(r"[\w.<>-]{1,240}-cache")
_MOST_BYTES = 1 << 30  # of one kernel or program
_MOST_HEADER_BYTES = 1 << 20


class Contents(NamedTuple):
    """The kernels in a folder or an archive.

    Attributes:
        kernels: the number of kernels of this package, and ``kernel_bytes``: their size.
        programs: the number of programs of JAX's own cache, and ``program_bytes``: their size.
    """

    kernels: int
    kernel_bytes: int
    programs: int
    program_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.kernels:,} kernels ({self.kernel_bytes / 1e6:.1f} MB) and "
            f"{self.programs:,} programs of JAX ({self.program_bytes / 1e6:.1f} MB)"
        )


class Imported(NamedTuple):
    """The result of an import.

    Attributes:
        new: what was added to the folder.
        known: the number of files that the folder had before.
    """

    new: Contents
    known: int


def folder() -> Path:
    """Return the folder of compiled programs.

    Raises:
        PreconditionNotMetError: when there is none, or it cannot be used.
    """
    kernels = kernel_files.folder()
    if kernels is None:
        raise PreconditionNotMetError(
            "No folder keeps compiled kernels: JAXEAGER_COMPILATION_CACHE is off, "
            "FLAGS_kernel_files is 0, JAX has a cache of its own, or others can write the folder."
        )
    return kernels.parent


def contents() -> Contents:
    """Return what the folder of compiled programs has."""
    return _sum_of((name, path.stat().st_size) for name, path in _files())


def clear() -> Contents:
    """Remove all kernels and programs; return what they were."""
    found = contents()
    for _, path in _files():
        path.unlink(missing_ok=True)
    return found


def export_to(archive: Path) -> Contents:
    """Write all kernels and programs of the folder into an archive, and return what they are.

    Args:
        archive: the file, which is replaced if it exists.

    Raises:
        PreconditionNotMetError: when no folder keeps kernels, or it is empty.
        OSError: when the file cannot be written.
    """
    files = list(_files())
    if not files:
        raise PreconditionNotMetError(f"{folder()} has no kernels. Run the program first.")
    header = {"format": _FORMAT, "build": kernel_identity.build_parts()}
    part = archive.with_name(f".{archive.name}-{secrets.token_hex(8)}")
    sizes = []
    try:
        with zipfile.ZipFile(part, "x", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
            out.writestr(_HEADER, json.dumps(header, indent=1))
            for name, path in files:
                with contextlib.suppress(FileNotFoundError):  # another process removed it
                    out.write(path, name)
                    sizes.append((name, out.getinfo(name).file_size))
        part.chmod(0o644)
        part.replace(archive)
    finally:
        part.unlink(missing_ok=True)
    return _sum_of(sizes)


def import_from(archive: Path) -> Imported:
    """Add the kernels and programs of an archive to the folder of compiled programs.

    Raises:
        InvalidArgumentError: for a file that is no archive of kernels, that another user could have
            written, or of another build; nothing is added then.
        PreconditionNotMetError: when no folder keeps kernels.
        OSError: when the file does not exist, or the folder cannot be written.
    """
    place = folder()
    try:
        with own_files.opened_file(archive) as file:
            given, members = _checked(archive, file)
            return _add(place, given, members)
    except own_files.NotOwn as error:
        raise InvalidArgumentError(
            f"{error}. Kernels are executed as code: copy the archive, if you trust it."
        ) from None


def _checked(archive: Path, file: BinaryIO) -> tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]:
    """Return an open archive and its kernels and programs, all of which were read and are whole."""
    try:
        given = zipfile.ZipFile(file)
        _check_header(archive, given)
        members = [each for each in given.infolist() if each.filename != _HEADER]
        for each in members:
            _check_member(archive, given, each)
        return given, members
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError) as error:
        raise InvalidArgumentError(f"{archive} is no archive of kernels: {error}.") from None


def _add(place: Path, given: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> Imported:
    """Write the members of a checked archive that the folder does not have."""
    new, known = [], 0
    with own_files.opened(place) as programs, own_files.opened(place / "kernels") as kernels:
        for each in members:
            kind, _, name = each.filename.partition("/")
            target = kernels if kind == _KERNELS else programs
            if (target.path / name).exists():
                known += 1
                continue
            content = given.read(each)
            target.write_first(name, content)
            new.append((each.filename, len(content)))
    return Imported(_sum_of(new), known)


def _check_header(archive: Path, given: zipfile.ZipFile) -> None:
    """Refuse an archive of another kind, or of another build."""
    try:
        size = given.getinfo(_HEADER).file_size
        header: Any = json.loads(given.read(_HEADER)) if size <= _MOST_HEADER_BYTES else None
        is_known = header["format"] == _FORMAT
        build = {str(key): str(value) for key, value in header["build"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise InvalidArgumentError(f"{archive} is no archive of kernels.") from None
    if not is_known:
        raise InvalidArgumentError(f"{archive} has a format that this version does not know.")
    here = kernel_identity.build_parts()
    unlike = [name for name in here if build.get(name) != here[name]]
    if unlike:
        what = ", ".join(f"{name} ({_short(build.get(name))}, here {_short(here[name])})"
                         for name in unlike)  # fmt: skip
        raise InvalidArgumentError(
            f"The kernels of {archive} would not be used: they were made with another {what}."
        )


def _short(value: str | None) -> str:
    """Return a value of a build for a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _check_member(archive: Path, given: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse a member that is neither a kernel nor a program, or is damaged."""
    kind, _, name = member.filename.partition("/")
    pattern = {_KERNELS: _KERNEL, _PROGRAMS: _PROGRAM}.get(kind)
    if pattern is None or not pattern.fullmatch(name) or member.file_size > _MOST_BYTES:
        raise InvalidArgumentError(f"{archive} has a member of another kind: {member.filename!r}.")
    content = given.read(member)  # checks the sum that zip keeps
    if pattern is _KERNEL and not kernel_files.is_whole(name, content):
        raise InvalidArgumentError(f"The kernel {name} of {archive} is damaged.")


def _files() -> Iterator[tuple[str, Path]]:
    """Yield the name in an archive and the path of each kernel and program of the folder."""
    place = folder()
    for path in sorted((place / "kernels").iterdir()) if (place / "kernels").is_dir() else ():
        if _KERNEL.fullmatch(path.name):
            yield f"{_KERNELS}/{path.name}", path
    config: Any = jax.config
    is_shared = config.jax_compilation_cache_dir == str(place)
    for path in sorted(place.iterdir()) if is_shared and place.is_dir() else ():
        if _PROGRAM.fullmatch(path.name):
            yield f"{_PROGRAMS}/{path.name}", path


def _sum_of(sizes: Iterable[tuple[str, int]]) -> Contents:
    kernels: list[int] = []
    programs: list[int] = []
    for name, size in sizes:
        (kernels if name.startswith(_KERNELS) else programs).append(size)
    return Contents(len(kernels), sum(kernels), len(programs), sum(programs))
