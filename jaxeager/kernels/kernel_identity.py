"""Names of kernels, equal in every process: see Note [Kernels from files] of executables.py."""

import dataclasses
import functools
import hashlib
import json
import os
import platform
from pathlib import Path
from types import FunctionType
from typing import Any

import jax
import numpy as np

from jaxeager.kernels import kernel_files

try:
    from jax._src import config as _config

    _context: Any = _config.trace_context
    _names: Any = _config.trace_context_names
except (ImportError, AttributeError):  # another JAX, whose kernels have no names
    pass

_NOT_OF_A_KERNEL = ("jax_compilation_cache", "jax_persistent_cache", "jax_log", "jax_pprint")


def text_of(identity) -> str | None:
    """Return plain values as text, None for others.

    Plain values are numbers, text, None, dtypes, functions and classes defined in a module of this
    package, and tuples and data classes of such. Values that differ in kind have different texts:
    1, 1.0 and True, 0.0 and -0.0.
    """
    try:
        return json.dumps(plain(identity))
    except TypeError:
        return None


def plain(value):
    """Return a value as ``text_of`` writes it, for JSON; raise TypeError if it is not plain."""
    kind = type(value)
    if kind in (int, str, bool) or value is None:
        return value
    if kind is float:
        return ["float", value.hex()]
    if kind is complex:
        return ["complex", value.real.hex(), value.imag.hex()]
    if kind is tuple or kind is list:
        return [kind.__name__, *map(plain, value)]
    if kind is slice:
        return ["slice", *map(plain, (value.start, value.stop, value.step))]
    if isinstance(value, np.dtype):
        return ["dtype", value.name]
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return ["scalar", value.dtype.name, plain(value.item())]
    if kind in (type, FunctionType) or isinstance(value, type):
        return _place_of(value)
    if isinstance(value, tuple) or dataclasses.is_dataclass(value):
        fields = value if isinstance(value, tuple) else vars(value).values()
        return ["made", _place_of(kind), *map(plain, fields)]
    raise TypeError


def _place_of(value) -> list[str]:
    """Return the module and name of a function or a class; TypeError if they do not identify it."""
    module, name = value.__module__, value.__qualname__
    if "<" in name or not module.startswith(("jaxeager.", "jax.", "numpy")):
        raise TypeError
    if type(value) is FunctionType:  # one made by another function may have any __qualname__
        written = value.__globals__.get("__name__"), value.__code__.co_qualname
        if written != (module, name):
            raise TypeError
    return ["at", module, name]


def from_plain(value):
    """Return the lists and tuples, of numbers and None, that ``plain`` has encoded."""
    if type(value) is not list:
        return value
    items = [from_plain(each) for each in value[1:]]
    return tuple(items) if value[0] == "tuple" else items


def name_of(identity: tuple, arrays: list, tree, device, options: dict) -> str:
    """Return the digest of all that an executable depends on."""
    shapes = [[list(each.shape), each.dtype.name, each.weak_type] for each in arrays]
    parts = (
        identity, shapes, str(tree), sorted(options.items()), device.platform, device.device_kind,
        _settings(),
    )  # fmt: skip
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


_digested: tuple[object, str] = (None, "")  # the last settings seen, and their digest


def _settings() -> str:
    """Return the digest of JAX's settings that may change compiled code, and of ``_build``.

    About 30 us, and 250 us when a setting has changed since the last call.
    """
    global _digested
    config: Any = jax.config
    now = config.values, _context()
    before, digest = _digested  # one read: other threads may write it
    if now != before:
        digest = _digest(*now)
        _digested = now, digest
    return digest


def _digest(values: dict, context: tuple) -> str:
    general = [each for each in sorted(values.items()) if not each[0].startswith(_NOT_OF_A_KERNEL)]
    here = [each for each in zip(_names(), context, strict=True) if each[0] != "axis_env_state"]
    return hashlib.sha256(repr((general, here, _build())).encode()).hexdigest()


@functools.cache
def _build() -> str:
    return repr(build_parts())


def build_parts() -> dict[str, str]:
    """Return the data common to all kernels of a process: versions, flags, CPU, sources."""
    from jaxlib.version import __version__ as jaxlib_version

    return {
        "jax": jax.__version__,
        "jaxlib": jaxlib_version,
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", ""),
        "LIBTPU_INIT_ARGS": os.environ.get("LIBTPU_INIT_ARGS", ""),
        "processor": _cpu(),
        "jaxeager": _sources(),
    }


_ROOMS = ("amp", "arrays", "core", "graph", "kernels", "nn", "ops", "optimizer")
"""The subpackages with functions that are jitted."""


def _sources() -> str:
    """Return the digest of the sources that kernels are made from.

    The digest is kept under the times and sizes of the files; otherwise every process would read
    them all. The system sets a file's ``ctime``: no program can change a file and leave it.
    """
    package = Path(__file__).parents[1]
    paths = sorted(path for room in _ROOMS for path in (package / room).rglob("*.py"))
    stats = [(path.as_posix(), found.st_size, found.st_mtime_ns, found.st_ctime_ns)
             for path in paths if (found := path.stat())]  # fmt: skip
    name = "sources-" + hashlib.sha256(repr(stats).encode()).hexdigest()
    kept_before = kernel_files.read(name)
    if kept_before is not None:
        return kept_before[0]["digest"]
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    kernel_files.write(name, {"digest": digest.hexdigest()}, b"")
    return digest.hexdigest()


def _cpu() -> str:
    """Return the kind of this CPU: code for one may have instructions that another lacks."""
    try:
        with open("/proc/cpuinfo") as file:
            lines = {line for line in file if line.startswith(("flags", "Features", "model name"))}
        return "".join(sorted(lines))
    except OSError:  # not Linux
        return f"{platform.machine()} {platform.processor()}"
