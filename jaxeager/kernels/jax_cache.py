"""JAX's own cache of compiled programs, read only where this user alone could write it."""

import contextlib
import re
import stat
import threading
from pathlib import Path
from typing import Any, NamedTuple

import jax

from jaxeager.core import own_files
from jaxeager.kernels import kernel_files

try:
    from jax._src import compilation_cache as _jax_cache
    from jax._src import lru_cache as _lru_cache

    _Cache: Any = _lru_cache.LRUCache
    _ending: Any = _lru_cache._CACHE_SUFFIX
    _decompressed: Any = _jax_cache.decompress_executable
    _parted: Any = _jax_cache.extract_executable_and_time
except (ImportError, AttributeError):  # another JAX: only its folder is checked
    _Cache = None

_of_thread = threading.local()


def keep_in(folder: Path) -> None:
    """Make JAX keep what it compiles in a folder, checked as in Note [Kernel files].

    A folder that the user has chosen (``jax_compilation_cache_dir``) is not checked.
    """
    with contextlib.suppress(OSError):  # a disk that cannot be written: JAX warns of it
        own_files.make(folder)
    if _Cache is not None:
        _jax_cache.LRUCache = _checked(folder)  # type: ignore[attr-defined]
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


class Entry(NamedTuple):
    """What JAX read or wrote for a program in a checked folder.

    Attributes:
        key: the name of the program, a hyphen, and a digest.
        value: the content of the file.
        is_read: whether JAX read it; it compiles a program whose file is damaged.
    """

    key: str
    value: bytes
    is_read: bool

    def executable_of(self, jax_name: str) -> bytes | None:
        """Return XLA's form of the executable; None if the program has another name than that."""
        name = self.key.rpartition("-")[0]
        is_of_name = _letters(name) == _letters(jax_name)
        return _parted(_decompressed(self.value))[0] if is_of_name else None


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name)


def take_entry() -> Entry | None:
    """Return what JAX has read or written last in this thread, and forget it."""
    entry = getattr(_of_thread, "entry", None)
    _of_thread.entry = None
    return entry


def _checked(folder: Path) -> type:
    """Return JAX's cache class, which in one folder reads only files of this user."""

    class Checked(_Cache):
        def get(self, key: str) -> bytes | None:
            """Return the value of a key; None when there is none that may be read."""
            _of_thread.entry = None
            path = Path(self.path, f"{key}{_ending}")
            is_checked = path.parent == folder
            why = own_files.why_not_file(path) if is_checked else ""
            if why:
                kernel_files.say_once(why)
                return None
            value = super().get(key)
            if is_checked and value is not None:
                _of_thread.entry = Entry(key, value, is_read=True)
            return value

        def put(self, key: str, value: bytes) -> None:
            """Keep a value under a key, writable by this user alone whatever the umask is."""
            super().put(key, value)
            path = Path(self.path, f"{key}{_ending}")
            is_checked = path.parent == folder
            if is_checked and path.is_file():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o022)
            _of_thread.entry = Entry(key, value, is_read=False) if is_checked else None

    return Checked
