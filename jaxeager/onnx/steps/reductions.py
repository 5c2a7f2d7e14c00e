"""Steps that reduce axes, and running sums."""

from __future__ import annotations

import numpy as np

from jaxeager.onnx.converter import Step, refused, step
from jaxeager.onnx.graph_builder import GraphBuilder, value_info
from jaxeager.onnx.sizes import shape_vector

_REDUCED = {
    "reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd",
}  # fmt: skip
_OF_BOOLS = {
    "reduce_or": "ReduceMax", "reduce_and": "ReduceMin", "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin",
}  # fmt: skip
_RUNNING = {"cumprod": "Mul", "cummax": "Max", "cummin": "Min", "cumlogsumexp": ""}


@step(*{**_REDUCED, **_OF_BOOLS})
def _reduce(step: Step, x: str) -> str:
    b, name, axes = step.builder, step.eqn.primitive.name, step.params["axes"]
    if not axes:
        return x
    is_bool = step.dtypes[0] == np.bool_
    if is_bool and 0 in [step.shapes[0][axis] for axis in axes]:
        return b.node(
            "Expand", [b.constant(name == "reduce_and"), shape_vector(b, step.out_shapes[0])]
        )
    if not is_bool and name in ("reduce_or", "reduce_and"):
        raise refused(f"{name} of integers")
    operator = _OF_BOOLS[name] if is_bool else _REDUCED[name]
    x = b.cast(x, "int32") if is_bool else x
    found = b.node(operator, [x, b.integers(*axes)], keepdims=0)
    if not is_bool:
        return found
    # of no elements ReduceMax is the least int, and ReduceMin the greatest
    return b.node("Greater", [found, b.constant(0, "int32")])


@step("argmax", "argmin")
def _argmax(step: Step, x: str) -> str:
    b, (axis,) = step.builder, step.params["axes"]
    operator = "ArgMax" if step.eqn.primitive.name == "argmax" else "ArgMin"
    return b.cast(b.node(operator, [x], axis=axis, keepdims=0), step.params["index_dtype"])


@step("cumsum")
def _cumsum(step: Step, x: str) -> str:
    b = step.builder
    is_reversed = int(step.params["reverse"])
    return b.node("CumSum", [x, b.constant(step.params["axis"], "int64")], reverse=is_reversed)


def _log_of_sum(builder: GraphBuilder, operands: list[str]) -> str:
    """Return log(exp(x) + exp(y))."""
    b = builder
    parts = [b.unsqueeze(each, 0) for each in operands]
    return b.node("ReduceLogSumExp", [b.node("Concat", parts, axis=0), b.integers(0)], keepdims=0)


@step(*_RUNNING)
def _running(step: Step, x: str) -> str:
    """Write a running product or maximum as a Scan along the axis."""
    b, axis, shape = step.builder, step.params["axis"], step.shapes[0]
    part = [size for place, size in enumerate(shape) if place != axis]
    inner = step.converter.inner().builder
    carried, element = inner.name("carried"), inner.name("element")
    operator = _RUNNING[step.eqn.primitive.name]
    pair = [carried, element]
    made = inner.node(operator, pair) if operator else _log_of_sum(inner, pair)
    shown = inner.own(made)
    dtype = step.dtypes[0]
    body = inner.graph(
        inner.name("running"),
        [value_info(carried, dtype, part), value_info(element, dtype, part)],
        [value_info(made, dtype, part), value_info(shown, dtype, part)],
    )
    start = {"cumprod": 1, "cumlogsumexp": -np.inf}.get(step.eqn.primitive.name)
    place = b.constant(-1 if step.params["reverse"] else 0, "int64")
    first = b.node("Gather", [x, place], axis=axis)
    if start is not None:
        first = b.node("Expand", [b.constant(start, dtype), b.node("Shape", [first])])
    direction = int(step.params["reverse"])
    return b.outputs_of(
        "Scan", [first, x], 2, body=body, num_scan_inputs=1, scan_input_axes=[axis],
        scan_output_axes=[axis], scan_input_directions=[direction],
        scan_output_directions=[direction],
    )[1]  # fmt: skip
