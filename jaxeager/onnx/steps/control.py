"""Branches and loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import jaxpr_as_fun

from jaxeager.onnx.converter import (
    Converter,
    Refused,
    Step,
    refused,
    step,
    step_of_programs,
)
from jaxeager.onnx.graph_builder import value_info
from jaxeager.onnx.sizes import iota

if TYPE_CHECKING:
    from jax.core import ShapedArray
    from onnx import GraphProto, ValueInfoProto

    from jaxeager.onnx.converter import Value


@step("platform_index")
def _platform_index(step: Step) -> np.ndarray:
    """Choose the kernels for any platform: see Note [From a program to ONNX]."""
    platforms = list(step.params["platforms"])
    if None not in platforms:
        raise refused("a kernel that depends on the platform")
    return np.asarray(platforms.index(None), step.out_dtypes[0])


@step_of_programs("cond")
def _cond(step: Step, operands: list) -> Sequence[Value]:
    branches, index = step.params["branches"], step.known(0)
    if index is not None or len(branches) == 1:
        return step.converter.run(branches[int(index or 0)], operands[1:])
    which = step.converter.named(operands[0])
    return _choice(step.converter, step, which, 0, branches, operands[1:])


def _choice(
    converter: Converter, step: Step, which: str, first: int, branches: Sequence, operands: list
) -> list[Value]:
    """Write the choice of a branch: ``If`` of the lower and the upper half, and so on.

    So the graphs are not deep: protobuf reads at most 100 messages within one another.
    """
    if len(branches) == 1:
        return converter.run(branches[0], operands)
    b, middle = converter.builder, len(branches) // 2
    if step.dtypes[0] == np.bool_:
        is_low = b.node("Not", [which])
    else:
        is_low = b.node("Less", [which, b.constant(first + middle, step.dtypes[0])])
    here, other = converter.inner(), converter.inner()
    found = _choice(here, step, which, first, branches[:middle], operands)
    rest = _choice(other, step, which, first + middle, branches[middle:], operands)
    kept = [place for place in _kept(found) if place in _kept(rest)]
    made: list[str] = []
    if kept:
        made = b.outputs_of(
            "If", [is_low], len(kept),
            then_branch=_branch_graph(here, step, found, kept),
            else_branch=_branch_graph(other, step, rest, kept),
        )  # fmt: skip
    reasons = [f if isinstance(f, Refused) else r for f, r in zip(found, rest, strict=True)]
    return _spread(made, kept, reasons)


def _kept(values: Sequence[Value]) -> list[int]:
    """Return the places of values that are not refused."""
    return [place for place, value in enumerate(values) if not isinstance(value, Refused)]


def _spread(made: Sequence[str], kept: Sequence[int], others: Sequence[Value]) -> list[Value]:
    """Return results in their places, and in between what is there in another list."""
    found = list(others)
    for place, name in zip(kept, made, strict=True):
        found[place] = name
    return found


def _branch_graph(
    converter: Converter, step: Step, results: Sequence[Value], kept: list[int]
) -> GraphProto:
    """Return the graph of a branch, whose results are values made in it."""
    inner = converter.builder
    shown = [inner.own(converter.named(results[place])) for place in kept]
    outputs = [
        value_info(name, step.out_dtypes[place], step.out_shapes[place])
        for name, place in zip(shown, kept, strict=True)
    ]
    return inner.graph(inner.name("branch"), [], outputs)


@step_of_programs("while")
def _while(step: Step, operands: list) -> list[Value]:
    """Write ``while`` as a Loop without a bound."""
    p, converter = step.params, step.converter
    if p["cond_jaxpr"].out_avals[0].shape:
        p, operands = _with_one_condition(p, operands)
    of_condition, of_body = p["cond_nconsts"], p["body_nconsts"]
    condition_consts = operands[:of_condition]
    body_consts = operands[of_condition : of_condition + of_body]
    state = operands[of_condition + of_body :]
    begins = [converter.named(v) for v in converter.run(p["cond_jaxpr"], condition_consts + state)]
    inner = converter.inner()
    b, kept = inner.builder, _kept(state)
    number, goes_on = b.name("iteration"), b.name("condition")
    carried = [b.name("state") for _ in kept]
    made = inner.run(p["body_jaxpr"], body_consts + _spread(carried, kept, state))
    still = inner.run(p["cond_jaxpr"], condition_consts + made)
    results = [b.own(inner.named(value)) for value in (*still, *[made[place] for place in kept])]
    kinds = [(step.out_dtypes[place], step.out_shapes[place]) for place in kept]
    of_state = [value_info(n, *kind) for n, kind in zip(carried, kinds, strict=True)]
    of_results = [value_info(n, *kind) for n, kind in zip(results[1:], kinds, strict=True)]
    body = b.graph(
        b.name("body"),
        [value_info(number, "int64", ()), value_info(goes_on, "bool", ()), *of_state],
        [value_info(results[0], "bool", ()), *of_results],
    )
    first = [converter.named(state[place]) for place in kept]
    found = step.builder.outputs_of("Loop", ["", *begins, *first], len(kept), body=body)
    return _spread(found, kept, state)


def _with_one_condition(params: Mapping[str, Any], operands: list) -> tuple[dict, list]:
    """Return a loop of many, as vmap makes it, as one that goes on while any of them does.

    The state of those that have ended stays as it is.
    """
    of_condition, of_body = params["cond_nconsts"], params["body_nconsts"]
    goes_on, body = map(jaxpr_as_fun, (params["cond_jaxpr"], params["body_jaxpr"]))

    def any_goes_on(*values: jax.Array) -> list[jax.Array]:
        return [jnp.any(goes_on(*values)[0])]

    def step_of_some(*values: jax.Array) -> list[jax.Array]:
        consts, state = values[:of_condition], values[of_condition + of_body :]
        (some,) = goes_on(*consts, *state)
        made = body(*values[of_condition:])
        return [
            jnp.where(lax.expand_dims(some, range(some.ndim, new.ndim)), new, old)
            for new, old in zip(made, state, strict=True)
        ]

    consts, state = params["cond_jaxpr"].in_avals[:of_condition], params["body_jaxpr"].in_avals
    changed = {
        "cond_jaxpr": jax.make_jaxpr(any_goes_on)(*params["cond_jaxpr"].in_avals),
        "body_jaxpr": jax.make_jaxpr(step_of_some)(*consts, *state),
        "body_nconsts": of_condition + of_body,
    }
    return {**params, **changed}, [*operands[:of_condition], *operands]


@step_of_programs("scan")
def _scan(step: Step, operands: list) -> list[Value]:
    """Write ``scan`` as Scan."""
    p, converter = step.params, step.converter
    consts, carries = _counts(p)
    state, rows = operands[consts : consts + carries], operands[consts + carries :]
    if p["length"] == 0:
        kinds = zip(step.out_shapes[carries:], step.out_dtypes[carries:], strict=True)
        return [*state, *[np.zeros(shape, dtype) for shape, dtype in kinds]]
    inner = converter.inner()
    b, kept = inner.builder, _kept([*state, *rows])
    avals = [each.aval for each in p["jaxpr"].jaxpr.invars[consts:]]
    names = [b.name("state" if place < carries else "row") for place in kept]
    given = operands[:consts] + _spread(names, kept, [*state, *rows])
    made = inner.run(p["jaxpr"], given)
    shown = [place for place in _kept(made) if place >= carries or place in kept]
    if not shown:
        return [*state, *made[carries:]]
    declared = [_declared(name, avals[place]) for name, place in zip(names, kept, strict=True)]
    results = [b.own(inner.named(made[place])) for place in shown]
    outputs = [each.aval for each in p["jaxpr"].jaxpr.outvars]
    of_results = [_declared(n, outputs[place]) for n, place in zip(results, shown, strict=True)]
    first = [converter.named([*state, *rows][place]) for place in kept]
    count = sum(place >= carries for place in kept)
    if not count:  # Scan needs rows
        first.append(iota(step.builder, p["length"]))
        declared.append(value_info(b.name("row"), "int64", ()))
    direction, stacked = int(p["reverse"]), sum(place >= carries for place in shown)
    found = step.builder.outputs_of(
        "Scan", first, len(shown), body=b.graph(b.name("body"), declared, of_results),
        num_scan_inputs=count or 1, scan_input_directions=[direction] * (count or 1),
        scan_output_directions=[direction] * stacked if stacked else None,
    )  # fmt: skip
    return _spread(found, shown, [*state, *made[carries:]])


def _counts(params: dict) -> tuple[int, int]:
    """Return how many constants and carried values a scan has; JAX 0.12 has them as trees."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carried, _ = params["ft_in"].unpack()
    return len(consts), len(carried)


def _declared(name: str, aval: ShapedArray) -> ValueInfoProto:
    return value_info(name, aval.dtype, aval.shape)
