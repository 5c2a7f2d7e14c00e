"""Tensors that a function writes into while JAX traces it (``to_jax``, ``jit.to_static``)."""

import contextlib
import gc
import weakref
from collections.abc import Iterator

from jax.core import Tracer

from jaxeager.graph.mode import grad_mode


def note_write(tensor) -> None:
    """Note a tensor that is about to be written, and its value, in ``grad_mode.written``."""
    if grad_mode.capture is not None:
        grad_mode.capture.see((tensor,))
    grad_mode.written.setdefault(id(tensor), (weakref.ref(tensor), tensor._array))


@contextlib.contextmanager
def writes_noted() -> Iterator[dict]:
    """Note what is written meanwhile, and give it its value back when something is raised.

    Yields:
        what ``note_write`` notes.
    """
    before = grad_mode.written
    grad_mode.written = written = {}
    try:
        yield written
    except BaseException:
        take_back(written)
        raise
    finally:
        grad_mode.written = before


def take_back(written: dict) -> list:
    """Give tensors that outlive the trace, and hold what JAX traced, their values back.

    Args:
        written: what ``note_write`` noted, when nothing of the function's own lives any more.

    Returns:
        those tensors.
    """
    found = _leaking(written)
    if found:
        gc.collect()  # a tensor in a circle of the function's own is not one that outlives it
        del found
        found = _leaking(written)
    for tensor, value in found:
        tensor._array = value
    return [tensor for tensor, _ in found]


def _leaking(written: dict) -> list:
    alive = [(reference(), value) for reference, value in written.values()]
    return [
        (tensor, value)
        for tensor, value in alive
        if tensor is not None
        and isinstance(tensor._array, Tracer)
        and not isinstance(value, Tracer)
    ]
