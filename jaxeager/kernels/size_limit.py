"""The size of the memory, and the error for arrays that do not fit into it.

Note [Sizes that are refused]
    XLA ends the process, without an exception, when the bytes of any array in a program do not fit
    into 64 bits. And Linux allocates memory that does not exist, and kills the process when it is
    written. So impossible sizes are refused before anything is compiled: a result bigger than all
    the memory (``check_size``, and tracing.py for every kernel), and a step inside a kernel whose
    bytes do not fit into 64 bits. The memory of a CPU is that of the machine with its swap space,
    or the limit of the process (cgroup, ``ulimit -v``) where that is less; of accelerators it is
    what XLA may use on all of them together. Whether that much is free at the moment is found at
    the allocation: XLA's own error then becomes ResourceExhaustedError.
"""

import functools
import os
import re
from pathlib import Path

import jax
import numpy as np

from jaxeager.core.byte_counts import size_text
from jaxeager.core.error_lines import first_line
from jaxeager.core.symbolic import is_symbolic, known_size
from jaxeager.errors import InvalidArgumentError, ResourceExhaustedError

try:
    import resource
except ImportError:  # not available on Windows
    resource = None

LARGEST = 2**63 - 1  # the largest number in XLA
_CGROUPS = ("memory.max", "memory.limit_in_bytes")


def available_bytes() -> int:
    """Return the size of the memory: the limit for one result. About 2 us."""
    return max(_host_bytes(), _accelerator_bytes())


def _host_bytes() -> int:
    """Return the memory of the machine and its swap space, or of this process where that is less.

    In a program of several processes the machines of all are taken to be equal.
    """
    found = machine_bytes()
    if resource is not None:
        limits = [
            resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
        ]
        found = min([found, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])
    return found * jax.process_count()


@functools.cache
def machine_bytes() -> int:
    """Return memory and swap space of the machine, or the limit of this process's cgroup."""
    try:
        text = Path("/proc/meminfo").read_text()
        sizes = dict(re.findall(r"^(MemTotal|SwapTotal):\s+(\d+) kB", text, re.MULTILINE))
        found = sum(int(size) for size in sizes.values()) * 1024
    except OSError:  # not Linux
        found = _physical_bytes()
    return min([found or LARGEST, *_cgroup_limits()])


def _physical_bytes() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return 0


def _cgroup_limits() -> list[int]:
    """Return the limits of this process's cgroups, of version 1 and of version 2."""
    limits = []
    try:
        groups = [line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().split()]
    except (OSError, ValueError):
        return limits
    for kind, group in groups:
        if kind in ("", "memory"):
            root = Path("/sys/fs/cgroup", kind)
            folder = root / group.lstrip("/")
            for each in {folder, *folder.parents, root} if root in folder.parents else {root}:
                limits += _limits_in(each)
    return limits


def _limits_in(folder: Path) -> list[int]:
    found = []
    for name in _CGROUPS:
        try:
            text = (folder / name).read_text().strip()
        except OSError:
            continue
        if text.isdigit():  # "max" if there is no limit
            found.append(int(text))
    return found


@functools.cache
def _accelerator_bytes() -> int:
    """Return the memory XLA may use on all accelerators together; 0 where JAX uses a CPU."""
    devices = jax.devices()
    if devices[0].platform == "cpu":
        return 0
    stats = jax.local_devices()[0].memory_stats() or {}
    return stats.get("bytes_limit", LARGEST) * len(devices)


# ---- checks


def bytes_of(shape, dtype) -> int:
    """Return the bytes of an array, as an unbounded int, counting only known sizes."""
    return known_size(shape) * dtype.itemsize


def check_size(what: str, shape, dtype) -> None:
    """Check that an array is possible: for arrays made on the host, and for Python's own loops.

    Args:
        what: the op, for the message.
        shape: a tuple of ints.
        dtype: an np.dtype, or a value that np.dtype accepts.

    Raises:
        InvalidArgumentError: when a dimension is negative or does not fit into 64 bits.
        ResourceExhaustedError: when it takes more memory than there is.
    """
    check_dims(what, shape)
    dtype = np.dtype(dtype)
    size = bytes_of(shape, dtype)
    if size > available_bytes():
        raise too_big(what, shape, dtype, size)


def check_dims(what: str, shape) -> None:
    """Raise InvalidArgumentError when a dimension is negative or does not fit into 64 bits."""
    shape = [n for n in shape if not is_symbolic(n)]
    if any(n < 0 for n in shape):
        raise InvalidArgumentError(
            f"{what}: a dimension must not be negative, but received the shape {list(shape)}."
        )
    if any(n > LARGEST for n in shape):
        raise InvalidArgumentError(
            f"{what}: a dimension must fit into 64 bits, but received the shape {list(shape)}."
        )


def too_big(what: str, shape, dtype, size: int) -> ResourceExhaustedError:
    """Return the error for a result of ``size`` bytes."""
    return ResourceExhaustedError(
        f"{what} would make {dtype.name}{list(shape)} of {_text(size)}, but there are "
        f"{_text(available_bytes())} of memory. Use a smaller shape."
    )


def too_big_inside(what: str, shape, dtype) -> ResourceExhaustedError:
    """Return the error for an array in a kernel whose bytes do not fit into 64 bits."""
    return ResourceExhaustedError(
        f"{what} would make {dtype.name}{list(shape)} as an intermediate result: the product of "
        "these sizes, in bytes, is more than 64 bits can count. There are "
        f"{_text(available_bytes())} of memory. Use smaller sizes."
    )


def ran_out(what: str, error: Exception) -> ResourceExhaustedError:
    """Return the error for memory that could not be allocated.

    Args:
        what: the op.
        error: XLA's own, or a MemoryError of NumPy or Python.
    """
    return ResourceExhaustedError(
        f"{what}: {first_line(error).rstrip('.')}. The memory has {_text(available_bytes())} in "
        "total, some of them in use. Delete tensors that are not needed, or use smaller ones."
    )


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error of XLA, NumPy or Python means that memory has run out."""
    if isinstance(error, jax.errors.JaxRuntimeError):
        return str(error).startswith("RESOURCE_EXHAUSTED")
    return isinstance(error, MemoryError)


def _text(size: int) -> str:
    """Return a number of bytes exactly and in a readable unit."""
    return f"{size} bytes ({size_text(size)})"
