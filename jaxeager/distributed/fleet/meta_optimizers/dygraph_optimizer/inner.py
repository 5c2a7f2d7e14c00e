"""InnerOptimizer: the base of wrappers of an optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from jaxeager.optimizer import Optimizer

# An optimizer, or a wrapper of one.
AnyOptimizer: TypeAlias = "Optimizer | InnerOptimizer"


class InnerOptimizer:
    """A wrapper of an optimizer that does all the work.

    Args:
        optimizer: the wrapped optimizer.
        hcg: the groups of this process.

    Attributes:
        _inner_opt: the wrapped optimizer.
    """

    def __init__(self, optimizer: AnyOptimizer, hcg: Any):
        self._inner_opt, self._hcg = optimizer, hcg

    def __getattr__(self, name: str) -> Any:
        if name == "_inner_opt":  # while a copy is created
            raise AttributeError(name)
        return getattr(self._inner_opt, name)


def parameters_of(optimizer: AnyOptimizer) -> list:
    """Return the parameters of an optimizer, with those of its groups concatenated."""
    groups = getattr(optimizer, "_param_groups", None) or []
    if groups and isinstance(groups[0], dict):
        return [parameter for group in groups for parameter in group["params"]]
    return list(optimizer._parameter_list)
