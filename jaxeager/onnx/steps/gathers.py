"""Gather and scatter.

Note [Places in a line]
    JAX's gather reads slices that begin at computed places, along any axes. Gather of ONNX reads
    along one axis. Where that is what JAX's step does, it is written so. In general the tensor is
    made a line, and the place of each element of the result in it is computed: the sum, over the
    axes, of stride times (start + offset in the slice). A place outside counts as the step's mode
    says. A scatter writes at such places, in a line with one more element, which takes what is
    dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jax.lax import GatherScatterMode as Mode

from jaxeager.core.symbolic import is_symbolic
from jaxeager.onnx.converter import Step, refused, step
from jaxeager.onnx.graph_builder import GraphBuilder
from jaxeager.onnx.sizes import iota, reshape_vector, shape_vector, size_value
from jaxeager.onnx.steps.elementwise import where

if TYPE_CHECKING:
    from jax.lax import GatherDimensionNumbers


_REDUCTIONS = {
    "scatter": "none", "scatter-add": "add", "scatter-sub": "add", "scatter-mul": "mul",
    "scatter-max": "max", "scatter-min": "min",
}  # fmt: skip


@step("gather")
def _gather(step: Step, x: str, starts: str) -> str:
    b, p, shape = step.builder, step.params, step.shapes[0]
    numbers, sizes = p["dimension_numbers"], p["slice_sizes"]
    mode = Mode.from_any(p["mode"])
    axis = _one_axis(numbers, sizes, shape, len(step.shapes[1]) - 1)
    if axis is not None and mode is not Mode.FILL_OR_DROP:
        places = b.squeeze(b.cast(starts, "int64"), len(step.shapes[1]) - 1)
        places = _inside(b, places, shape[axis])
        return b.node("Gather", [x, places], axis=axis)
    offsets = _offset_axes(len(step.out_shapes[0]), numbers.offset_dims)
    places, is_inside = _places(
        step, starts, step.out_shapes[0], offsets, numbers.offset_dims,
        [*numbers.collapsed_slice_dims, *numbers.operand_batching_dims], numbers.start_index_map,
        numbers.operand_batching_dims, numbers.start_indices_batching_dims, sizes, mode,
    )  # fmt: skip
    line = b.reshape(x, b.integers(-1))
    found = b.node("Gather", [line, places], axis=0)
    if is_inside is None:
        return found
    value = p["fill_value"]
    dtype = np.dtype(step.dtypes[0])
    with np.errstate(invalid="ignore"):  # NaN as an integer, as JAX converts it
        value = _no_number(dtype) if value is None else np.asarray(value).astype(dtype)
    return where(b, is_inside, found, b.constant(value, dtype), dtype)


def _no_number(dtype: np.dtype) -> bool | int | float:
    """Return what JAX fills with: NaN, the least signed integer, the greatest unsigned one."""
    if dtype.kind == "b":
        return True
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min
    return np.nan


def _one_axis(
    numbers: GatherDimensionNumbers,
    sizes: Sequence[object],
    shape: Sequence[object],
    index_rank: int,
) -> int | None:
    """Return the axis that ONNX's Gather reads along; None where a step does more."""
    if len(numbers.start_index_map) != 1 or numbers.operand_batching_dims:
        return None
    (axis,) = numbers.start_index_map
    if tuple(numbers.collapsed_slice_dims) != (axis,):
        return None
    others = [a for a in range(len(shape)) if a != axis]
    if any(str(sizes[a]) != str(shape[a]) for a in others):
        return None
    expected = [*range(axis), *range(axis + index_rank, len(others) + index_rank)]
    return axis if list(numbers.offset_dims) == expected else None


def _inside(builder: GraphBuilder, places: str, size: Any) -> str:
    """Return places moved to the nearest one on an axis."""
    last = builder.node("Sub", [size_value(builder, size), builder.constant(1, "int64")])
    if not is_symbolic(size):
        last = builder.constant(max(int(size) - 1, 0), "int64")
    low = builder.node("Max", [places, builder.constant(0, "int64")])
    return builder.node("Min", [low, last])


def _offset_axes(rank: int, offset_dims: Sequence[int]) -> list[int]:
    """Return the axes of a result that are those of the starts."""
    return [axis for axis in range(rank) if axis not in offset_dims]


def _places(
    step: Step, starts: str, out_shape: Sequence[object], batch_axes: Sequence[int],
    offset_dims: Sequence[int], collapsed: Sequence[int], index_map: Sequence[int],
    batching: Sequence[int], start_batching: Sequence[int], sizes: Sequence[object], mode: Mode,
) -> tuple[str, str | None]:  # fmt: skip
    """Return the place in the line of each element of a result, and whether its slice is inside.

    Args:
        step: the gather or scatter; its first operand is the line's tensor.
        starts: the starts of the slices, the last axis along the operand's axes.
        out_shape: the shape of the result of a gather, or of the updates of a scatter.
        batch_axes: the axes of that shape that are those of the starts.
        offset_dims: its axes within the slices.
        collapsed: the operand's axes that are not among these.
        index_map: the operand's axis of each number of a start.
        batching, start_batching: axes of the operand, and of the starts, that are the same.
        sizes: the sizes of the slices.
        mode: what a slice outside counts as.
    """
    b, shape = step.builder, step.shapes[0]
    rank, index_axis = len(out_shape), len(step.shapes[1]) - 1
    starts = b.cast(starts, "int64")
    offset_of = dict(
        zip([a for a in range(len(shape)) if a not in collapsed], offset_dims, strict=True)
    )
    total, inside = None, None
    for axis, size in enumerate(shape):
        place = None
        if axis in index_map:
            number = b.constant(list(index_map).index(axis), "int64")
            place = b.node("Gather", [starts, number], axis=index_axis)
            room = size - sizes[axis]
            if mode is Mode.CLIP:
                place = _inside(b, place, room + 1)
            elif mode is Mode.FILL_OR_DROP:
                fits = b.node(
                    "And",
                    [
                        b.node("GreaterOrEqual", [place, b.constant(0, "int64")]),
                        b.node("LessOrEqual", [place, size_value(b, room)]),
                    ],
                )
                inside = fits if inside is None else b.node("And", [inside, fits])
            place = b.unsqueeze(place, *[a for a in range(rank) if a not in batch_axes])
        elif axis in batching:
            of_start = list(start_batching)[list(batching).index(axis)]
            out_axis = batch_axes[of_start - (of_start > index_axis)]
            place = _along(b, size, out_axis, rank)
        if axis in offset_of and str(sizes[axis]) != "1":
            offset = _along(b, sizes[axis], offset_of[axis], rank)
            place = offset if place is None else b.node("Add", [place, offset])
        if place is None:
            continue
        stride = size_value(b, math.prod(shape[axis + 1 :]))
        part = b.node("Mul", [place, stride])
        total = part if total is None else b.node("Add", [total, part])
    if total is None:
        total = b.constant(0, "int64")
    vector = shape_vector(b, out_shape)
    total = b.node("Expand", [total, vector])
    if inside is None:
        return total, None
    inside = b.unsqueeze(inside, *[a for a in range(rank) if a not in batch_axes])
    inside = b.node("Expand", [inside, vector])
    return b.node("Where", [inside, total, b.constant(0, "int64")]), inside


def _along(builder: GraphBuilder, size: object, axis: int, rank: int) -> str:
    """Return 0, 1, ... along one axis of several."""
    return builder.unsqueeze(iota(builder, size), *[a for a in range(rank) if a != axis])


@step(*_REDUCTIONS)
def _scatter(step: Step, x: str, starts: str, updates: str) -> str:
    b, p, shape = step.builder, step.params, step.shapes[0]
    numbers, mode = p["dimension_numbers"], Mode.from_any(p["mode"])
    inserted = [*numbers.inserted_window_dims, *numbers.operand_batching_dims]
    windows = list(numbers.update_window_dims)
    of_window = iter([step.shapes[2][axis] for axis in windows])
    sizes = [1 if axis in inserted else next(of_window) for axis in range(len(shape))]
    if step.dtypes[0] == np.bool_ and step.eqn.primitive.name != "scatter":
        raise refused(f"{step.eqn.primitive.name} of bool")
    if step.eqn.primitive.name == "scatter" and getattr(p["update_jaxpr"], "eqns", None):
        raise refused("a scatter that applies a function")
    batch_axes = _offset_axes(len(step.shapes[2]), windows)
    places, is_inside = _places(
        step, starts, step.shapes[2], batch_axes, windows, inserted,
        numbers.scatter_dims_to_operand_dims, numbers.operand_batching_dims,
        numbers.scatter_indices_batching_dims, sizes,
        mode,
    )  # fmt: skip
    line = b.reshape(x, b.integers(-1))
    places = b.reshape(places, b.integers(-1))
    updates = b.reshape(updates, b.integers(-1))
    if step.eqn.primitive.name == "scatter-sub":
        updates = b.node("Neg", [updates])
    if is_inside is not None:
        count = size_value(b, math.prod(shape))
        is_inside = b.reshape(is_inside, b.integers(-1))
        places = b.node("Where", [is_inside, places, count])
        line = b.node("Concat", [line, b.constant(np.zeros(1), step.dtypes[0])], axis=0)
    reduction = _REDUCTIONS[step.eqn.primitive.name]
    found = b.node("ScatterElements", [line, places, updates], axis=0, reduction=reduction)
    if is_inside is not None:
        end = shape_vector(b, [math.prod(shape)])
        found = b.node("Slice", [found, b.integers(0), end, b.integers(0)])
    return b.reshape(found, reshape_vector(b, shape))
