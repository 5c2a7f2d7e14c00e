"""The trail of a step: each op, node and update with the numbers that went in and came out."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.symbolic import is_symbolic
from jaxeager.debug.stacks.lines import line_of_node, running_line
from jaxeager.debug.stacks.stacks import StackedObserver


class Entry(NamedTuple):
    """What one op, node, update or conversion computed.

    Attributes:
        kind: "op", "node", "step" (of an optimizer), or "data" (made from data of the host).
        name: the name of the op or node.
        line: the program's line; for a node the line that recorded it.
        given: copies of the arrays that went in.
        made: copies of those that came out.
        settings: the numbers and texts that the op was called with.
    """

    kind: str
    name: str
    line: str
    given: list[np.ndarray]
    made: list[np.ndarray]
    settings: str = ""


class Trail(StackedObserver):
    """Copies the numbers of everything that runs, in order; it waits for each op."""

    def __init__(self):
        self.entries: list[Entry] = []
        self._settings = ""  # of the kernel that runs next

    def _add(
        self, kind: str, name: str, line: str, given: object, made: object, settings: str = ""
    ) -> None:
        self.entries.append(Entry(kind, name, line, _copies(given), _copies(made), settings))

    # ---- events

    def kernel_found(self, call):
        self._settings = _settings([call.attrs, call.scalars])

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        name = row.api_name + "_" * is_inplace
        given = [_array(each) for each in operands]
        self._add("op", name, running_line(), given, arrays, self._settings)
        self._settings = ""

    def array_made(self, array):
        self._add("data", "to_tensor", running_line(), [], [array])

    def node_ended(self, node, grads, results):
        if not node.is_leaf:
            self._add("node", node.name(), str(line_of_node(node)), grads, results)

    def step_ended(self, rule, params, state):
        made = [param._array for param in params]
        self._add("step", rule.name, running_line(), [], made)


def _settings(values: object) -> str:
    """Return the numbers and texts among nested arguments."""
    texts = []
    for each in jax.tree.leaves(values):
        if isinstance(each, (bool, int, float, complex, str)):
            texts.append(repr(each))
        elif getattr(each, "ndim", None) == 0 and not is_symbolic(each) and _is_plain(each):
            texts.append(repr(np.asarray(each).item()))
    return ", ".join(texts)


def _array(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_array(each) for each in value]
    return getattr(value, "_array", value)


def _copies(arrays: object) -> list[np.ndarray]:
    """Return NumPy copies of arrays, which may be nested in lists; others are omitted."""
    return [
        np.array(each)
        for each in jax.tree.leaves(arrays)
        if isinstance(each, jax.Array) and not is_symbolic(each) and _is_plain(each)
    ]


def _is_plain(array: jax.Array) -> bool:
    """Return whether an array has numbers that NumPy can hold: it is not a random key."""
    return not jnp.issubdtype(array.dtype, jax.dtypes.prng_key)
