"""Sorting, and the greatest elements."""

from __future__ import annotations

import numpy as np

from jaxeager.onnx.converter import Step, refused, step
from jaxeager.onnx.sizes import shape_vector


@step("sort")
def _sort(step: Step, *operands: str) -> list[str]:
    """Sort operands by the first of them: TopK of all is a stable sort, from the last key on."""
    b, axis = step.builder, step.params["dimension"]
    count = shape_vector(b, [step.shapes[0][axis]])
    sorted_ = list(operands)
    for key in reversed(range(step.params["num_keys"])):
        if step.dtypes[key] == np.uint64:
            raise refused("a sort by uint64")
        places = b.outputs_of("TopK", [sorted_[key], count], 2, axis=axis, largest=0, sorted=1)[1]
        sorted_ = [b.node("GatherElements", [each, places], axis=axis) for each in sorted_]
    return sorted_


@step("top_k")
def _top_k(step: Step, x: str) -> list[str]:
    b = step.builder
    axis = step.params.get("axis", -1)
    count = shape_vector(b, [step.params["k"]])
    values, places = b.outputs_of("TopK", [x, count], 2, axis=axis, largest=1, sorted=1)
    return [values, b.cast(places, step.out_dtypes[1])]
