"""Products of matrices, and convolutions."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.onnx.converter import Step, refused, step
from jaxeager.onnx.steps.shapes import padded, spread

if TYPE_CHECKING:
    from collections.abc import Sequence


@step("dot_general")
def _dot_general(step: Step, x: str, y: str) -> str:
    """Write a product as MatMul where one axis is summed, else as Einsum."""
    b, (contracted, batched) = step.builder, step.params["dimension_numbers"]
    dtype = step.out_dtypes[0]
    if step.dtypes[0] != step.dtypes[1]:
        x, y = b.cast(x, dtype), b.cast(y, dtype)
    operand_dtype = dtype if step.dtypes[0] != step.dtypes[1] else step.dtypes[0]
    of_x, of_y = (list(range(len(shape))) for shape in step.shapes)
    free_x = [a for a in of_x if a not in (*contracted[0], *batched[0])]
    free_y = [a for a in of_y if a not in (*contracted[1], *batched[1])]
    if len(contracted[0]) == 1 and len(free_y) <= 1 and (not batched[0] or len(free_x) <= 1):
        x = b.transpose(x, [*batched[0], *free_x, *contracted[0]])
        y = b.transpose(y, [*batched[1], *contracted[1], *free_y])
        found = _matmul(step, x, y, len(batched[0]), free_x, free_y)
    else:
        found = b.node("Einsum", [x, y], equation=_equation(of_x, of_y, contracted, batched))
    return found if operand_dtype == dtype else b.cast(found, dtype)


def _matmul(step: Step, x: str, y: str, batch: int, free_x: list[int], free_y: list[int]) -> str:
    """Write MatMul of matrices; a vector becomes one, and its axis leaves the result.

    A vector would do, but onnxruntime 1.32 fuses a transposition into a product with a vector, and
    computes another one (tests/onnx/steps/test_contractions.py shows it).
    """
    b = step.builder
    if not free_x and not free_y and not batch:
        return b.node("MatMul", [x, y])
    x = x if free_x else b.unsqueeze(x, batch)
    y = y if free_y else b.unsqueeze(y, batch + 1)
    rank = batch + max(len(free_x), 1) + 1
    extra = [rank - 2] * (not free_x) + [rank - 1] * (not free_y)
    return b.squeeze(b.node("MatMul", [x, y]), *extra)


def _equation(
    of_x: list[int],
    of_y: list[int],
    contracted: tuple[Sequence[int], Sequence[int]],
    batched: tuple[Sequence[int], Sequence[int]],
) -> str:
    letters = iter(string.ascii_lowercase)
    names_x = [next(letters) for _ in of_x]
    names_y = [""] * len(of_y)
    for pair in (*zip(*contracted, strict=True), *zip(*batched, strict=True)):
        names_y[pair[1]] = names_x[pair[0]]
    names_y = [name or next(letters) for name in names_y]
    batch = [names_x[axis] for axis in batched[0]]
    rest_x = [n for a, n in enumerate(names_x) if a not in (*contracted[0], *batched[0])]
    rest_y = [n for a, n in enumerate(names_y) if a not in (*contracted[1], *batched[1])]
    return f"{''.join(names_x)},{''.join(names_y)}->{''.join(batch + rest_x + rest_y)}"


@step("conv_general_dilated")
def _conv_general_dilated(step: Step, x: str, kernel: str) -> str:
    b, p = step.builder, step.params
    numbers, count = p["dimension_numbers"], len(step.shapes[0]) - 2
    if p["batch_group_count"] != 1:
        raise refused("a convolution with groups of the batch")
    x = b.transpose(x, numbers.lhs_spec)
    kernel = b.transpose(kernel, numbers.rhs_spec)
    shape = [step.shapes[0][axis] for axis in numbers.lhs_spec]
    for axis, factor in enumerate(p["lhs_dilation"], 2):
        if factor > 1:
            x = spread(b, x, shape, axis, factor - 1)
            shape[axis] = (shape[axis] - 1) * factor + 1
    padding = list(p["padding"])
    if any(amount < 0 for pair in padding for amount in pair):
        x = padded(b, x, [(0, 0), (0, 0), *padding])
        padding = [(0, 0)] * count
    is_int = np.dtype(step.dtypes[0]).kind in "iu"
    if is_int:
        raise refused("a convolution of integers")
    found = b.node(
        "Conv",
        [x, kernel],
        strides=list(p["window_strides"]),
        pads=[int(low) for low, _ in padding] + [int(high) for _, high in padding],
        dilations=list(p["rhs_dilation"]),
        group=p["feature_group_count"],
        kernel_shape=[int(step.shapes[1][axis]) for axis in numbers.rhs_spec[2:]],
    )
    return b.transpose(found, np.argsort(numbers.out_spec).tolist())
