"""Journal: the gradients that one backward has set, so that a failure can undo them.

Note [Journal]
    Leaves are added to as soon as their gradients are complete, so that a hook on one sees its
    ``.grad``. The same holds for gradients that ``retain_grads`` keeps. The earlier value of each
    is recorded in the run's journal. After any failure (a hook or a PyLayer that raises, a stale
    saved tensor, Ctrl-C) the journal is undone in reverse order, and every tensor has its earlier
    ``.grad``. The exception keeps its type; a note names the node it came from.
"""

import threading

from jaxeager.core import ports
from jaxeager.graph.meta import AutogradMeta

accumulating = threading.RLock()  # backwards of several threads may end in the same leaf
_zeros_of = AutogradMeta.__dict__["zeros"].__get__  # not seen by a trace: jit/capture/lifted.py


class Journal:
    """The changes of one backward: see Note [Journal]."""

    __slots__ = ("_entries",)

    def __init__(self):
        self._entries: list[tuple] = []

    def set_grad(self, meta, grad) -> None:
        """Set a Tensor as the ``grad`` of an AutogradMeta; the caller holds ``accumulating``."""
        self._entries.append((meta, meta.grad, _zeros_of(meta), grad))
        meta.grad = grad
        meta.zeros = None

    def roll_back(self) -> None:
        """Restore the earlier gradient of every changed tensor."""
        for meta, old, zeros, new in reversed(self._entries):
            with accumulating:
                if meta.grad is new:
                    meta.grad, meta.zeros = old, zeros
                elif meta.grad is not old and meta.is_leaf():  # another thread has added to it
                    added = (
                        new.to_dense()
                        if old is None
                        else new.to_dense().detach() - old.to_dense().detach()
                    )
                    meta.grad = ports.as_tensor((meta.grad.to_dense() - added)._array, False)
