"""Finds the differences of two results: one line for each place, none when they agree."""

import re
from typing import Any

import numpy as np

from .plain import Sampled, head_of, sampled

# Relative and absolute tolerance by dtype. Both sides compute in that dtype, so the differences are
# due to the order of sums and the last bits of transcendental functions: under a hundred units in
# the last place for float32 (6e-8); for float64 a margin that still finds any float32 constant; for
# float16, rounded from float32 intermediates on both sides, two units in the last place.
TOLERANCES = {
    "float16": (2e-3, 2e-3),
    "float32": (1e-5, 1e-6),
    "float64": (1e-11, 1e-12),
    "complex64": (1e-5, 1e-6),
    "complex128": (1e-11, 1e-12),
}


def differences(theirs: Any, ours: Any, rtol: float | None = None, at: str = "") -> list[str]:
    """Return the places where Paddle's result and jaxeager's differ, one line each.

    Either may hold arrays of a record, of which only a sample is known.
    """
    if isinstance(theirs, dict) and "error" in theirs:
        return _error_differences(theirs, ours, at)
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return _dict_differences(theirs, ours, rtol, at)
    if isinstance(theirs, (list, tuple)) and isinstance(ours, (list, tuple)):
        return _list_differences(theirs, ours, rtol, at)
    if isinstance(theirs, np.ndarray) and isinstance(ours, np.ndarray):
        return _array_differences(theirs, ours, rtol, at)
    if isinstance(theirs, Sampled) and isinstance(ours, np.ndarray):
        return _sample_differences(theirs, ours, rtol, at)
    if isinstance(theirs, np.ndarray) and isinstance(ours, Sampled):
        return _sample_differences(ours, theirs, rtol, at)
    if type(theirs) is not type(ours):
        return [_line(at, theirs, ours)]
    if isinstance(theirs, (float, complex)):
        limit = TOLERANCES["float32"][0] if rtol is None else rtol
        same = np.allclose(ours, theirs, rtol=limit, atol=TOLERANCES["float32"][1], equal_nan=True)
        return [] if same else [_line(at, theirs, ours)]
    return [] if theirs == ours else [_line(at, theirs, ours)]


def _line(at: str, theirs: Any, ours: Any) -> str:
    return f"{at or 'result'}: Paddle {_short(theirs)} | jaxeager {_short(ours)}"


def _short(value: Any) -> str:
    if isinstance(value, Sampled):
        value = f"{value.head}, of its elements {np.array2string(value.elements, threshold=12)}"
    if isinstance(value, np.ndarray):
        value = f"{head_of(value)} {np.array2string(value, threshold=12)}"
    text = " ".join(str(value).split()) if not isinstance(value, str) else repr(value)
    return text if len(text) <= 300 else text[:300] + "..."


def _error_differences(theirs: dict[str, Any], ours: Any, at: str) -> list[str]:
    if not isinstance(ours, dict) or "error" not in ours:
        return [_line(at, theirs, ours)]
    if theirs["error"] == "AssertionError":
        # Where Paddle has a bare assert, jaxeager has an error of a category: the text is Paddle's.
        same = ours["error"] in ("ValueError", "TypeError", "AssertionError")
        text = re.sub(r"^\(\w+\) ", "", ours.get("text", ""))
    else:
        same = ours["error"] == theirs["error"] and ours.get("category") == theirs.get("category")
        text = ours.get("text", "")
    # jaxeager may add to Paddle's text (values seen, what to do), never change it.
    wanted = theirs.get("text", "").removesuffix(".")
    if not wanted.startswith("("):
        text = re.sub(r"^\(\w+\) ", "", text)
    return [] if same and text.startswith(wanted) else [_line(at, theirs, ours)]


def _dict_differences(theirs: Any, ours: Any, rtol: float | None, at: str) -> list[str]:
    found = []
    if list(theirs) != list(ours):
        found.append(_line(f"{at} keys", list(theirs), list(ours)))
    for key in theirs:
        if key in ours:
            found += differences(theirs[key], ours[key], rtol, f"{at}[{key}]")
    return found


def _list_differences(theirs: Any, ours: Any, rtol: float | None, at: str) -> list[str]:
    if len(theirs) != len(ours):
        return [_line(f"{at} length", theirs, ours)]
    found = []
    for index, (one, other) in enumerate(zip(theirs, ours, strict=True)):
        found += differences(one, other, rtol, f"{at}[{index}]")
    return found


def _array_differences(theirs: Any, ours: Any, rtol: float | None, at: str) -> list[str]:
    if theirs.dtype != ours.dtype or theirs.shape != ours.shape:
        return [_line(at, theirs, ours)]
    limits = TOLERANCES.get(str(theirs.dtype))
    if limits is None:
        return [] if np.array_equal(theirs, ours) else [_line(at, theirs, ours)]
    limit = limits[0] if rtol is None else rtol
    if np.allclose(ours, theirs, rtol=limit, atol=max(limits[1], limit * 1e-2), equal_nan=True):
        return []
    gap = np.max(np.abs(ours - theirs)) if theirs.size else 0.0
    return [f"{_line(at, theirs, ours)} (largest gap {gap:.3g})"]


def _sample_differences(
    record: Sampled, array: np.ndarray, rtol: float | None, at: str
) -> list[str]:
    if record.head != head_of(array):
        return [_line(at, record, array)]
    other = sampled(array)
    found = _array_differences(record.elements, other.elements, rtol, f"{at} (a sample)")
    if record.digest != other.digest:
        found.append(f"{at}: another digest of all {array.size} elements than recorded")
    if record.odd != other.odd:
        found.append(f"{at}: Paddle has {record.odd} of nan, inf, -inf | jaxeager {other.odd}")
    limits = TOLERANCES.get(str(array.dtype))
    if limits is None or found:
        return found
    limit = limits[0] if rtol is None else rtol
    # The allowed differences of the elements, summed: weights are 1.5 at most.
    stretch = array.size / record.sums.size + 1
    allowed = limit * record.sizes + 1.5 * max(limits[1], limit * 1e-2) * stretch
    if np.any(np.abs(record.sums - other.sums) > allowed):
        found.append(_line(f"{at} (sums over stretches)", record.sums, other.sums))
    return found
