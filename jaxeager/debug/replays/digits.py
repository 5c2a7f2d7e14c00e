"""debug.numerics: the digits that each op of a step loses, against the same step in float64.

Note [Shadows]
    Every array of the step has a shadow, the same number computed in float64. When an op has run,
    its kernel runs again on the shadows of its operands, and that is the shadow of its result; so
    does the rule of a node on the shadows of its saved tensors and gradients. A result is compared
    with its shadow, in units of the last place. An op loses the digits that its operands had and
    its result does not have, most often because it subtracts numbers that are nearly equal.

    The shadow of data, of random numbers, of a sum of gradients and of what an optimizer has
    written is the number itself. An op whose kernel cannot run in float64, or that returns another
    dtype then, is listed as not followed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.symbolic import is_symbolic
from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.lockstep.compare import ulps
from jaxeager.debug.stacks.lines import line_of_node, running_line
from jaxeager.debug.stacks.stacks import StackedObserver
from jaxeager.errors import JaxEagerError
from jaxeager.kernels.tracing import jit
from jaxeager.ops.call import kernels

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike

_SHOWN = 12
_LOW = jnp.bfloat16
_LOW_ULPS = 4.0  # a result in bfloat16 that is so near has the digits that bfloat16 can hold
_FAILURES = (JaxEagerError, TypeError, ValueError, jax.errors.JaxRuntimeError)


class Digits(NamedTuple):
    """The digits of one op or node.

    Attributes:
        name: the op, or the node of backward.
        line: the program's line; for a node the line that recorded it.
        dtype: the dtype of its results.
        given: the decimal digits that its operands have, the worst of them.
        made: the digits that its results have.
        lost: the difference; 0 if the results are as good as the operands.
        is_safe_low: whether it is as exact in bfloat16 as bfloat16 can be; None if unknown.
    """

    name: str
    line: str
    dtype: str
    given: float
    made: float
    lost: float
    is_safe_low: bool | None


class Numerics(list):
    """The Digits of a step, the greatest loss first; its text is a table of the first.

    Attributes:
        skipped: the names of the ops and nodes that could not be followed.
    """

    def __init__(self, found: list[Digits], skipped: list[str]):
        super().__init__(sorted(found, key=lambda each: -each.lost))
        self.skipped = skipped

    def __str__(self) -> str:
        lines = [f"{'lost':>6}  {'from':>5}  {'to':>5}  bfloat16  op, where"]
        lines += first_lines(self, _SHOWN, _line_of)
        lines.append(f"{len(self)} ops and nodes, in decimal digits")
        if self.skipped:
            lines.append(f"not followed in float64: {', '.join(dict.fromkeys(self.skipped))}")
        return "\n".join(lines)


def _line_of(found: Digits) -> str:
    low = {True: "safe", False: "no", None: "?"}[found.is_safe_low]
    return (
        f"{found.lost:6.1f}  {found.given:5.1f}  {found.made:5.1f}  {low:<8}  "
        f"{found.name} ({found.dtype}) at {found.line or '?'}"
    )


def numerics(step: Callable[[], object]) -> Numerics:
    """Run a step, each op in float64 as well; return the digits that each op loses.

    The step itself runs as always, so it may train. Every kernel is compiled twice more, for
    float64 and bfloat16: a few seconds for a new model.

    Args:
        step: a function without arguments.

    Returns:
        a list of Digits, the greatest loss first, that prints as a table.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1000.0, 1000.01])
        >>> found = paddle.debug.numerics(lambda: (x * x).mean() - x.mean() ** 2)
        >>> found[0].name, found[0].lost > 4
        ('subtract', True)
    """
    with _Shadows() as shadows:
        step()
    return Numerics(shadows.found, shadows.skipped)


class _Shadows(StackedObserver):
    """Keeps the shadow of each array, and the digits of each op."""

    def __init__(self):
        self.found: list[Digits] = []
        self.skipped: list[str] = []
        # By the id of an array: the array, so that the id stays its own, and its shadow.
        self._known: dict[int, tuple[jax.Array, np.ndarray]] = {}

    # ---- events

    def kernel_finished(self, call):
        row = call.row
        name = row.api_name + "_" * call.is_inplace
        made = [each for each in jax.tree.leaves(call.results) if _is_number(each)]
        if not made or not [each for each in jax.tree.leaves(call.arrays) if _is_number(each)]:
            return
        if "key" in row.nondiff or call.kernel is None:
            self.skipped.append(name)
            return
        kernel, scalars = call.kernel, list(call.scalars)

        def run(arrays: Any, dtype: np.dtype | type) -> Any:
            if row.name == "cast":
                return _as(arrays[0], dtype)
            return kernel(*arrays, *_as(scalars, dtype))

        self._follow(name, running_line(), list(call.arrays), call.results, run)

    def node_ran(self, node: Any, saved, grads, results):
        row: Any = None if node.is_leaf else node.op
        if not hasattr(row, "vjp_kernels") or results is None:
            return
        made = [each for each in results if _is_number(each)]
        if not made:
            return
        if any(grad is None for grad in grads) or row.hidden_vjp is not None:
            self.skipped.append(node.name())
            return
        arrays = [_unwrapped(each) for each in saved]
        shapes = [kernels.key_of(aval) for aval in node.shapes]

        def run(given: Any, dtype: np.dtype | type) -> Any:
            wide = tuple([_shapes_as(each, dtype) for each in shapes])
            rule = kernels.vjp_rule(row, node.attrs, node.mask, wide, node.ranks)
            kept, received = given
            return jit(rule)(*kept, *_as(list(node.scalars), dtype), *received)

        self._follow(node.name(), str(line_of_node(node)), [arrays, list(grads)], results, run)

    # ---- following

    def _follow(self, name: str, line: str, given: list, results: object, run: Callable) -> None:
        """Run an op on the shadows, and compare."""
        shadows = jax.tree.map(self._shadow, given)
        try:
            exact = [np.asarray(each) for each in jax.tree.leaves(run(shadows, jnp.float64))]
        except _FAILURES:
            self.skipped.append(name)
            return
        made = jax.tree.leaves(results)
        if len(made) != len(exact):
            self.skipped.append(name)
            return
        pairs = [(a, b) for a, b in zip(made, exact, strict=True) if _is_number(a)]
        if any(b.dtype != _wide(a.dtype) or a.shape != b.shape for a, b in pairs):
            self.skipped.append(name)
            return
        operands = [each for each in jax.tree.leaves(given) if _is_number(each)]
        before = min([_digits(each, self._shadow(each)) for each in operands], default=16.0)
        after = min(_digits(a, b) for a, b in pairs)
        for array, shadow in pairs:
            self._known[id(array)] = array, shadow
        dtype = pairs[0][0].dtype
        lost = max(0.0, min(before, _most(dtype)) - after)
        safe = _is_safe_low(run, shadows, exact)
        self.found.append(Digits(name, line, dtype.name, before, after, lost, safe))

    def _shadow(self, array: Any) -> Any:
        if not _is_number(array):
            return array
        known = self._known.get(id(array))
        return np.asarray(array).astype(_wide(array.dtype)) if known is None else known[1]


def _is_number(value: Any) -> bool:
    """Return whether a value is an array of floating-point or complex numbers."""
    return (
        isinstance(value, (jax.Array, np.ndarray))
        and not is_symbolic(value)
        and jnp.issubdtype(value.dtype, jnp.inexact)
    )


def _wide(dtype: DTypeLike) -> type:
    return jnp.complex128 if jnp.issubdtype(dtype, jnp.complexfloating) else jnp.float64


def _as(arrays: Any, dtype: np.dtype | type) -> Any:
    """Return nested arrays with their floating-point ones in a dtype."""

    def converted(each: Any) -> Any:
        if not _is_number(each) or jnp.issubdtype(each.dtype, jnp.complexfloating):
            return each
        return np.asarray(each).astype(dtype)

    return jax.tree.map(converted, arrays)


def _shapes_as(shape: Any, dtype: np.dtype | type) -> Any:
    """Return (shape, dtype) of an operand, or a tuple of them, with floats in another dtype."""
    if shape is None:
        return None
    if shape and isinstance(shape[0], tuple) and len(shape[0]) == 2 and _is_pair(shape[0]):
        return tuple([_shapes_as(each, dtype) for each in shape])
    size, old = shape
    return (size, np.dtype(dtype)) if jnp.issubdtype(old, jnp.floating) else shape


def _is_pair(value: tuple) -> bool:
    return isinstance(value[0], tuple) and isinstance(value[1], np.dtype)


def _unwrapped(saved: Any) -> Any:
    """Return the array of a saved tensor, a list of them for a list, None for None."""
    if saved is None:
        return None
    return [_unwrapped(each) for each in saved] if isinstance(saved, list) else saved[0]


def _most(dtype: DTypeLike) -> float:
    """Return the decimal digits of a dtype."""
    return -math.log10(float(jnp.finfo(dtype).eps)) + math.log10(2)


def _far(array: jax.Array | np.ndarray, shadow: np.ndarray) -> float:
    """Return how far an array is from its shadow, in units of the last place of its own dtype."""
    own, scale = np.asarray(array), 1.0
    if array.dtype.kind not in "fc":  # bfloat16 and float8, whose spacing NumPy does not know
        own = np.asarray(array).astype("float32")
        scale = float(jnp.finfo(jnp.float32).eps) / float(jnp.finfo(array.dtype).eps)
    return ulps(own, shadow)[0] * scale


def _digits(array: jax.Array, shadow: np.ndarray) -> float:
    """Return how many decimal digits of an array are those of its shadow."""
    far = _far(array, shadow)
    most = _most(array.dtype)
    return max(0.0, most - math.log10(max(far, 0.5)) - math.log10(2)) if far < math.inf else 0.0


def _is_safe_low(run: Callable, shadows: Any, exact: list) -> bool | None:
    """Return whether an op is exact in bfloat16, up to its last place; None if it cannot run."""
    try:
        low = jax.tree.leaves(run(_as(shadows, _LOW), _LOW))
    except _FAILURES:
        return None
    pairs = [(a, b) for a, b in zip(low, exact, strict=True) if a.dtype == _LOW]
    if not pairs:
        return None
    return all(_far(a, b) <= _LOW_ULPS for a, b in pairs)
