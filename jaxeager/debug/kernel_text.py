"""What forward and backward lines of the verbose log share: kernels, and operands' names."""

import functools
from typing import Any

from jaxeager.debug import tensor_text

_KINDS = {
    "Axes": "IntArray", "Axis": "Scalar", "DType": "DataType", "Ints": "vector<int>",
    "Scalar": "Scalar", "Shape": "IntArray", "str": "string", "Static": "Scalar",
}  # fmt: skip

_INPUT_OPS = frozenset(["conv2d", "conv3d", "depthwise_conv2d", "slice"])  # there x is "input"


def operand_label(row, name: str) -> str:
    """Returns Paddle's name of an operand."""
    return "input" if name == "x" and row.api_name in _INPUT_OPS else name


@functools.lru_cache(1024)
def kernel_text(
    name: str, where: tuple[str, str], inputs: tuple, outputs: tuple, kinds: tuple = ()
) -> str:
    """Returns ``add kernel: {"input":[...],...}``.

    Args:
        name: of the kernel.
        where: backend and layout.
        inputs, outputs: dtypes, as text.
        kinds: those of the op's attributes, see ``kinds_of``.
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
def kinds_of(row) -> tuple[str, ...]:
    """Returns what kinds of attributes an op has, as C++ calls them."""
    return tuple([_kind(parameter) for parameter in (row.attrs | row.scalars).values()])


def _kind(parameter) -> str:
    """Returns what kind of attribute a parameter is, as C++ calls it."""
    name = getattr(parameter.annotation, "__name__", str(parameter.annotation))
    return _KINDS.get(name, name)


def backend_of(arrays: list[Any]) -> str:
    """Returns "CPU" or "GPU": where the first of some arrays is."""
    place = tensor_text.place_text(arrays[0]) if arrays else ""
    return place.removeprefix("Place(").rstrip(")").partition(":")[0].upper() or "CPU"
