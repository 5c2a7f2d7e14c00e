"""The form of a Tensor: what it is, statistics of its values, a histogram, the values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import host_values
from jaxeager.core.byte_counts import size_text
from jaxeager.notebook.markup import bars, folded, quiet, text_form, title
from jaxeager.tensor.printing import format_array

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

_BINS = 32
_MOST = 1 << 22  # elements that statistics are computed of
_SHOWN = 100  # elements that are shown unfolded


def html(tensor: Tensor) -> str:
    """Return the form of a Tensor."""
    if tensor._rows is not None or isinstance(tensor._array, Tracer):
        return text_form(tensor)
    array = host_values(tensor._array)
    head = title(type(tensor).__name__, *_facts(tensor, array))
    values = f'<pre style="margin: 0">{format_array(array, indent=0)}</pre>'
    return head + _statistics(array) + folded("values", values, array.size <= _SHOWN)


def _facts(tensor: Tensor, array: np.ndarray) -> list[str]:
    origin = "a leaf" if tensor.is_leaf else f"made by {tensor.grad_fn.name()}"
    return [
        f"{array.dtype.name}{list(array.shape)}",
        str(tensor.place).removeprefix("Place(").removesuffix(")"),
        size_text(array.nbytes),
        "no gradient" if tensor.stop_gradient else origin,
        "" if tensor.stop_gradient or tensor.grad is None else "has a gradient",
    ]


def _statistics(array: np.ndarray) -> str:
    """Return the line of statistics and the histogram; "" for one element or none."""
    if array.size < 2:
        return ""
    part, note = array.reshape(-1), ""
    if array.size > _MOST:
        step = -(-array.size // _MOST)
        part, note = part[::step], f", of one element in {step}"
    if np.iscomplexobj(part):
        part, note = np.abs(part), f"{note}, of absolute values"
    numbers = part.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    lost = len(numbers) - len(finite)
    if not finite.size:
        return f"<div>{quiet(f'no finite number{note}')}</div>"
    with np.errstate(over="ignore", invalid="ignore"):  # of squares
        mean, deviation = finite.mean(), finite.std()
    line = f"min {finite.min():.4g}, mean {mean:.4g}, std {deviation:.4g}, max {finite.max():.4g}"
    line += note
    line += f", {lost} nan or inf" if lost else ""
    low, high = float(finite.min()), float(finite.max())
    if finite.size < _BINS or not low < high or not math.isfinite(high - low):
        return f"<div>{quiet(line)}</div>"
    counts = np.histogram(finite, _BINS, (low, high))[0].tolist()
    return f"<div>{quiet(line)}</div>" + bars(counts, f"histogram from {low:.4g} to {high:.4g}")
