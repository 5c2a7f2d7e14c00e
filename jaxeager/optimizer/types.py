"""Types of the signatures of optimizers.

They are for type checkers and readers: modules import them under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jaxeager.tensor.tensor import Tensor

# What an optimizer updates: parameters, or dicts of them, "params", and of options of their own.
ParametersLike: TypeAlias = "Sequence[Tensor] | Sequence[dict[str, Any]]"
