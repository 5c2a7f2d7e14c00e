"""Types of the signatures about stacks.

They are for type checkers and readers: modules import them under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import CodeType


class Walked(Protocol):
    """The result of ``walk``: jaxlib's Traceback, or the replacement for it."""

    def raw_frames(self) -> tuple[list[CodeType], list[int]]:
        """Return the code of each frame, the innermost first, and its instruction."""
        ...
