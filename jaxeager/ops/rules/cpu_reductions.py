"""Sums and extremes of large arrays on a CPU: with nan, and over long rows.

Note [Reductions on a CPU]
    From 4,096 elements on, XLA's CPU (JAX 0.10) leaves sums and extremes to a library, which has
    two faults. Its extremes omit nan: the maximum of 4,096 ones and a nan is 1. And where the
    elements of a row outnumber 2^14, it reduces an array over its rows element by element of the
    result, each from memory far apart: the sum over 8 rows of 262,144 float32 numbers takes 6 ms
    instead of 0.1, over 1,024 rows of 65,536 it takes 0.4 s instead of 10 ms. That is how the
    gradient of a table added to each sample of a batch is computed.

    So ``reduces_on_cpu`` replaces these steps of a traced rule, also in its loops and branches. An
    extreme of floats is nan where an element is. Long rows are combined by a loop over whole rows,
    eight at a time and in pairs, so that fewer roundings follow each other. JAX differentiates the
    usual step. A rule of few elements runs unchanged. It wraps ``adds_in_float32``, which has
    already made sums of 16-bit floats float32.
"""

# JAX has few types for the steps of a program, and none for the structures of its trees.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false

import functools
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, jaxpr_as_fun

from jaxeager.arrays.ordering import has_mesh
from jaxeager.core.symbolic import has_symbols
from jaxeager.ops.rules.wide_sums import (
    Operand,
    Rule,
    program_in,
    programs_in,
    run_steps,
    with_programs,
)

LONG_ROW = 2**14
FEW = 64  # elements of all operands: their steps have less than the 2^12 from which on it matters
_LEFT_TO_XLA = 2**11
_AT_ONCE = 8

Reduction: TypeAlias = Callable[[Any], Any]
"""A function of the array that a step reduces."""

_COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "reduce_sum": jnp.add,
    "reduce_prod": jnp.multiply,
    "reduce_max": jnp.maximum,
    "reduce_min": jnp.minimum,
    "reduce_or": jnp.bitwise_or,
    "reduce_and": jnp.bitwise_and,
}
_EXTREMES = frozenset(("reduce_max", "reduce_min"))


def reduces_on_cpu(rule: Rule) -> Rule:
    """Return a rule whose reductions are right and fast: see Note [Reductions on a CPU].

    Args:
        rule: function of arrays; keyword arguments are passed on untouched.

    Returns:
        a function of the same signature.
    """

    @functools.wraps(rule)
    def mended(*arrays: Any, **attributes: Any) -> Any:
        leaves = jax.tree.leaves(arrays)
        if _are_few(leaves) or any(has_mesh(leaf) for leaf in leaves):
            return rule(*arrays, **attributes)
        traced = functools.partial(rule, **attributes)
        program, out = jax.make_jaxpr(traced, return_shape=True)(*arrays)
        run = functools.partial(_run, program) if _is_faulty(program) else jaxpr_as_fun(program)
        return jax.tree.unflatten(jax.tree.structure(out), run(*leaves))

    return mended


def _are_few(leaves: list[Any]) -> bool:
    shapes = [getattr(leaf, "shape", ()) for leaf in leaves]
    return not any(map(has_symbols, shapes)) and sum(map(math.prod, shapes)) < FEW


def _is_faulty(program: ClosedJaxpr | Jaxpr) -> bool:
    """Return whether a program has a step that is replaced, or one inside it."""
    return any(
        _way_of(step) is not None or any(map(_is_faulty, programs_in(step)))
        for step in program.eqns
    )


def _run(program: ClosedJaxpr, *arrays: Operand) -> list[Operand]:
    return run_steps(program, arrays, _run_step)


def _run_step(step: JaxprEqn, operands: list[Operand]) -> list[Operand]:
    inner = program_in(step)
    if inner is not None:
        return run_steps(inner, operands, _run_step)
    params = step.primitive.get_bind_params(step.params)

    def usual(x: Any) -> Any:
        return step.primitive.bind(x, **params)

    way = _way_of(step)
    if way is not None:
        return [_on_cpu(functools.partial(way, usual), usual)(*operands)]
    if programs_in(step):
        inside = {k: with_programs(each, _is_faulty, _run) for k, each in step.params.items()}
        params = step.primitive.get_bind_params(inside)
    outs = step.primitive.bind(*operands, **params)
    return list(outs) if step.primitive.multiple_results else [outs]


def _on_cpu(way: Reduction, usual: Reduction) -> Reduction:
    """Return the function that reduces by ``way`` on a CPU, with the usual derivative."""
    reduced = jax.custom_jvp(lambda x: lax.platform_dependent(x, cpu=way, default=usual))
    reduced.defjvp(lambda primals, tangents: jax.jvp(usual, primals, tangents))
    return reduced


def _way_of(step: JaxprEqn) -> Callable[[Reduction, Any], Any] | None:
    """Return the function of the usual reduction and an array that replaces it, if one does."""
    if step.primitive.name not in _COMBINE:
        return None
    x: Any = step.invars[0].aval
    if _is_over_long_rows(step, x.shape):
        return functools.partial(_by_rows, step)
    is_large = has_symbols(x.shape) or math.prod(x.shape) >= _LEFT_TO_XLA
    if step.primitive.name in _EXTREMES and jnp.issubdtype(x.dtype, jnp.floating) and is_large:
        return functools.partial(_with_nan, step.params["axes"])
    return None


def _with_nan(axes: tuple[int, ...], usual: Reduction, x: Any) -> Any:
    return jnp.where(jnp.any(jnp.isnan(x), axes), jnp.asarray(jnp.nan, x.dtype), usual(x))


# ---- long rows


def _is_over_long_rows(step: JaxprEqn, shape: tuple[Any, ...]) -> bool:
    """Return whether a step reduces rows, along adjacent axes, that are long."""
    axes = _axes_of(step, shape)
    if has_symbols(shape) or not axes or axes[-1] - axes[0] != len(axes) - 1:
        return False
    return math.prod(shape[axes[-1] + 1 :]) > LONG_ROW and 0 not in shape


def _axes_of(step: JaxprEqn, shape: tuple[Any, ...]) -> list[int]:
    """Return the reduced axes with more than one element, in order."""
    return sorted(axis for axis in step.params["axes"] if shape[axis] != 1)


def _by_rows(step: JaxprEqn, _: Reduction, x: Any) -> Any:
    axes, combine = _axes_of(step, x.shape), _COMBINE[step.primitive.name]
    ahead, behind = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
    rows = x.reshape(math.prod(ahead), -1, math.prod(behind))
    result: Any = step.outvars[0].aval
    return _combined(rows, combine).reshape(result.shape)


def _combined(x: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Return the rows of [n, rows, elements] combined, [n, elements]."""

    def some(first: Any, number: int) -> Any:
        part = lax.dynamic_slice_in_dim(x, first, number, 1)
        rows = [part[:, at] for at in range(number)]
        while len(rows) > 1:
            pairs = zip(rows[::2], rows[1::2], strict=False)
            rows = [combine(*pair) for pair in pairs] + rows[len(rows) & ~1 :]
        return rows[0]

    groups, left = divmod(x.shape[1], _AT_ONCE)
    if not groups:
        return some(0, left)

    def add_group(number: Any, total: Any) -> Any:
        return combine(total, some(number * _AT_ONCE, _AT_ONCE))

    total = lax.fori_loop(1, groups, add_group, some(0, _AT_ONCE))
    return combine(total, some(groups * _AT_ONCE, left)) if left else total
