"""Scattered sums of more terms than float32 counts are added in float64.

Note [Long scatters]
    XLA adds scattered terms one after the other (a GPU in any order, one at a time). 2^24 + 1 is
    2^24 again in float32, so a sum of that many ones stops there; other sums are built as trees,
    and do not. A rule whose operands have fewer places than that runs as it is. Of the others,
    ``scatters_in_float64`` runs each scattered sum of so many terms in float64, and rounds its
    result. It goes around ``adds_in_float32``, which has made the sums of 16-bit floats float32.
    Without x64 JAX has no float64, and the sums stay as they are.
"""

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Literal

COUNTED = 2**24  # the first float32 that 1 can be added to without effect
_WIDER = {"float32": jnp.float64, "complex64": jnp.complex128}
_TAKEN_APART = frozenset(("jit", "pjit", "closed_call", "core_call"))


def scatters_in_float64(rule: Callable) -> Callable:
    """Returns a rule that adds long scattered sums in float64: see Note [Long scatters].

    Args:
        rule: function of arrays; keyword arguments are passed on untouched.

    Returns:
        a function of the same signature.
    """

    @functools.wraps(rule)
    def wide(*arrays, **attributes):
        leaves = jax.tree.leaves(arrays)
        if not any(_is_long(getattr(leaf, "shape", ())) for leaf in leaves):
            return rule(*arrays, **attributes)
        traced = functools.partial(rule, **attributes)
        program, out = jax.make_jaxpr(traced, return_shape=True)(*arrays)
        return jax.tree.unflatten(jax.tree.structure(out), _run(program, leaves))

    return wide


def _is_long(shape: tuple) -> bool:
    return all(isinstance(size, int) for size in shape) and math.prod(shape) >= COUNTED


def _run(program, arrays: list) -> list:
    """Runs a traced program with its long scattered sums in float64."""
    values = dict(zip(program.jaxpr.constvars, program.consts, strict=True))
    values.update(zip(program.jaxpr.invars, arrays, strict=True))

    def read(atom):
        return atom.val if isinstance(atom, Literal) else values[atom]

    for step in program.eqns:
        with step.ctx.manager:
            outs = _run_step(step, [read(atom) for atom in step.invars])
        values.update(zip(step.outvars, outs, strict=True))
    return [read(atom) for atom in program.jaxpr.outvars]


def _run_step(step, operands: list) -> list:
    name, params = step.primitive.name, step.params
    if name in _TAKEN_APART:
        return _run(params.get("jaxpr") or params["call_jaxpr"], operands)
    if name == "scatter-add" and _is_long(operands[1].shape[:-1]):
        return [_in_float64(operands, params)]
    outs = step.primitive.bind(*operands, **step.primitive.get_bind_params(params))
    return list(outs) if step.primitive.multiple_results else [outs]


def _in_float64(operands: list, params: dict):
    """Returns a scattered sum, added in the wider dtype of its kind where there is one."""
    into, places, terms = operands
    wide = jax.dtypes.canonicalize_dtype(_WIDER.get(into.dtype.name, into.dtype))
    named = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")
    chosen = {key: params[key] for key in named}
    return lax.scatter_add(into.astype(wide), places, terms.astype(wide), **chosen).astype(
        into.dtype
    )
