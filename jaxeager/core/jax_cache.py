"""JAX's own cache of compiled programs, read as ours is: only what this user alone could write."""

import contextlib
import stat
from pathlib import Path
from typing import Any

import jax

from jaxeager.core import kernel_files, own_files

try:
    from jax._src import compilation_cache as _jax_cache
    from jax._src import lru_cache as _lru_cache

    _Cache: Any = _lru_cache.LRUCache
    _ending: Any = _lru_cache._CACHE_SUFFIX
except (ImportError, AttributeError):  # another JAX: its folder alone is looked at
    _Cache = None


def keep_in(folder: Path) -> None:
    """Let JAX keep what it compiles in a folder, which is looked at as in Note [Kernel files].

    A folder of the user's own choosing (``jax_compilation_cache_dir``) is JAX's and theirs.
    """
    with contextlib.suppress(OSError):  # a disk that cannot be written: JAX warns of it
        own_files.make(folder)
    if _Cache is not None:
        _jax_cache.LRUCache = _checked(folder)  # type: ignore[attr-defined]
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def _checked(folder: Path) -> type:
    """Return JAX's class of caches, which in a folder reads only files of this user."""

    class Checked(_Cache):
        def get(self, key: str) -> bytes | None:
            """Return what is kept under a key, None when there is nothing that may be read."""
            path = Path(self.path, f"{key}{_ending}")
            why = own_files.why_not_file(path) if path.parent == folder else ""
            if why:
                kernel_files.say_once(why)
                return None
            return super().get(key)

        def put(self, key: str, value: bytes) -> None:
            """Keep a value under a key, writable by this user alone whatever the umask is."""
            super().put(key, value)
            path = Path(self.path, f"{key}{_ending}")
            if path.parent == folder and path.is_file():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o022)

    return Checked
