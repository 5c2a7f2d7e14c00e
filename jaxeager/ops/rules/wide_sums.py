"""Sums of 16-bit floats, added in float32 and rounded once in every kernel.

Note [Wide sums]
    bfloat16 has 8 bits of precision: 256 + 1 is 256, and a sum in bfloat16 stops there. In JAX
    ``jnp.sum`` adds in float32 by itself. The gradient of a broadcast, running sums and products,
    and scattered sums do not, and gradients consist of those. Rules need not handle this.
    ``adds_in_float32`` traces a rule. If a step sums (or multiplies) many 16-bit floats, it runs
    the traced steps in float32 and rounds the final results. It wraps each kernel
    (ops/call/kernels.py; only ``scatters_in_float64`` is outside of it), so it also sees the
    results of differentiation, to any order.

    - The operands and results of a 16-bit step are float32 if the step is in ``_ADDING`` or
      ``_WIDE``. Any other step keeps its traced dtypes: matrix products and convolutions, whose
      sums XLA adds in float32 on each of its backends and whose factors have to stay narrow to be
      fast; comparisons, because a value may be compared with one that was rounded.
    - Inner functions are inlined. The bodies of loops, branches and functions with a custom
      derivative stay separate, and round their results. Programs for other machinery (a Pallas
      kernel, the parts of a ``shard_map``) are not inspected.
    - A kernel that sums nothing in 16 bits runs as it was traced. One without a 16-bit operand or
      result is traced once, as if this wrapper did not exist.
"""

# JAX has few types for the steps of a program, and none for the structures of its trees.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, jaxpr_as_fun

from jaxeager.core import dtypes

# A function of arrays, from which a kernel is made.
Rule: TypeAlias = Callable[..., Any]
# An operand or result of a step: an array, or the number that a Literal has.
Operand: TypeAlias = Any
# The parameters of a step, of many types.
Params: TypeAlias = dict[str, Any]

_ADDING = frozenset(
    "reduce_sum reduce_prod cumsum cumprod cumlogsumexp reduce_window_sum select_and_scatter_add "
    "scatter-add scatter-mul scatter-sub".split()
)
_WIDE = frozenset(
    "abs add add_any acos acosh asin asinh atan atan2 atanh broadcast_in_dim cbrt ceil clamp "
    "concatenate copy cos cosh cummax cummin digamma div dynamic_slice "
    "dynamic_update_slice erf erfc erf_inv exp exp2 expm1 floor gather integer_pow "
    "lgamma log log1p logistic max min mul neg pad pow reduce_max reduce_min rem reshape rev round "
    "rsqrt select_n sign sin sinh slice split sqrt square squeeze stop_gradient sub tan tanh "
    "transpose".split()
)
_SUMS = frozenset(("add", "add_any"))
_TAKEN_APART = frozenset(("jit", "pjit", "closed_call", "core_call"))
_WITH_PROGRAMS = _TAKEN_APART | frozenset(
    "cond while scan custom_jvp_call custom_vjp_call checkpoint remat2".split()
)


def adds_in_float32(rule: Rule) -> Rule:
    """Return a rule that sums 16-bit floats in float32: see Note [Wide sums].

    Args:
        rule: function of arrays; keyword arguments are passed on untouched.

    Returns:
        a function of the same signature.
    """

    @functools.wraps(rule)
    def wide(*arrays: Any, **attributes: Any) -> Any:
        if not _has_half(arrays):
            out = rule(*arrays, **attributes)
            if not _has_half(out):
                return out
        return _traced_wide(functools.partial(rule, **attributes), arrays)

    return wide


def _has_half(values: object) -> bool:
    return any(_is_half(leaf) for leaf in jax.tree.leaves(values))


def _is_half(value: object) -> bool:
    return getattr(value, "dtype", None) in dtypes.HALF


def _traced_wide(rule: Rule, arrays: tuple[object, ...]) -> Any:
    """Run a rule with its sums in float32."""
    program, out = jax.make_jaxpr(rule, return_shape=True)(*arrays)
    run = functools.partial(_run_rounded, program) if adds(program) else jaxpr_as_fun(program)
    return jax.tree.unflatten(jax.tree.structure(out), run(*jax.tree.leaves(arrays)))


def adds(program: ClosedJaxpr | Jaxpr) -> bool:
    """Return whether a traced program, or one inside it, sums 16-bit floats.

    That is the case if a step does, even on values widened to float32, or if it adds three of them.
    """
    sums: set[Var] = set()
    widened: set[Var] = set()
    for step in program.eqns:
        name, taken = step.primitive.name, [v for v in step.invars if not isinstance(v, Literal)]
        if any(adds(each) for each in programs_in(step)):
            return True
        if name in _ADDING and any(_is_half(v.aval) or v in widened for v in taken):
            return True
        if name in _SUMS and _is_half(step.outvars[0].aval):
            if any(v in sums for v in taken):
                return True
            sums.add(step.outvars[0])
        if name == "convert_element_type" and any(_is_half(v.aval) for v in taken):
            widened.add(step.outvars[0])
    return False


def programs_in(step: JaxprEqn) -> list[ClosedJaxpr | Jaxpr]:
    """Return the programs in a step: bodies of loops, branches, functions."""
    if step.primitive.name not in _WITH_PROGRAMS:
        return []
    values = [v if isinstance(v, (tuple, list)) else (v,) for v in step.params.values()]
    return [each for items in values for each in items if hasattr(each, "eqns")]


def _run_rounded(program: ClosedJaxpr, *arrays: jax.Array) -> list[Operand]:
    """Run a traced program, and round its results to the dtypes it was traced with."""
    outs = run_steps(program, arrays, _run_step)
    return [_as_traced(out, var) for out, var in zip(outs, program.jaxpr.outvars, strict=True)]


def run_steps(
    program: ClosedJaxpr,
    arrays: Iterable[Operand],
    run_step: Callable[[JaxprEqn, list[Operand]], list[Operand]],
) -> list[Operand]:
    """Run a traced program step by step.

    Args:
        program: a ClosedJaxpr.
        arrays: its operands, flat.
        run_step: takes a step and its operands, and returns its results.
    """
    values: dict[Var, Operand] = dict(zip(program.jaxpr.constvars, program.consts, strict=True))
    values.update(zip(program.jaxpr.invars, arrays, strict=True))

    def read(atom: Var | Literal) -> Operand:
        return atom.val if isinstance(atom, Literal) else values[atom]

    for step in program.eqns:
        with step.ctx.manager:
            outs = run_step(step, [read(atom) for atom in step.invars])
        values.update(zip(step.outvars, outs, strict=True))
    return [read(atom) for atom in program.jaxpr.outvars]


def program_in(step: JaxprEqn) -> ClosedJaxpr | None:
    """Return the program of a step that is a function to inline, else None."""
    if step.primitive.name not in _TAKEN_APART:
        return None
    return step.params.get("jaxpr") or step.params["call_jaxpr"]


def scatter_options(params: Params) -> Params:
    """Return the parameters of a scatter step that the functions of ``lax`` accept."""
    named = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")
    return {key: params[key] for key in named}


def _run_step(step: JaxprEqn, operands: list[Operand]) -> list[Operand]:
    """Return the results of one step, in float32 where that is allowed."""
    name, params = step.primitive.name, step.params
    inner = program_in(step)
    if inner is not None:
        return run_steps(inner, operands, _run_step)
    if name == "convert_element_type":
        dtype = jnp.float32 if params["new_dtype"] in dtypes.HALF else params["new_dtype"]
        return [lax.convert_element_type(operands[0], dtype)]
    if name in _SCATTERS:
        # The parameters of these contain a program for two elements, which has a fixed dtype.
        return [_SCATTERS[name](*map(_wide, operands), **scatter_options(params))]
    if name in _ADDING or name in _WIDE:
        operands = [_wide(each) for each in operands]
    else:
        pairs = zip(operands, step.invars, strict=True)
        operands = [_as_traced(each, atom) for each, atom in pairs]
        if name in _WITH_PROGRAMS:
            params = {key: _with_wide_sums(value) for key, value in params.items()}
    outs = step.primitive.bind(*operands, **step.primitive.get_bind_params(params))
    return list(outs) if step.primitive.multiple_results else [outs]


_SCATTERS: dict[str, Callable[..., jax.Array]] = {
    "scatter-add": lax.scatter_add,
    "scatter-sub": lax.scatter_sub,
    "scatter-mul": lax.scatter_mul,
}


def _wide(value: Operand) -> Operand:
    return lax.convert_element_type(value, jnp.float32) if _is_half(value) else value


def _as_traced(value: Operand, atom: Any) -> Operand:
    """Return a value in the dtype with which it was traced."""
    return lax.convert_element_type(value, atom.aval.dtype) if _is_half(atom.aval) else value


def _with_wide_sums(value: Any) -> Any:
    """Return a parameter of a step whose programs compute their sums in float32."""
    return with_programs(value, adds, _run_rounded)


def with_programs(
    value: Any, is_changed: Callable[[Any], bool], run: Callable[..., list[Operand]]
) -> Any:
    """Return a parameter of a step with some of its programs traced again.

    Args:
        value: the parameter: a program, a list or tuple of them, or anything else.
        is_changed: whether a program is traced again.
        run: the function of a ClosedJaxpr and its operands that is traced in its place.
    """
    if type(value) in (tuple, list):
        return type(value)([with_programs(item, is_changed, run) for item in value])
    if not hasattr(value, "eqns") or not is_changed(value):
        return value
    is_closed = isinstance(value, ClosedJaxpr)
    program: Any = value if is_closed else ClosedJaxpr(value, ())
    structs = [
        jax.ShapeDtypeStruct(each.shape, each.dtype, weak_type=each.weak_type)
        for each in program.in_avals
    ]
    traced = jax.make_jaxpr(functools.partial(run, program))(*structs)
    return traced if is_closed else traced.jaxpr
