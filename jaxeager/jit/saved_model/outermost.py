"""The substitute for a capture while JAX traces a function for ``jit.save``; it lifts nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from jaxeager.errors import UnimplementedError
from jaxeager.jit.lowering import lowered
from jaxeager.nn import Layer
from jaxeager.static.nn import traced_flow

if TYPE_CHECKING:
    from jaxeager.graph.meta import Edge
    from jaxeager.tensor import Tensor


class Outermost:
    """An object that makes ``if`` and ``while`` on tensors part of a saved program.

    It has the interface of captures (capture.py); only the branches and bodies of the program are
    real captures.

    Attributes:
        asked: the tensor whose value the function requested last.
    """

    outer = None
    lowers = True
    shows_traced = True

    def __init__(self) -> None:
        self.asked: Tensor | None = None

    def see(self, operands: Sequence[object]) -> None:
        """Do nothing: JAX itself knows the operands."""

    def see_gradient(self, tensor: Tensor) -> None:
        """Do nothing."""

    def enter(self, layer: Layer) -> None:
        """Do nothing."""

    def has_meta(self, tensor: Tensor) -> None:
        """Do nothing."""

    def depends_on(self, holds: Callable[[], bool]) -> None:
        """Do nothing: a saved program has no such conditions."""

    def check_roots(self, roots: Sequence[Edge | None], ends: Sequence[Edge]) -> None:
        """Do nothing: there is no outer graph."""

    def number_of(self, tensor: Tensor) -> None:
        """Return None: nothing is lifted."""

    def asked_for(self, tensor: Tensor) -> None:
        """Note a tensor whose value the function requests, which will fail."""
        self.asked = tensor

    def suspended(self) -> NoReturn:
        """Raise an error: an optimizer's step begins."""
        self.refuse(
            "An optimizer's step is not part of a program for inference. Pass a function without "
            "the step."
        )

    def value_per_call(self, getter: Callable) -> Any:
        """Return the value of a function, fixed from then on."""
        return getter()

    def refuse(self, text: str) -> NoReturn:
        """Raise an error for an action that no program can do."""
        raise UnimplementedError(text)

    def forward_of(self, layer: Layer) -> Callable:
        """Return the forward of a Layer, converted by ``lowered``."""
        return lowered(layer.forward)

    def lowered(self, function: Callable) -> Callable:
        """Return a function whose ``if`` and ``while`` are part of the program."""
        return lowered(function)

    def branch(self, number: Tensor, functions: Sequence[Callable]) -> Any:
        """Run ``static.nn.cond`` and similar functions."""
        return traced_flow.pure_branch(number, functions)

    def loop(self, condition: Callable, body: Callable, values: Sequence[Tensor]) -> list:
        """Run ``static.nn.while_loop``."""
        return traced_flow.pure_loop(condition, body, values)
