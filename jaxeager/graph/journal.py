"""Journal: the gradients that one backward has set, so that a failure can take them back.

Note [Journal]
    Leaves are added to as their gradients arrive, so that a hook on one sees its ``.grad``; so are
    the gradients that ``retain_grads`` keeps. What each had before is written into the run's
    journal. Whatever goes wrong in the middle (a hook or a PyLayer that raises, a stale saved
    tensor, Ctrl-C), the journal is played backwards and every tensor has the ``.grad`` it had.
    The exception keeps its type; a note names the node it came from.
"""

import threading

from jaxeager.core import ports
from jaxeager.graph.meta import AutogradMeta

accumulating = threading.RLock()  # threads may end in the same leaf
_zeros_of = AutogradMeta.__dict__["zeros"].__get__  # a trace need not know: jit/capture/lifted.py


class Journal:
    """What one backward has changed: see Note [Journal]."""

    __slots__ = ("_entries",)

    def __init__(self):
        self._entries: list[tuple] = []

    def set_grad(self, meta, grad) -> None:
        """Make a Tensor the ``grad`` of an AutogradMeta; hold ``accumulating``."""
        self._entries.append((meta, meta.grad, _zeros_of(meta), grad))
        meta.grad = grad
        meta.zeros = None

    def roll_back(self) -> None:
        """Give everything that was set the gradient it had."""
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
