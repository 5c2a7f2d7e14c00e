"""The memory of compiled kernels, kept within a bound.

Note [Kernel memory]
    XLA compiles a kernel for every shape it meets, and a compiled kernel takes 0.4 MiB of a host's
    memory however small it is, a quarter of that when it comes from a file. A program whose shapes
    never repeat would fill any machine.

    Every jitted callable of this package is made by ``jitted``. It counts on two occasions that are
    rare, so that a call of a kernel costs what it did: a rule is traced (Python runs it), which
    says whose kernel is coming, and JAX tells that it compiled or loaded one (compile_events.py).
    What the process grew by in between is what the kernel takes, or what the smallest does.

    When that makes more than ``bound_bytes()``, callables are cleared until half of it is left.
    Which kernel ran last is only known to JAX's C++ call path, and asking it would cost every call.
    So this is no exact LRU. A callable that holds many shapes goes first, because it uses few of
    them at a time: that frees most for one that comes back. Equals go oldest first. What was in use
    comes back from its file (executables.py) in about 2 ms; without files it is compiled again.

    Linux allows a process 65,530 memory mappings, and XLA's compiler for a CPU takes 2 or 3 for a
    small kernel and 2 for each step of a large one: 300 for a segment of 150 ops (core/lazy). When
    they run out, LLVM raises an error or the process ends. So they are counted after each large
    kernel, and half of the kernels are cleared when MOST_OF_MAPS are in use.

    Clearing is safe at any time. Whoever runs a kernel holds it, and so does a call under way in
    another thread. Optimizer steps are not made here: they are as many as there are optimizers,
    and a step that was called once is never compiled again (optimizer/fused.py).
"""

import ctypes
import functools
import os
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax

from jaxeager.core import compile_events, executables, flags
from jaxeager.core.compile_events import Compiled
from jaxeager.core.executables import Origin
from jaxeager.core.memory_limit import machine_bytes

MOST_OF_MAPS = 0.7
_LARGE_BYTES = 2 << 20  # of a kernel after which mappings are counted, which takes up to 20 ms
LEAST_BYTES = 380 << 10  # what the smallest kernel takes on a CPU that is compiled
_LEAST_LOADED_BYTES = 96 << 10  # and one from a file, of which JAX has no program


class Held(NamedTuple):
    """What compiled kernels take.

    Attributes:
        kernels: how many are held.
        bytes: what they take, as far as the growth of the process tells.
        bound_bytes: what they may take; 0 for no bound.
        let_go: how many were let go since the process began.
    """

    kernels: int
    bytes: int
    bound_bytes: int
    let_go: int


class _Callable:
    """What is known of one jitted callable: its kernels, and what they take."""

    __slots__ = ("bytes", "kernels", "reference")

    def __init__(self):
        self.kernels = 0
        self.bytes = 0
        self.reference: Any = None

    def watch(self, callable_) -> None:
        """Remember the jitted callable itself, weakly: its owner keeps it."""
        self.reference = weakref.ref(callable_, self._gone)

    def _gone(self, _) -> None:
        with _lock:
            _forget(self)


_holding: dict[_Callable, None] = {}  # those with kernels, in the order of their first one
_lock = threading.RLock()
_let_go = 0
_of_thread = threading.local()


def jitted(
    rule: Callable, origin: Origin | None = None, on_loaded: Callable | None = None, **options
) -> Any:
    """Return ``jax.jit(rule, **options)`` whose kernels are kept within the bound.

    Args:
        rule: a function of arrays.
        origin: what the rule is made from, when its kernels may come from files (executables.py).
        on_loaded: see ``executables.kept``.
        options: those of jax.jit.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxeager.core.kernel_memory import jitted
        >>> print(jitted(lambda x: x + 1)(jnp.zeros(2)))
        [1. 1.]
    """
    known = _Callable()

    @functools.wraps(rule)
    def traced(*args, **kwargs):
        before = _resident_bytes()
        out = rule(*args, **kwargs)
        _of_thread.coming = known, before  # once the rule ran: it may have traced others
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
    """Return what counts a kernel that comes from a file, when it is there."""
    then = on_loaded(shapes) if on_loaded is not None else None
    before = _resident_bytes()

    def loaded(call) -> None:
        _count(known, before, _LEAST_LOADED_BYTES)
        if then is not None:
            then(call)

    return loaded


def _count(known: _Callable, before: int, least: int = LEAST_BYTES) -> None:
    """Count a kernel, and keep to the bound.

    Args:
        known: whose it is.
        before: what the process took before it was made.
        least: what it takes at the least.
    """
    grown = max(_resident_bytes() - before, least)
    with _lock:
        known.kernels += 1
        known.bytes += grown
        _holding[known] = None
    keep_within()
    if grown >= _LARGE_BYTES and _are_maps_short():
        _clear(_taken() // 2)


def _on_compiled(_: Compiled) -> None:
    """Count a kernel that was compiled, and keep to the bound."""
    known, before = getattr(_of_thread, "coming", (None, 0))
    if known is None:
        return  # a kernel of somebody else's
    _of_thread.coming = None, 0
    _count(known, before)


compile_events.on_compiled(_on_compiled)


# ---- letting go


def keep_within(_=None) -> None:
    """Let kernels go when they take more than the bound, until half of it is left."""
    bound = bound_bytes()
    if bound and _taken() > bound:
        _clear(bound // 2)


def let_go() -> Held:
    """Let all compiled kernels go, give their memory back to the system, and says what they took.

    They are compiled again, or loaded from the folder of compiled programs, when they are needed.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([3]) * 2.0
        >>> paddle.kernel_memory.let_go().kernels > 0
        True
        >>> paddle.kernel_memory.held().kernels
        0
    """
    before = held()
    _clear(0)
    _give_back()  # what JAX freed before, too
    return before


def held() -> Held:
    """Return how many compiled kernels are held, what they take, and what they may take.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([3]) * 2.0
        >>> found = paddle.kernel_memory.held()
        >>> found.kernels > 0, 0 < found.bytes <= found.bound_bytes
        (True, True)
    """
    with _lock:
        kernels = sum([known.kernels for known in _holding])
        return Held(kernels, _taken(), bound_bytes(), _let_go)


def _taken() -> int:
    with _lock:
        return sum([known.bytes for known in _holding])


def _clear(target_bytes: int) -> None:
    """Clear callables until their kernels take no more than that."""
    global _let_go
    with _lock:
        taken = _taken()
        cleared = []
        for known in sorted(_holding, key=lambda known: -known.kernels):  # stable: oldest first
            if taken <= target_bytes:
                break
            taken -= known.bytes
            _let_go += known.kernels
            cleared.append(known.reference())
            _forget(known)
    for kernel in cleared:
        if kernel is not None:
            kernel.clear_cache()
    if cleared:
        _give_back()


def _forget(known: _Callable) -> None:
    _holding.pop(known, None)
    known.kernels = known.bytes = 0


# ---- what the system says


def _resident_bytes() -> int:
    """Return what the process has of the machine's memory; 0 where that is not told."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE_BYTES
    except OSError:
        return 0


def _are_maps_short() -> bool:
    """Return whether the process has used most of the mappings that the system gives it."""
    try:
        with open("/proc/sys/vm/max_map_count", "rb") as file:
            most = int(file.read())
        with open("/proc/self/maps", "rb") as file:
            return file.read().count(b"\n") > MOST_OF_MAPS * most
    except OSError:  # no Linux
        return False


_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def _give_back() -> None:
    """Return freed memory to the system: glibc keeps it, in pieces, when it is not asked."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@functools.cache
def _malloc_trim():
    """Return glibc's malloc_trim, None where there is none."""
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):
        return None


def bound_bytes() -> int:
    """Return what kernels may take, from FLAGS_kernel_memory_mb; 0 for no bound."""
    megabytes = int(flags.flag("FLAGS_kernel_memory_mb"))
    return machine_bytes() // 4 if megabytes < 0 else megabytes << 20
