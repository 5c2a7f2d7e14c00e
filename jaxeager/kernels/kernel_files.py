"""Compiled kernels as files: a folder that this user alone can write, bounded, safe to share.

Note [Kernel files]
    A file is named by the digest of all that its kernel depends on (listed in executables.py). It
    holds a JSON header, XLA's own form of the executable, and the digest of both. So a file that is
    truncated, damaged or another kernel's is detected and removed, and nothing in it is ever
    unpickled. A file is written under another name and then moved, which is atomic on every file
    system: processes that write the same kernel at the same time write the same file.

    An executable is machine code. So at every read, folder and file must belong to this user and be
    writable by no other: see Note [Files of the user's own] of own_files.py. Other files are not
    used, with one warning. A digest detects damage, not malice: anyone who can write a file can
    write its digest.

    The time of a file is updated when it is read. When the files take more than
    ``FLAGS_kernel_files_mb``, those not read for longest are removed, until a tenth of it is free.
"""

import contextlib
import hashlib
import json
import os
import threading
import warnings
from pathlib import Path
from typing import Any, TypeAlias

from jaxeager.core import flags, own_files

# What the file of a kernel has in addition to its executable, as JSON.
Header: TypeAlias = dict[str, Any]

_MAGIC = b"jaxeager kernel 1\n"
_DIGEST = 32
_MOST_BYTES = 1 << 30  # of one file
_LOOK_EVERY = 64  # written files between two checks of the total size

_folder: Path | None = None
_is_checked = False
_is_usable = False
_written = 0
_lock = threading.Lock()
_said: set[str] = set()  # warnings given for files that are not used


def set_folder(folder: Path | None) -> None:
    """Set the folder where kernels are kept; None means nowhere."""
    global _folder, _is_checked
    _folder, _is_checked = folder, False


def folder() -> Path | None:
    """Return the folder where kernels are kept; None if there is none or FLAGS_kernel_files is off.

    The folder is made if it does not exist, and must be this user's: see Note [Kernel files].
    """
    global _is_checked, _is_usable
    if _folder is not None and not _is_checked:
        _is_usable = _make_sure(_folder)
        _is_checked = True
    is_on = _folder is not None and _is_usable and flags.flag("FLAGS_kernel_files")
    return _folder if is_on else None


def _make_sure(folder: Path) -> bool:
    """Make the folder, and return whether it can be trusted."""
    why = own_files.why_not(folder)
    if why:
        warnings.warn(not_kept(folder, why), RuntimeWarning, stacklevel=2)
        return False
    try:
        own_files.make(folder)
    except OSError:  # a disk that cannot be written: nothing is kept
        return False
    return True


def not_kept(folder: Path, why: str) -> str:
    """Return the warning for a folder that others can write."""
    return (
        f"Compiled kernels are not kept in {folder}: {why}. Kernels are executed as code. Make the "
        "folder private (chmod 700), or name another one in JAXEAGER_COMPILATION_CACHE."
    )


def say_once(what: str) -> None:
    """Warn of a file or folder that is not used, once."""
    if what not in _said:
        _said.add(what)
        warnings.warn(
            f"A compiled kernel is not read: {what}. It is compiled again.",
            RuntimeWarning,
            stacklevel=3,
        )


def read(name: str) -> tuple[Header, bytes] | None:
    """Return header and executable of a kernel; None when there is no intact file.

    Args:
        name: its digest.
    """
    place = folder()
    if place is None:
        return None
    try:
        with own_files.opened(place) as opened:
            content = opened.read(name, _MOST_BYTES)
    except own_files.NotOwn as error:
        say_once(str(error))
        return None
    except OSError:
        return None
    found = _parts(name, content)
    if found is None:
        drop(name)
    return found


def _parts(name: str, content: bytes) -> tuple[Header, bytes] | None:
    """Return header and executable of a file's content, None when it is damaged."""
    whole = content[: len(_MAGIC)] == _MAGIC and _digest(content[:-_DIGEST]) == content[-_DIGEST:]
    if not whole:
        return None
    start = len(_MAGIC) + 8
    middle = start + int.from_bytes(content[len(_MAGIC) : start], "little")
    try:
        header = json.loads(content[start:middle])
    except (ValueError, RecursionError):
        return None
    if not isinstance(header, dict) or header.pop("name", None) != name:
        return None
    return header, content[middle:-_DIGEST]


def is_whole(name: str, content: bytes) -> bool:
    """Return whether the content of a file is that of a kernel, undamaged."""
    return _parts(name, content) is not None


def write(name: str, header: Header, executable: bytes) -> None:
    """Keep a kernel; when that fails (a full disk), it is compiled again the next time.

    Args:
        name: its digest.
        header: other data of it, for JSON.
        executable: XLA's form of it.
    """
    global _written
    place = folder()
    if place is None:
        return
    head = json.dumps(header | {"name": name}).encode()
    content = b"".join((_MAGIC, len(head).to_bytes(8, "little"), head, executable))
    try:
        with own_files.opened(place) as opened:
            opened.write(name, content + _digest(content))
    except OSError:
        return
    with _lock:
        _written += 1
        is_time = _written % _LOOK_EVERY == 1
    if is_time:
        keep_within()


def drop(name: str) -> None:
    """Remove the file of a kernel that cannot be used."""
    place = folder()
    if place is not None:
        with contextlib.suppress(OSError), own_files.opened(place) as opened:
            opened.remove(name)


def keep_within(_=None) -> None:
    """Remove the files that were not read for longest, when all together exceed the bound."""
    place, bound = folder(), int(flags.flag("FLAGS_kernel_files_mb")) << 20
    if place is None or bound <= 0:
        return
    found = []
    for each in os.scandir(place):
        try:
            known = each.stat()
        except OSError:  # another process was faster
            continue
        found.append((known.st_mtime, known.st_size, each.path))
    total = sum(size for _, size, _ in found)
    if total <= bound:
        return
    for _, size, path in sorted(found):
        if total <= bound - bound // 10:
            break
        _remove(Path(path))
        total -= size


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
