"""The steps of a row on an axis longer than int32 counts, found by tracing without memory."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxprs_in_params

from jaxeager.ops.call import kernels
from jaxeager.ops.row import NONDIFF, OpRow
from tests.support import cases

LONG = 2**31 + 8
_INDICES = {"dynamic_slice": slice(1, None), "dynamic_update_slice": slice(2, None)}
_COUNTS = ("reduce_sum", "cumsum", "argmax", "argmin")


def trials(row: OpRow) -> Iterator[tuple[cases.Case, int]]:
    """Yield the samples of a row, each with the sizes of its first operand."""
    seen: set[int] = set()
    for case in cases.cases_of(row):
        if case.number in seen:
            continue
        seen.add(case.number)
        first = case.sample.inputs[0] if case.sample.inputs else None
        first = first[0] if isinstance(first, list) else first
        for size in sorted({size for size in getattr(first, "shape", ()) if size > 1}):
            yield case, size


def narrow_steps(case: cases.Case, size: int) -> list[str]:
    """Return the steps of a row, forward and backward, that count an axis in too few bits.

    Args:
        case: a sample of a row.
        size: every axis of this size is made longer than int32 counts; integers are int32.
    """
    row = case.row
    attrs = tuple(cases.static_of(row, case.sample).values())
    scalars = cases.scalars_of(row, case.sample, "float32")
    forward = kernels.forward_rule(row, attrs, with_hidden=True)
    arrays = [_long(each, size) for each in cases.inputs(case)]
    arrays += [None] * (len(row.operands) - len(arrays))
    steps = _narrow_in(jax.make_jaxpr(forward)(*arrays, *scalars.values()).jaxpr)
    if row.vjp is NONDIFF or row.has_lists or row.returns_list:
        return list(steps)
    out = jax.eval_shape(forward, *arrays, *scalars.values())
    names = (*row.outputs, *row.hidden)
    outs = {names[0]: out} if len(names) == 1 else dict(zip(names, out, strict=True))
    given = dict(zip((each.name for each in row.operands), arrays, strict=True)) | outs
    shapes = tuple(_shape_of(given[name]) for name in row.shapes)
    mask = tuple(given[each.name] is not None for each in row.differentiable)
    backward = kernels.vjp_rule(row, attrs, mask, shapes, None)
    saved = [given[name] for name in row.saves]
    grads = [outs[name] for name in row.outputs]
    program = jax.make_jaxpr(backward)(*saved, *scalars.values(), *grads)
    return [*steps, *_narrow_in(program.jaxpr)]


def _shape_of(value):
    return None if value is None else (value.shape, value.dtype)


def _long(value, size: int):
    if isinstance(value, list):
        return [_long(each, size) for each in value]
    if not isinstance(value, np.ndarray):
        return value
    shape = tuple(LONG if each == size else each for each in value.shape)
    dtype = np.dtype(np.int32) if value.dtype.kind == "i" else value.dtype
    return jax.ShapeDtypeStruct(shape, dtype)


def _narrow_in(jaxpr) -> Iterator[str]:
    for step in jaxpr.eqns:
        if _is_narrow(step):
            operands = ", ".join(each.aval.str_short() for each in step.invars)
            yield f"{step.primitive.name}({operands}) -> {step.outvars[0].aval.str_short()}"
        for inner in jaxprs_in_params(step.params):
            yield from _narrow_in(inner)


def _is_narrow(step: Any) -> bool:
    """Return whether a step counts the places of a long axis in a dtype that does not reach."""
    name, out = step.primitive.name, step.outvars[0].aval
    if name == "iota":
        return out.shape[step.params["dimension"]] >= LONG and _is_short(out.dtype)
    shape: tuple = getattr(step.invars[0].aval, "shape", ()) if step.invars else ()
    if name in _INDICES:
        starts = step.invars[_INDICES[name]]
        return any(
            n >= LONG and _is_short(at.aval.dtype) for n, at in zip(shape, starts, strict=True)
        )
    if name == "gather" or name.startswith("scatter"):
        numbers = step.params["dimension_numbers"]
        is_read = name == "gather"
        indexed = numbers.start_index_map if is_read else numbers.scatter_dims_to_operand_dims
        is_far = any(shape[axis] >= LONG for axis in indexed)
        return is_far and _is_short(step.invars[1].aval.dtype)
    axes = step.params.get("axes", (step.params.get("axis", 0),))
    is_count = name in _COUNTS and any(shape[axis] >= LONG for axis in axes)
    return is_count and out.dtype == np.int32


def _is_short(dtype) -> bool:
    return jnp.issubdtype(dtype, jnp.integer) and jnp.iinfo(dtype).max < LONG
