"""Where a compiled kernel is stored: in a file of this package, or in JAX's own cache."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jaxeager.core import flags
from jaxeager.kernels import (
    compilations,
    compile_events,
    executable_data,
    jax_cache,
    kernel_files,
)
from jaxeager.kernels.compile_events import Compiled

if TYPE_CHECKING:
    import jax

    from jaxeager.kernels.executable_data import Structs
    from jaxeager.kernels.kernel_files import Header

try:
    from jax._src import config as _config

    _least_seconds: Any = _config.persistent_cache_min_compile_time_secs
except (ImportError, AttributeError):  # another JAX, whose kernels all are left to its cache
    _least_seconds = None

_NEVER = 1e9  # seconds that a compilation has to take for JAX's own cache to keep it
_of_thread = threading.local()
_compiled_here: set[str] = set()  # names of kernels that were compiled, not read
_of_jax: set[str] = set()  # names of kernels that are left to JAX's own cache
_executables: dict[str, bytes] = {}  # those in JAX's own cache that have no file yet


@contextlib.contextmanager
def compiling(name: str, tier: str, jax_name: str) -> Iterator[None]:
    """Keep a compiled kernel out of JAX's own cache when this package writes a file of it.

    ``FLAGS_kernels_in_jax_cache`` lets JAX keep it as well.

    XLA cannot serialize a deserialized executable again. So a kernel gets a file if JAX reports
    that it compiled it now, has it in its memory and compiled it here before, or has it in a
    checked folder of its own cache, whose file has XLA's form of it.

    Args:
        name: the kernel, as executables.py names it.
        tier: "quick" or "full": tiers.py.
        jax_name: JAX's name of its function.
    """
    with compilations.compiling(tier):
        if kernel_files.folder() is None or name in _of_jax:
            yield
            return
        _of_thread.expected, _of_thread.is_new, _of_thread.executable = jax_name, None, None
        jax_cache.take_entry()  # of a program before it, which failed
        with contextlib.nullcontext() if _is_kept_twice() else _least_seconds(_NEVER):
            yield
        is_new = _of_thread.is_new  # None: it was in JAX's memory, as ``ahead`` leaves it
        if _of_thread.executable is not None:
            _executables[name] = _of_thread.executable
        elif is_new:
            _compiled_here.add(name)
        elif is_new is False or not (name in _compiled_here or name in _executables):
            _of_jax.add(name)


def _is_kept_twice() -> bool:
    return bool(flags.flag("FLAGS_kernels_in_jax_cache"))


def _on_compiled(kernel: Compiled) -> None:
    """Note whether the expected kernel was compiled; a rule's constants are compiled before it."""
    entry = jax_cache.take_entry()  # of this kernel: JAX reports it after its cache
    expected = getattr(_of_thread, "expected", None)
    if expected is not None and kernel.jax_name in (expected, ""):
        _of_thread.is_new = not kernel.was_cached
        _of_thread.executable = None
        if entry is not None and entry.is_read == kernel.was_cached:
            _of_thread.executable = entry.executable_of(expected)


compile_events.on_compiled(_on_compiled)


def read(name: str) -> tuple[Header, bytes] | None:
    """Return header and executable of a kernel's file; None if there is none for this package."""
    found = kernel_files.read(name)
    if found is not None and found[0] == executable_data.FOR_JAX:
        _of_jax.add(name)
        return None
    return found


def results(name: str, where: jax.sharding.Sharding | None) -> Structs | None:
    """Return the results of a kernel that has a file, as ``jax.ShapeDtypeStruct``; else None.

    Args:
        name: the kernel.
        where: the sharding of the results, None for results that are bound to no device.
    """
    found = read(name)
    if found is None:
        return None
    header, _ = found
    return executable_data.structs_of(header["outputs"], header["tree"], where)


def write(name: str, data: Any) -> None:
    """Keep an executable that JAX has, unless it is left to JAX's own cache.

    Args:
        name: the kernel.
        data: the data that JAX's C++ needs to call it (MeshExecutableFastpathData).
    """
    if kernel_files.folder() is None or name in _of_jax:
        return
    kept = executable_data.to_file(data, _executables.pop(name, None))
    if kept is not None:
        kernel_files.write(name, *kept)
