"""The MLIR contexts that JAX lowers programs in: each is used several times.

JAX 0.10 makes one for each program, which takes longer than to lower a small kernel in it (3.5 ms
of 5.5). JAX 0.11 uses one ten times in a thread, so that what it has interned does not grow for
ever; on 0.10 the same is done here. A program that is lowered while another one is, as JAX lowers
a constant of its, has a context of its own: a module that is made within another one's would
become a part of that. Where JAX has no such function nothing is changed.
"""

import threading
from collections.abc import Callable
from typing import Any

_USES = 10


def shared(make: Callable[[], Any], is_lowering: Callable[[], bool]) -> Callable[[], Any]:
    """Return what gives the last context of this thread again, and a new one after ten uses.

    Args:
        make: makes a context.
        is_lowering: says whether this thread lowers a program already; then a new one is given.

    Example:
        >>> from jaxeager.core.ir_contexts import shared
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
    """Let JAX 0.10 use its contexts again."""
    try:
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir
    except ImportError:
        return
    if hasattr(mlir, "make_ir_context") and not hasattr(mlir, "_thread_local_context"):

        def is_lowering() -> bool:
            return ir.Context.current is not None

        mlir.make_ir_context = shared(mlir.make_ir_context, is_lowering)
