"""Operators of ``paddle._C_ops`` whose arguments no function here accepts unchanged.

Each takes its arguments in Paddle's order; _C_ops.py has those that need no code by hand. Arguments
that only tune Paddle's kernels (``numeric_stable_mode``) are accepted and ignored.
"""

from types import FunctionType, ModuleType

from jaxeager.legacy._C_ops_by_hand import (
    boxes,
    elements,
    graphs,
    layers,
    losses,
    norms,
    quantization,
    random,
    sparse,
)


def _operators(module: ModuleType) -> dict[str, FunctionType]:
    """Return the public functions that a module defines, by name."""
    return {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, FunctionType) and each.__module__ == module.__name__ and name[0] != "_"
    }


_MODULES = (norms, layers, losses, elements, random, graphs, boxes, quantization, sparse)
BY_HAND = {
    **{name: each for module in _MODULES for name, each in _operators(module).items()},
    **sparse.SAME,
}
