"""The common part of shared gradients: they are reduced when a backward ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jaxeager.graph.engine import add_final_hook

if TYPE_CHECKING:
    import jaxeager as paddle


class ReducedAtEnd:
    """A hook that reduces gradients at the end of each backward that reaches some parameters.

    Gradients of an earlier backward are already reduced, so they are set aside before the next one
    and added to its result.

    Args:
        parameters: the parameters.
        reduce: reduces ``grad`` of each parameter to this process's part.
    """

    def __init__(self, parameters: Sequence[paddle.Tensor], reduce: Callable[[], None]):
        self._parameters, self._reduce = list(parameters), reduce
        self._aside: dict[int, paddle.Tensor] = {}
        self._waits = False
        for each in self._parameters:
            each._register_backward_hook(self._arrived)

    def _arrived(self) -> None:
        if not self._waits:
            self._waits = True
            add_final_hook(self._finish, undo=self._undo)

    def _finish(self) -> None:
        self._waits = False
        self._reduce()
        self.give_back()

    def _undo(self) -> None:
        """Restore the gradients that were set aside for a backward that has failed."""
        self._waits = False
        self.give_back()

    def lay_aside(self) -> None:
        """Set gradients aside before a forward; see the class."""
        for each in self._parameters:
            if each.grad is not None:
                before = self._aside.get(id(each))
                self._aside[id(each)] = each.grad if before is None else before + each.grad
                each.grad = None

    def give_back(self) -> None:
        """Add the gradients that were set aside."""
        for each in self._parameters:
            before = self._aside.pop(id(each), None)
            if before is not None:
                each.grad = before if each.grad is None else before + each.grad

    def forget(self) -> None:
        """Drop the gradients that were set aside, as gradients are cleared."""
        self._aside.clear()
