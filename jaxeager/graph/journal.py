"""Journal: the gradients that one backward has set, so that a failure can undo them.

Note [Journal]
    Leaves are added to as soon as their gradients are complete, so that a hook on one sees its
    ``.grad``. The same holds for gradients that ``retain_grads`` keeps. The earlier value of each
    is recorded in the run's journal. After any failure (a hook or a PyLayer that raises, a stale
    saved tensor, Ctrl-C) the journal is undone in reverse order, and every tensor has its earlier
    ``.grad``. The exception keeps its type; a note names the node it came from.

    Where another backward (of another thread, or in a hook) has added to the same gradient, only
    what this one has added is subtracted. A gradient that the program has set or cleared meanwhile,
    in a hook, stays as it set it.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from jaxeager.core import ports
from jaxeager.graph.meta import AutogradMeta

if TYPE_CHECKING:
    from jax.core import ShapedArray

    from jaxeager.graph.types import Gradient

accumulating = threading.RLock()  # backwards of several threads may end in the same leaf
_zeros_of = AutogradMeta.__dict__["zeros"].__get__  # not seen by a trace: jit/capture/lifted.py


class Journal:
    """The changes of one backward: see Note [Journal]."""

    __slots__ = ("_entries", "_token")

    def __init__(self):
        self._token = object()
        self._entries: list[tuple[AutogradMeta, Gradient | None, ShapedArray | None, Gradient]] = []

    def set_grad(self, meta: AutogradMeta, grad: Gradient) -> None:
        """Set a Tensor as the ``grad`` of an AutogradMeta; the caller holds ``accumulating``."""
        self._entries.append((meta, meta.grad, _zeros_of(meta), grad))
        meta.grad = grad
        meta.zeros = None
        meta.writer = self._token

    def roll_back(self) -> None:
        """Restore the earlier gradient of every changed tensor."""
        for meta, old, zeros, new in reversed(self._entries):
            with accumulating:
                if meta.grad is new:
                    meta.grad, meta.zeros = old, zeros
                elif _has_been_added_to(meta, old, self._token):
                    added = (
                        new.to_dense()
                        if old is None
                        else new.to_dense().detach() - old.to_dense().detach()
                    )
                    left = meta.grad.to_dense() - added  # pyright: ignore[reportOptionalMemberAccess]  # set
                    meta.grad = ports.as_tensor(left._array, False)


def _has_been_added_to(meta: AutogradMeta, old: Gradient | None, token: object) -> bool:
    """Return whether another backward has added to a leaf's gradient since one with this token."""
    is_set = meta.grad is not None and meta.grad is not old
    return is_set and meta.writer is not token and meta.is_leaf()
