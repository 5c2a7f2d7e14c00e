"""The kernels that JAX compiles, reported from one listener of JAX to all that count them.

JAX reports a hit of its own cache and then, as for every kernel, that it has the kernel. Both
events occur in the thread that compiles the kernel, the second at the end. A rule that JAX traces
before announces its kernel in the thread that traces (``announced``).
"""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import jax.monitoring

_COMPILED = "/jax/core/compile/backend_compile_duration"
_CACHED = "/jax/compilation_cache/cache_hits"

# What tracing has announced for the modules that count kernels: journal and memory.
Taken: TypeAlias = tuple[Any, Any]


class Compiled(NamedTuple):
    """A kernel that JAX has.

    Attributes:
        jax_name: JAX's name of its function, "jit(name)"; "" when this JAX does not report it.
        seconds: the time of XLA, or of the cache.
        was_cached: whether it is from JAX's own cache.
    """

    jax_name: str
    seconds: float
    was_cached: bool


class _Announced(threading.local):
    """The kernel that JAX compiles next in this thread, as the modules that count it need it.

    Attributes:
        journal: what compilations.py notes; None for a kernel of other code.
        memory: what memory_bound.py counts; None for a kernel of other code.
        resident_bytes: the memory of the process before the tracing; None when other kernels are
            compiled at the same time, so that its growth is not due to this one.
    """

    journal: Any = None
    memory: Any = None
    resident_bytes: int | None = None


announced = _Announced()


def take_announced() -> Taken:
    """Return what was announced in this thread, and forget it: another thread compiles it."""
    taken = announced.journal, announced.memory
    announced.journal = announced.memory = announced.resident_bytes = None
    return taken


def announce_again(taken: Taken) -> None:
    """Announce in this thread what ``take_announced`` returned in another."""
    announced.journal, announced.memory = taken
    announced.resident_bytes = None


_listeners: list[Callable[[Compiled], None]] = []
_of_thread = threading.local()


def on_compiled(listener: Callable[[Compiled], None]) -> None:
    """Call a function after every kernel that JAX compiles, in the thread that needed it.

    Example:
        >>> import jax
        >>> from jaxeager.kernels import compile_events
        >>> seen = []
        >>> compile_events.on_compiled(seen.append)
        >>> def never_seen(x):
        ...     return x * 3
        >>> print(jax.jit(never_seen)(2.0))
        6.0
        >>> [each.jax_name for each in seen if "never_seen" in each.jax_name]
        ['jit(never_seen)']
        >>> compile_events.forget(seen.append)
    """
    _listeners.append(listener)


def forget(listener: Callable[[Compiled], None]) -> None:
    """Stop calling a function."""
    _listeners.remove(listener)


def _on_event(event: str, **kwargs) -> None:
    if event == _CACHED:
        _of_thread.was_cached = True


def _on_duration(event: str, duration_secs: float, **kwargs: str | int) -> None:
    if event != _COMPILED:
        return
    was_cached = getattr(_of_thread, "was_cached", False)
    _of_thread.was_cached = False
    compiled = Compiled(str(kwargs.get("fun_name", "")), duration_secs, was_cached)
    for listener in tuple(_listeners):
        listener(compiled)


jax.monitoring.register_event_listener(_on_event)
jax.monitoring.register_event_duration_secs_listener(_on_duration)
