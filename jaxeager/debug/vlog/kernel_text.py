"""Texts that forward and backward lines of the verbose log share: kernels, operands' names."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from jaxeager.debug.common import tensor_text
from jaxeager.graph import events
from jaxeager.ops.rules import attrs

_KINDS = {
    attrs.Scalar: "Scalar", attrs.as_axes: "IntArray", attrs.as_axis: "Scalar",
    attrs.as_dtype: "DataType", attrs.as_ints: "vector<int>",
    attrs.as_optional_float: "OptionalFloat", attrs.as_shape: "IntArray",
    attrs.as_static: "Scalar", str: "string", attrs.as_one_axis: "Scalar",
    attrs.as_whole_axis: "Scalar", attrs.as_whole: "Scalar", attrs.as_int: "int",
}  # fmt: skip

_INPUT_OPS = frozenset(["conv2d", "conv3d", "depthwise_conv2d", "slice"])  # their x is "input"


def operand_label(row, name: str) -> str:
    """Return Paddle's name of an operand."""
    return "input" if name == "x" and row.api_name in _INPUT_OPS else name


@functools.lru_cache(1024)
def kernel_text(
    name: str, where: tuple[str, str], inputs: tuple, outputs: tuple, kinds: tuple = ()
) -> str:
    """Return ``add kernel: {"input":[...],...}``.

    Args:
        name: the name of the kernel.
        where: backend and layout.
        inputs, outputs: dtypes, as text.
        kinds: the kinds of the op's attributes, see ``kinds_of``.
    """
    backend, layout = where
    lists = [
        [f"backend: {backend},  layout: {layout},  dtype: {dtype}" for dtype in dtypes]
        for dtypes in (inputs, outputs)
    ]
    quoted = [f'"{kind}"' for kind in kinds]
    parts = zip(("input", "output", "attribute"), (*lists, quoted), strict=True)
    return f"{name} kernel: {{" + ",\n".join(_part(*each) for each in parts) + "}"


def _part(name: str, lines: list[str]) -> str:
    listed = ",\n".join(f"\t{line}" for line in lines)
    return f'"{name}":[\n{listed}\n]' if listed else f'"{name}":[\n]'


@functools.lru_cache(1024)
def kinds_of(row, kernel: str) -> tuple[str, ...]:
    """Return the C++ types of a kernel's attributes.

    They are those that Paddle prints, which tools/record_kernel_attributes.py has recorded; for a
    kernel that is not recorded, those of the attributes here.

    Args:
        row: the op.
        kernel: Paddle's name of its kernel, or of the kernel of its gradient.
    """
    found = _recorded().get(kernel)
    if found is not None:
        return tuple(found)
    return tuple([_kind(parameter) for parameter in (row.attrs | row.scalars).values()])


@functools.cache
def _recorded() -> dict[str, list[str]]:
    text = Path(__file__).with_name("kernel_attributes.json").read_text(encoding="utf-8")
    return json.loads(text)


def _kind(parameter) -> str:
    """Return the C++ type of a parameter that is an attribute."""
    kind = parameter.annotation
    return _KINDS.get(kind) or attrs.UNCHANGED.get(kind) or kind.__name__


def backend_of(arrays: list[object]) -> str:
    """Return "CPU" or "GPU", the place of the first of some arrays."""
    place = tensor_text.place_text(arrays[0]) if arrays else ""
    return place.removeprefix("Place(").rstrip(")").partition(":")[0].upper() or "CPU"


# ---- of a forward call


def key_text(call: events.Call) -> str:
    """Return the line with the key by which a call selected its kernel."""
    arrays = _flat(call.arrays)
    found = arrays or _flat(call.results)
    first = next((each for each in found if each.dtype.kind in "fcV"), found[0] if found else None)
    dtype = "Undefined" if first is None else tensor_text.dtype_text(first)
    layout = "NCHW" if arrays else "Undefined(AnyLayout)"
    return f"{call.row.api_name} API kernel key: [{backend_of(found)}, {layout}, {dtype}]"


def dispatch_texts(arrays) -> list[str]:
    """Return a line per tensor with the device whose kernels are searched."""
    return [f"update BackendSet by tensor: add [{backend_of([each])}]" for each in _flat(arrays)]


def _flat(arrays) -> list:
    return [
        each for array in arrays
        for each in (array if isinstance(array, list) else [array]) if each is not None
    ]  # fmt: skip


def call_text(call: events.Call, labels: tuple[str, ...]) -> str:
    """Return the ``kernel_text`` of a call.

    Args:
        call: the call of an op, whose kernel has run.
        labels: the name of each operand, "" for one that is not shown.
    """
    row, outputs = call.row, _flat(call.results)
    labelled = zip(labels, call.arrays, strict=False)
    arrays = [array for label, array in labelled if label]
    inputs = _flat([each[:1] if isinstance(each, list) else each for each in arrays])
    layout = "NCHW" if row.view is None else "STRIDED"
    where = backend_of(inputs or outputs), layout
    operand_dtypes = tuple([tensor_text.dtype_text(each) for each in inputs])
    made = tuple(
        [tensor_text.dtype_text(each) for each in outputs[: 1 if row.returns_list else None]]
    )
    return kernel_text(row.api_name, where, operand_dtypes, made, kinds_of(row, row.api_name))


def cache_text(call: events.Call) -> str:
    """Return which kernel was selected, and whether it existed; Paddle has no such line."""
    pairs = zip(call.row.attrs, call.attrs, strict=True)
    key = ", ".join(f"{name}={getattr(value, 'name', repr(value))}" for name, value in pairs)
    shapes = ", ".join(f"{tensor_text.dtype_text(a)}{list(a.shape)}" for a in _flat(call.arrays))
    text = f"{call.row.api_name} kernel cache: "
    text += f"{'compiled for' if call.is_compiled else 'hit for'} ({shapes})"
    text += f" with {key}" if key else ""
    return f"{text}, for backward" if call.is_recorded and call.row.hidden else text
