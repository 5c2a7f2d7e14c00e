"""GradTensorHolder: the gradients that one node has received.

Note [Flat position]
    A node's inputs are numbered by (slot, rank). Every op has either several outputs of one tensor
    (rank always 0) or one output that is a list (slot always 0). So ``slot + rank`` numbers them
    without gaps, and the holder is one flat list. An op with a list among several outputs would
    need offsets here; there is none. A PyLayer may return such outputs: its node numbers the
    tensors flat, by slot alone, and groups them when it calls the user's backward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from jaxeager.arrays.as_array import refuse_apart
from jaxeager.arrays.sharded import joined  # pyright: ignore[reportUnknownVariableType]  # untyped
from jaxeager.graph import rows
from jaxeager.kernels.tracing import jit

if TYPE_CHECKING:
    import jax


@jit
def _sum(a: jax.Array, b: jax.Array) -> jax.Array:
    return a + b.astype(a.dtype)


def add_arrays(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return a + b in a's dtype.

    Raises:
        InvalidArgumentError: when they are on different devices because a hook has moved one.
    """
    if rows.seen:
        total = rows.sum_of(a, b)
        if total is not None:
            return total  # pyright: ignore[reportReturnType]  # FewRows
        a, b = rows.written_out(a), rows.written_out(b)
    try:
        total = _sum(a, b)
        if rows.known:
            rows.note_sum(a, b, total)
        return total
    except ValueError:
        found = joined([a, b])  # pyright: ignore[reportUnknownVariableType]  # untyped
        if found is not None:
            return _sum(*found)
        named = ("the accumulated gradient", a), ("the one to add", b)
        refuse_apart(
            "backward",
            named,
            "A hook must return a gradient on the device on which it received it.",
        )
        raise


GradTensorHolder: TypeAlias = list[Any]
"""One place per forward output of a node; None for an output without a gradient so far.

A plain list, created with the first gradient. Addition makes a new array, so a received array is
never changed, nor is one that the user holds. (Paddle adds into the first one.)
"""
