"""The memory of compiled kernels, kept within a bound.

Note [Kernel memory]
    XLA compiles a kernel for every new shape. A compiled kernel takes 0.3 MiB of a host's memory
    however small it is, and a third of that when it is loaded from a file. A program whose shapes
    never repeat would fill the memory of any machine.

    Every jitted callable of this package is made by ``jitted``. It counts only at two rare events,
    so that a call of a kernel costs no more: a rule is traced (Python runs it), which announces the
    kernel's callable, and JAX reports that it compiled or loaded a kernel (compile_events.py). The
    growth of the process in between is the size of the kernel; the least size of a kernel is its
    lower bound.

    When the total exceeds ``bound_bytes()``, callables are cleared until half of the bound is left.
    Only JAX's C++ call path knows which kernel ran last, and reading that would cost every call. So
    this is not an exact LRU. A callable with many shapes is cleared first, because it uses few of
    them at a time: that frees the most memory per kernel that must return. Among equals the oldest
    is first. A kernel still in use is loaded again from its file (executables.py) in about 2 ms;
    without files it is compiled again.

    Linux allows a process 65,530 memory mappings. XLA's compiler for a CPU takes 2 or 3 for a small
    kernel and 2 for each step of a large one: 300 for a segment of 150 ops (kernels/lazy). When
    they run out, LLVM raises an error or the process ends. So they are counted after each large
    kernel and every COUNT_AFTER others, and half of the kernels are cleared when MOST_OF_MAPS are
    in use.

    Clearing is safe at any time: the code that runs a kernel holds it, and so does a call in
    progress in another thread. Optimizer steps are not made here: there are as many as optimizers,
    and a step that was called once is never compiled again (optimizer/fused.py).
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax

from jaxeager.core import flags
from jaxeager.kernels import compile_events, executables
from jaxeager.kernels.compile_events import Compiled, announced
from jaxeager.kernels.executable_data import Jitted
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.size_limit import machine_bytes

MOST_OF_MAPS = 0.7
COUNT_AFTER = 500  # kernels
_LARGE_BYTES = 2 << 20  # size of a kernel after which mappings are counted, which takes up to 20 ms
LEAST_BYTES = 320 << 10  # size of the smallest compiled kernel on a CPU
_LEAST_LOADED_BYTES = 96 << 10  # and of one from a file, of which JAX has no program


class Held(NamedTuple):
    """The memory of compiled kernels.

    Attributes:
        kernels: the number of held kernels.
        bytes: their size, estimated from the growth of the process.
        bound_bytes: the bound of their size; 0 for no bound.
        freed: the number of kernels freed since the process began.
    """

    kernels: int
    bytes: int
    bound_bytes: int
    freed: int


class _Callable:
    """The record of one jitted callable: the number and the size of its kernels."""

    __slots__ = ("bytes", "kernels", "reference")

    def __init__(self):
        self.kernels = 0
        self.bytes = 0
        self.reference: Any = None

    def watch(self, callable_) -> None:
        """Remember the jitted callable itself, weakly: its owner keeps it."""
        self.reference = weakref.ref(callable_)
        # A finalizer, because a callback of the reference would run when the process ends, too.
        weakref.finalize(callable_, _forget, self).atexit = False


_holding: dict[_Callable, None] = {}  # those with kernels, in the order of their first one
_lock = threading.RLock()
_freed = 0
_counted = 0  # kernels since the mappings were counted


def jitted(
    rule: Callable, origin: Origin | None = None, on_loaded: Callable | None = None, **options
) -> Jitted:
    """Return ``jax.jit(rule, **options)`` whose kernels are kept within the bound.

    Args:
        rule: a function of arrays.
        origin: what the rule is made from, if its kernels may come from files (executables.py).
        on_loaded: see ``executables.kept``.
        options: those of jax.jit.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxeager.kernels.memory_bound import jitted
        >>> print(jitted(lambda x: x + 1)(jnp.zeros(2)))
        [1. 1.]
    """
    known = _Callable()

    @functools.wraps(rule)
    def traced(*args, **kwargs):
        before = _resident_bytes()
        out = rule(*args, **kwargs)
        # after the rule ran, because it may have traced others
        announced.memory, announced.resident_bytes = known, before
        return out

    if not hasattr(rule, "__name__"):  # of a functools.partial
        traced.__name__ = rule.func.__name__
    kernel = jax.jit(traced, **options)
    if origin is not None:
        counted = partial(_on_loaded, known, on_loaded)
        kernel = executables.kept(kernel, traced, origin, counted, options)
    known.watch(kernel)
    return kernel


def _on_loaded(known: _Callable, on_loaded: Callable | None, shapes: list) -> Callable:
    """Return a callback that counts a kernel from a file once it is loaded."""
    then = on_loaded(shapes) if on_loaded is not None else None
    before = _resident_bytes()

    def loaded(call) -> None:
        _count(known, before, _LEAST_LOADED_BYTES)
        if then is not None:
            then(call)

    return loaded


def _count(known: _Callable, before: int | None, least: int = LEAST_BYTES) -> None:
    """Count a kernel, and enforce the bound.

    Args:
        known: its callable.
        before: the memory of the process before the kernel was made; None when its growth does not
            show the size of the kernel, which is then the least.
        least: the least size of the kernel.
    """
    global _counted
    grown = least if before is None else max(_resident_bytes() - before, least)
    with _lock:
        _counted += 1
        is_due = grown >= _LARGE_BYTES or _counted >= COUNT_AFTER
        _counted = 0 if is_due else _counted
        known.kernels += 1
        known.bytes += grown
        _holding[known] = None
    keep_within()
    if is_due and _are_maps_short():
        _clear(_bytes_held() // 2)


def _on_compiled(_: Compiled) -> None:
    """Count a kernel that was compiled, and enforce the bound."""
    known, before = announced.memory, announced.resident_bytes
    if known is None:
        return  # a kernel of other code
    announced.memory = announced.resident_bytes = None
    _count(known, before)


compile_events.on_compiled(_on_compiled)


# ---- freeing


def keep_within(_=None) -> None:
    """Free kernels when they exceed the bound, until half of it is left."""
    bound = bound_bytes()
    if bound and _bytes_held() > bound:
        _clear(bound // 2)


def free() -> Held:
    """Free all compiled kernels, return their memory to the system, and return their former size.

    They are compiled again, or loaded from the folder of compiled programs, when needed.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([3]) * 2.0
        >>> paddle.kernel_memory.free().kernels > 0
        True
        >>> paddle.kernel_memory.held().kernels
        0
    """
    before = held()
    _clear(0)
    _give_back()  # also the memory that JAX freed before
    return before


def held() -> Held:
    """Return the number of held compiled kernels, their size, and its bound.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([3]) * 2.0
        >>> found = paddle.kernel_memory.held()
        >>> found.kernels > 0, 0 < found.bytes <= found.bound_bytes
        (True, True)
    """
    with _lock:
        kernels = sum([known.kernels for known in _holding])
        return Held(kernels, _bytes_held(), bound_bytes(), _freed)


def _bytes_held() -> int:
    with _lock:
        return sum([known.bytes for known in _holding])


def _clear(target_bytes: int) -> None:
    """Clear callables until their kernels take at most `target_bytes`."""
    global _freed
    with _lock:
        left = _bytes_held()
        cleared = []
        for known in sorted(_holding, key=lambda known: -known.kernels):  # stable: oldest first
            if left <= target_bytes:
                break
            left -= known.bytes
            _freed += known.kernels
            cleared.append(known.reference())
            _forget(known)
    for kernel in cleared:
        if kernel is not None:
            executables.clear(kernel)
    if cleared:
        _give_back()


def _forget(known: _Callable) -> None:
    with _lock:
        _holding.pop(known, None)
        known.kernels = known.bytes = 0


# ---- data from the system


def _resident_bytes() -> int:
    """Return the resident memory of the process; 0 where the system does not report it."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE_BYTES
    except OSError:
        return 0


def _are_maps_short() -> bool:
    """Return whether the process has used most of its memory mappings."""
    try:
        with open("/proc/sys/vm/max_map_count", "rb") as file:
            most = int(file.read())
        with open("/proc/self/maps", "rb") as file:
            return file.read().count(b"\n") > MOST_OF_MAPS * most
    except OSError:  # not Linux
        return False


_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def _give_back() -> None:
    """Return freed memory to the system: otherwise glibc keeps it, in pieces."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@functools.cache
def _malloc_trim():
    """Return glibc's malloc_trim; None if there is none."""
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):
        return None


def bound_bytes() -> int:
    """Return the bound of the kernels' size, from FLAGS_kernel_memory_mb; 0 for no bound."""
    megabytes = int(flags.flag("FLAGS_kernel_memory_mb"))
    return machine_bytes() // 4 if megabytes < 0 else megabytes << 20
