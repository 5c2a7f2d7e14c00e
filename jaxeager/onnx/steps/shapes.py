"""Steps that only move elements, or repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxeager.core.symbolic import is_symbolic
from jaxeager.onnx.converter import Step, step
from jaxeager.onnx.graph_builder import INT64_MIN, GraphBuilder
from jaxeager.onnx.sizes import iota, reshape_vector, shape_vector


@step("reshape")
def _reshape(step: Step, x: str) -> str:
    return step.builder.reshape(x, reshape_vector(step.builder, step.out_shapes[0]))


@step("squeeze")
def _squeeze(step: Step, x: str) -> str:
    return step.builder.squeeze(x, *step.params["dimensions"])


@step("expand_dims")
def _expand_dims(step: Step, x: str) -> str:
    return step.builder.unsqueeze(x, *step.params["dimensions"])


@step("broadcast_in_dim")
def _broadcast_in_dim(step: Step, x: str, *sizes: str) -> str:
    shape, places = step.out_shapes[0], step.params["broadcast_dimensions"]
    x = step.builder.unsqueeze(x, *[axis for axis in range(len(shape)) if axis not in places])
    before = [step.shapes[0][places.index(a)] if a in places else 1 for a in range(len(shape))]
    if all(_is_same(old, new) for old, new in zip(before, shape, strict=True)):
        return x
    return step.builder.node("Expand", [x, shape_vector(step.builder, shape)])


def _is_same(old: object, new: object) -> bool:
    return str(old) == str(new)


@step("transpose")
def _transpose(step: Step, x: str) -> str:
    return step.builder.transpose(x, step.params["permutation"])


@step("rev")
def _rev(step: Step, x: str) -> str:
    axes = step.params["dimensions"]
    b, last = step.builder, [-1] * len(axes)
    ends = [INT64_MIN] * len(axes)
    inputs = [x, b.integers(*last), b.integers(*ends), b.integers(*axes), b.integers(*last)]
    return b.node("Slice", inputs) if axes else x


@step("slice")
def _slice(step: Step, x: str) -> str:
    starts, ends = step.params["start_indices"], step.params["limit_indices"]
    strides = step.params["strides"] or [1] * len(starts)
    axes = [
        axis
        for axis, size in enumerate(step.shapes[0])
        if not (_is_same(starts[axis], 0) and _is_same(ends[axis], size) and strides[axis] == 1)
    ]
    if not axes:
        return x
    chosen = [[each[axis] for axis in axes] for each in (starts, ends, strides)]
    b = step.builder
    vectors = [shape_vector(b, each) for each in chosen]
    return b.node("Slice", [x, vectors[0], vectors[1], b.integers(*axes), vectors[2]])


@step("concatenate")
def _concatenate(step: Step, *operands: str) -> str:
    return step.builder.node("Concat", operands, axis=step.params["dimension"])


@step("stack")
def _stack(step: Step, *operands: str) -> str:
    axis = step.params["axis"]
    return step.builder.node(
        "Concat", [step.builder.unsqueeze(each, axis) for each in operands], axis=axis
    )


@step("split")
def _split(step: Step, x: str) -> list[str]:
    sizes = step.params["sizes"]
    vector = shape_vector(step.builder, sizes)
    return step.builder.outputs_of("Split", [x, vector], len(sizes), axis=step.params["axis"])


@step("unstack")
def _unstack(step: Step, x: str) -> list[str]:
    b, axis, count = step.builder, step.params["axis"], len(step.out_shapes)
    parts = b.outputs_of("Split", [x], count, axis=axis, num_outputs=count)
    return [b.squeeze(part, axis) for part in parts]


@step("tile")
def _tile(step: Step, x: str) -> str:
    reps = step.params["reps"]
    x = step.builder.unsqueeze(x, *range(len(reps) - len(step.shapes[0])))
    return step.builder.node("Tile", [x, shape_vector(step.builder, reps)])


@step("iota")
def _iota(step: Step, *sizes: str) -> str:
    shape, axis = step.out_shapes[0], step.params["dimension"]
    b = step.builder
    vector = iota(b, shape[axis], step.out_dtypes[0])
    vector = b.unsqueeze(vector, *[each for each in range(len(shape)) if each != axis])
    return b.node("Expand", [vector, shape_vector(b, shape)]) if len(shape) > 1 else vector


@step("pad")
def _pad(step: Step, x: str, value: str) -> str:
    config, shape = step.params["padding_config"], list(step.shapes[0])
    for axis, (_, _, between) in enumerate(config):
        if between:
            x = spread(step.builder, x, shape, axis, int(between), value)
            shape[axis] = shape[axis] + (shape[axis] - 1) * between
    return padded(step.builder, x, [(low, high) for low, high, _ in config], value)


def padded(
    builder: GraphBuilder, x: str, amounts: Sequence[tuple[Any, Any]], value: str = ""
) -> str:
    """Return a tensor with elements added before and after each axis; cut where it is negative."""
    lows, highs = [low for low, _ in amounts], [high for _, high in amounts]
    if all(_is_same(each, 0) for each in (*lows, *highs)):
        return x
    return builder.node("Pad", [x, shape_vector(builder, [*lows, *highs]), value], mode="constant")


def spread(
    builder: GraphBuilder, x: str, shape: Sequence[Any], axis: int, between: int, value: str = ""
) -> str:
    """Return a tensor with elements added between those of an axis.

    Each element gets an axis of its own, which is padded, and joined again.
    """
    size = shape[axis]
    if not is_symbolic(size) and size < 2:
        return x
    x = builder.unsqueeze(x, axis + 1)
    amounts = [(0, 0)] * (len(shape) + 1)
    amounts[axis + 1] = (0, between)
    x = padded(builder, x, amounts, value)
    joined = list(shape)
    joined[axis] = size * (between + 1)
    x = builder.reshape(x, reshape_vector(builder, joined))
    end = shape_vector(builder, [joined[axis] - between])
    return builder.node("Slice", [x, builder.integers(0), end, builder.integers(axis)])


@step("dynamic_slice")
def _dynamic_slice(step: Step, x: str, *starts: str) -> str:
    b, sizes = step.builder, step.params["slice_sizes"]
    if not sizes:
        return x
    begin = clamped_starts(step, starts, step.shapes[0], sizes)
    end = b.node("Add", [begin, shape_vector(b, sizes)])
    return b.node("Slice", [x, begin, end, b.integers(*range(len(sizes)))])


def clamped_starts(
    step: Step, starts: Sequence[str], shape: Sequence[Any], sizes: Sequence[Any]
) -> str:
    """Return the vector of the starts of a slice, moved so that the slice is inside."""
    b = step.builder
    parts = [b.unsqueeze(b.cast(start, "int64"), 0) for start in starts]
    begin = parts[0] if len(parts) == 1 else b.node("Concat", parts, axis=0)
    room = [size - part for size, part in zip(shape, sizes, strict=True)]
    inside = b.node("Min", [begin, shape_vector(b, room)])
    return b.node("Max", [inside, b.constant(0, "int64")])


@step("dynamic_update_slice")
def _dynamic_update_slice(step: Step, x: str, part: str, *starts: str) -> str:
    """Write a part at a start: the part, padded to the whole, where a mask is."""
    b, shape, sizes = step.builder, step.shapes[0], step.shapes[1]
    if not shape:
        return part
    begin = clamped_starts(step, starts, shape, sizes)
    room = b.node("Sub", [shape_vector(b, shape), b.node("Add", [begin, shape_vector(b, sizes)])])
    amounts = b.node("Concat", [begin, room], axis=0)
    mask = b.node("Expand", [b.constant(1, "int32"), shape_vector(b, sizes)])
    is_written = b.cast(b.node("Pad", [mask, amounts], mode="constant"), "bool")
    return b.node("Where", [is_written, b.node("Pad", [part, amounts], mode="constant"), x])
