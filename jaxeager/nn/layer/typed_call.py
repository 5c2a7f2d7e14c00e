"""The types of a Layer's call, for type checkers: those of its ``forward``."""

from __future__ import annotations

from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class HasForward(Protocol[P, R]):
    """An object whose call has the parameters and the result of its ``forward``."""

    def forward(self, *inputs: P.args, **kwargs: P.kwargs) -> R:
        """Compute the result of a call."""
        ...
