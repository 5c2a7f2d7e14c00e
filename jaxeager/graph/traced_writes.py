"""Tensors that a function writes while JAX traces it (``to_jax``, ``jit.to_static``)."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Generator
from typing import TYPE_CHECKING

from jax.core import Tracer

from jaxeager.graph.mode import grad_mode

if TYPE_CHECKING:
    from typing import TypeAlias

    import jax

    from jaxeager.graph.types import Tensor, UpperTensor

    Written: TypeAlias = dict[int, tuple[weakref.ref[Tensor], jax.Array]]


def note_write(tensor: Tensor) -> None:
    """Note a tensor that is about to be written, and its value, in ``grad_mode.written``."""
    if grad_mode.capture is not None:
        grad_mode.capture.see((tensor,))
    grad_mode.written.setdefault(id(tensor), (weakref.ref(tensor), tensor._array))


@contextlib.contextmanager
def writes_noted() -> Generator[Written]:
    """Note the tensors written meanwhile, and restore their values after an exception.

    Yields:
        the dict that ``note_write`` fills.
    """
    before = grad_mode.written
    written: Written = {}
    grad_mode.written = written
    try:
        yield written
    except BaseException:
        take_back(written)
        raise
    finally:
        grad_mode.written = before


def take_back(written: Written) -> list[UpperTensor]:
    """Restore the values of tensors that outlive the trace and hold tracers.

    Args:
        written: the dict of ``note_write``, when no object of the function itself is alive.

    Returns:
        those tensors.
    """
    found = _leaking(written)
    if found:
        gc.collect()  # a tensor in a reference cycle of the function does not outlive it
        del found
        found = _leaking(written)
    for tensor, value in found:
        tensor._array = value
    return [tensor for tensor, _ in found]


def _leaking(written: Written) -> list[tuple[Tensor, jax.Array]]:
    alive = [(reference(), value) for reference, value in written.values()]
    return [
        (tensor, value)
        for tensor, value in alive
        if tensor is not None
        and isinstance(tensor._array, Tracer)
        and not isinstance(value, Tracer)
    ]
