"""Scattered sums of more terms than float32 counts are added in float64.

Note [Long scatters]
    XLA adds scattered terms one after the other (a GPU in any order, one at a time). In float32
    2^24 + 1 is 2^24, so a sum of that many ones stops there; other sums are built as trees and do
    not stop. A rule whose operands have fewer elements than that runs unchanged. In other rules
    ``scatters_in_float64`` runs each scattered sum of that many terms in float64 and rounds its
    result. It wraps ``adds_in_float32``, which has already made sums of 16-bit floats float32.
    Without x64 JAX has no float64, and the sums stay in float32.
"""

# JAX has few types for the steps of a program, and none for the structures of its trees.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import JaxprEqn

from jaxeager.ops.rules.wide_sums import (
    Operand,
    Params,
    Rule,
    program_in,
    run_steps,
    scatter_options,
)

COUNTED = 2**24  # the first float32 that 1 can be added to without effect
_WIDER = {"float32": jnp.float64, "complex64": jnp.complex128}


def scatters_in_float64(rule: Rule) -> Rule:
    """Return a rule that adds long scattered sums in float64: see Note [Long scatters].

    Args:
        rule: function of arrays; keyword arguments are passed on untouched.

    Returns:
        a function of the same signature.
    """

    @functools.wraps(rule)
    def wide(*arrays: Any, **attributes: Any) -> Any:
        leaves = jax.tree.leaves(arrays)
        if not any(_is_long(getattr(leaf, "shape", ())) for leaf in leaves):
            return rule(*arrays, **attributes)
        traced = functools.partial(rule, **attributes)
        program, out = jax.make_jaxpr(traced, return_shape=True)(*arrays)
        return jax.tree.unflatten(jax.tree.structure(out), run_steps(program, leaves, _run_step))

    return wide


def _is_long(shape: tuple[Any, ...]) -> bool:
    return all(isinstance(size, int) for size in shape) and math.prod(shape) >= COUNTED


def _run_step(step: JaxprEqn, operands: list[Operand]) -> list[Operand]:
    inner = program_in(step)
    if inner is not None:
        return run_steps(inner, operands, _run_step)
    if step.primitive.name == "scatter-add" and _is_long(operands[1].shape[:-1]):
        return [_in_float64(operands, step.params)]
    outs = step.primitive.bind(*operands, **step.primitive.get_bind_params(step.params))
    return list(outs) if step.primitive.multiple_results else [outs]


def _in_float64(operands: list[Operand], params: Params) -> jax.Array:
    """Return a scattered sum, added in the wider dtype of its kind if there is one."""
    into, places, terms = operands
    wide = jax.dtypes.canonicalize_dtype(_WIDER.get(into.dtype.name, into.dtype))
    found = lax.scatter_add(
        into.astype(wide), places, terms.astype(wide), **scatter_options(params)
    )
    return found.astype(into.dtype)
