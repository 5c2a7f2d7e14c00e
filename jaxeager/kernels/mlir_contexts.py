"""The MLIR contexts in which JAX lowers programs: each is used several times.

JAX 0.10 makes one for each program, which takes longer than lowering a small kernel in it (3.5 ms
of 5.5). JAX 0.11 uses one ten times in a thread, a limit that bounds the growth of its interned
data; this module does the same on 0.10. A program that is lowered during another lowering, as JAX
lowers one of its constants, gets a separate context: a module made inside another one's context
would become part of it. Where JAX has no such function nothing is changed.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Context = TypeVar("Context")

_USES = 10


def shared(make: Callable[[], Context], is_lowering: Callable[[], bool]) -> Callable[[], Context]:
    """Return a function that reuses the last context of a thread, and makes one after ten uses.

    Args:
        make: makes a context.
        is_lowering: returns whether this thread is lowering a program; then a new context is made.

    Example:
        >>> from jaxeager.kernels.mlir_contexts import shared
        >>> make = shared(object, lambda: False)
        >>> first = make()
        >>> [make() is first for _ in range(10)].index(False)
        9
    """
    of_thread = threading.local()

    def make_ir_context() -> Any:
        if is_lowering():
            return make()
        context, left = getattr(of_thread, "last", (None, 0))
        if not left:
            context, left = make(), _USES
        of_thread.last = context, left - 1
        return context

    return make_ir_context


def share() -> None:
    """Make JAX 0.10 reuse its contexts."""
    try:
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir
    except ImportError:
        return
    if hasattr(mlir, "make_ir_context") and not hasattr(mlir, "_thread_local_context"):

        def is_lowering() -> bool:
            return ir.Context.current is not None

        mlir.make_ir_context = shared(mlir.make_ir_context, is_lowering)
