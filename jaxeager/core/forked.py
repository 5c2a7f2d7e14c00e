"""The error raised in a process forked after JAX began, where it would otherwise wait forever.

Note [Forks]
    XLA's compute threads do not exist in a forked child. Work submitted to them never finishes:
    some ops hang in the first call, others only from a certain size on. So a child forgets every
    compiled program, this package's and JAX's. Any function it calls is then traced again, which
    JAX reports before it compiles, and there the error is raised. A call of a kernel costs nothing
    extra. What needs no thread still works: ``numpy()``, printing, ``save``. Data on an accelerator
    cannot be read: a driver does not outlive a fork, and CUDA ends a process that unloads a program
    there, so the forgotten programs are kept alive.

    A process that forks before its first op is not affected. Nor are the workers of a DataLoader,
    which are forked by a process without JAX (io/fork_server.py).
"""

# JAX's clients of devices have no types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import os
from typing import Any

import jax
import jax.monitoring
from jax._src import xla_bridge

from jaxeager.errors import PreconditionNotMetError

_unloadable: list[Any] = []  # programs of accelerators in a forked process
_parent = 0  # the process that this one was forked from, after JAX had begun there


def check() -> None:
    """Raise when this process was forked after JAX began. About 0.05 us.

    Raises:
        PreconditionNotMetError: when it was.
    """
    if _parent:
        raise PreconditionNotMetError(
            f"This process ({os.getpid()}) was forked from process {_parent} after JAX had begun "
            "to compute there. The threads that compute do not exist in this process, so that an "
            "op would never end. Start processes with multiprocessing.get_context('spawn') or "
            "'forkserver', or fork before the first op. Values on a CPU can be read here (numpy())."
        )


def _on_event(event: str, duration_secs: float, **kwargs: str | int) -> None:
    if event.startswith("/jax/core/compile/"):
        check()


def _after_fork() -> None:
    global _parent
    if not xla_bridge.backends_are_initialized():
        return
    _parent = _parent or os.getppid()
    for backend in xla_bridge.backends().values():
        if backend.platform != "cpu":
            _unloadable.extend(backend.live_executables())
    jax.clear_caches()


jax.monitoring.register_event_duration_secs_listener(_on_event)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
