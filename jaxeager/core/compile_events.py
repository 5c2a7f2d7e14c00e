"""What JAX tells of the kernels that it compiles, from one listener to those who count them.

JAX tells when its own cache gives a kernel out, and then, as of every kernel, that it has one. Both
come in the thread that asked for it, the second at its end.
"""

import threading
from collections.abc import Callable
from typing import NamedTuple

import jax.monitoring

_COMPILED = "/jax/core/compile/backend_compile_duration"
_CACHED = "/jax/compilation_cache/cache_hits"


class Compiled(NamedTuple):
    """A kernel that JAX has.

    Attributes:
        jax_name: what JAX calls its function, "jit(name)"; "" by a JAX that does not say.
        seconds: what XLA took, or the cache.
        was_cached: whether JAX's own cache gave it out.
    """

    jax_name: str
    seconds: float
    was_cached: bool


_listeners: list[Callable[[Compiled], None]] = []
_of_thread = threading.local()


def on_compiled(listener: Callable[[Compiled], None]) -> None:
    """Have a function called after every kernel that JAX compiles, in the thread that asked for it.

    Example:
        >>> import jax
        >>> from jaxeager.core import compile_events
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
    """Call a function no longer."""
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
