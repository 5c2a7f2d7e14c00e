"""Types of the signatures about time.

They are for type checkers and readers: modules import them under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from typing import Any

# A trace in Chrome's format, or an event of one: an object of JSON.
TraceJson: TypeAlias = "dict[str, Any]"
