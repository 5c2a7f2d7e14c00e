"""The printed form of a Tensor: the same as Paddle's, digit by digit."""

import math

import jax
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import host_values
from jaxeager.core import ports
from jaxeager.errors import InvalidTypeError
from jaxeager.graph.mode import grad_mode
from jaxeager.tensor.host_reads import read_array

_options = {"precision": 8, "threshold": 1000, "edgeitems": 3, "sci_mode": False, "linewidth": 80}


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Set the format of printed tensors.

    Args:
        precision: digits after the point, initially 8.
        threshold: number of elements above which a tensor is summarised, initially 1000.
        edgeitems: elements shown at each end of a summarised dimension, initially 3.
        sci_mode: whether floats are shown as 1.5e+00.
        linewidth: characters in a line, initially 80.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_printoptions(precision=3)
        >>> print(paddle.to_tensor(1.23456).item() > 1)
        True
        >>> paddle.set_printoptions(precision=8)
    """
    given = {
        "precision": precision, "threshold": threshold, "edgeitems": edgeitems,
        "sci_mode": sci_mode, "linewidth": linewidth,
    }  # fmt: skip
    for key, value in given.items():
        if value is not None:
            if not isinstance(value, (int, bool)):
                raise InvalidTypeError(f"{key} must be an integer, but received {value!r}.")
            _options[key] = value


def tensor_repr(tensor) -> str:
    """Return ``Tensor(shape=..., dtype=..., place=..., stop_gradient=..., values)``."""
    array = read_array(tensor)
    head = (
        f"Tensor(shape={list(array.shape)}, dtype={array.dtype.name}, place={_place(tensor)}, "
        f"stop_gradient={tensor.stop_gradient},{_placement(tensor)}\n"
    )
    capture = grad_mode.capture
    if isinstance(array, jax.ShapeDtypeStruct):  # what jax.eval_shape returns
        return f"{head}       {array})"
    if isinstance(array, Tracer) and (capture is None or capture.shows_traced):
        return f"{head}       {array})"
    return f"{head}       {format_array(host_values(array), indent=7)})"


def _placement(tensor) -> str:
    """Return the placement of a tensor on a mesh of devices; "" on one device."""
    layout = ports.layout_of(tensor)
    if layout is None:
        return ""
    placements = list(layout.placements)
    return f" process_mesh={layout.mesh._text()}, placements={placements}, GlobalDenseTensor="


def _place(tensor) -> str:
    try:
        return repr(tensor.place)
    except Exception:  # a tracer is on no device yet
        return "Place(traced)"


def format_array(values: np.ndarray, indent: int) -> str:
    """Return the values in brackets, aligned, summarised when there are many."""
    if values.dtype.name in ("bfloat16", "float16"):
        values = values.astype(np.float32)
    shown_items = math.prod([size for size in values.shape if size])  # brackets if empty
    summarise = shown_items > _options["threshold"]
    shown = _edges(values) if summarise else values
    texts = [_format_item(item) for item in shown.reshape(-1)]
    signed = shown.dtype != bool and any(_is_negative(item) for item in shown.reshape(-1))
    width = max((len(text) for text in texts), default=0)
    return _format_block(values, indent, width, signed, summarise)


def _edges(values: np.ndarray) -> np.ndarray:
    """Return the elements that a summary shows, as a smaller array."""
    edge = _options["edgeitems"]
    for axis, size in enumerate(values.shape):
        if size > 2 * edge:
            keep = [*range(edge), *range(size - edge, size)]
            values = np.take(values, keep, axis=axis)
    return values


def _format_item(item) -> str:
    precision = _options["precision"]
    if np.issubdtype(type(item), np.floating):
        if _options["sci_mode"]:
            return f"{item:.{precision}e}"
        return f"{item:.0f}." if np.ceil(item) == item else f"{item:.{precision}f}"
    if np.issubdtype(type(item), np.complexfloating):
        form = f".{precision}e" if _options["sci_mode"] else f".{precision}f"
        sign = "+" if item.imag >= 0 or np.isnan(item.imag) else ""  # so -0.0 is shown as +-0.0
        return f"({item.real:{form}}{sign}{item.imag:{form}}j)"
    return str(item)


def _is_negative(item) -> bool:
    """Return whether a number is below 0; complex ones are ordered by their real parts first."""
    if np.iscomplexobj(item):
        return item.real < 0 or (item.real == 0 and item.imag < 0)
    return item < 0


def _padded(item, width: int, signed: bool) -> str:
    text = _format_item(item)
    if len(text) >= width:
        return text
    if signed and not _is_negative(item):
        return " " + text.ljust(width - 1)
    return text.ljust(width)


def _format_block(
    values: np.ndarray, indent: int, width: int, signed: bool, summarise: bool
) -> str:
    if values.ndim == 0:
        return _padded(values[()], width, signed)
    if len(values) == 0:
        return "[]"
    edge, size = _options["edgeitems"], values.shape[0]
    cut = summarise and size > 2 * edge
    rows = [*range(edge), None, *range(size - edge, size)] if cut else range(size)
    if values.ndim == 1:
        items = ["..." if i is None else _padded(values[i], width, signed) for i in rows]
        return f"[{_wrapped(items, indent, width)}]"
    blocks = [
        "..." if i is None else _format_block(values[i], indent + 1, width, signed, summarise)
        for i in rows
    ]
    separator = "," + "\n" * (values.ndim - 1) + " " * (indent + 1)
    return f"[{separator.join(blocks)}]"


def _wrapped(items: list[str], indent: int, width: int) -> str:
    """Join items with commas, with line breaks at the line width."""
    per_line = max(1, (_options["linewidth"] - indent) // (width + 2))
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return (",\n" + " " * (indent + 1)).join(lines)
