"""Finds the differences of two results of one program: one line for each place."""

import numpy as np

# Relative tolerances: sums in another order, and the last bits of functions, through a few ops.
TOLERANCES = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-9, "complex64": 1e-4}
TOLERANCES |= {"complex128": 1e-9, "bfloat16": 3e-2}


def differences(theirs, ours):
    """Return the places where Paddle's result and jaxeager's differ, a line each."""
    found = _error_differences(theirs["error"], ours["error"])
    if found:  # the later results differ because of it
        return found
    for name in theirs["values"]:
        if name in ours["values"]:
            loose = name.startswith("any_")
            one, other = theirs["values"][name], ours["values"][name]
            found += _value_differences(one, other, name, loose)
    return found


def _error_differences(theirs, ours):
    if theirs is None and ours is None:
        return []
    if ours is None:
        return [f"only Paddle raises {theirs[1][0]} in statement {theirs[0]}: {theirs[2]}"]
    if theirs is None:
        return [f"only jaxeager raises {ours[1][0]} in statement {ours[0]}: {ours[2]}"]
    if theirs[0] != ours[0]:
        return [
            f"Paddle raises {theirs[1][0]} in statement {theirs[0]}, jaxeager {ours[1][0]} in "
            f"statement {ours[0]}: {theirs[2]} | {ours[2]}"
        ]
    return []


def class_difference(theirs, ours):
    """Return a line when both raise and code that catches Paddle's does not catch ours."""
    one, other = theirs["error"], ours["error"]
    if not one or not other or one[0] != other[0] or one[1][0] in other[1]:
        return None
    return f"Paddle raises {one[1][0]}, jaxeager {other[1][0]}: {one[2]} | {other[2]}"


def _value_differences(theirs, ours, at, loose):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if "values" in theirs and "values" in ours:
            return _tensor_differences(theirs, ours, at, loose)
        if list(theirs) != list(ours):
            return [f"{at} keys: {list(theirs)} | {list(ours)}"]
        return [
            line
            for key in theirs
            for line in _value_differences(theirs[key], ours[key], f"{at}[{key!r}]", loose)
        ]
    if isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            return [f"{at} length: {len(theirs)} | {len(ours)}"]
        return [
            line
            for index, pair in enumerate(zip(theirs, ours, strict=True))
            for line in _value_differences(*pair, f"{at}[{index}]", loose)
        ]
    if isinstance(theirs, np.ndarray) and isinstance(ours, np.ndarray):
        return [] if _close(theirs, ours, str(theirs.dtype)) else [f"{at}: {theirs} | {ours}"]
    if type(theirs) is not type(ours):
        return [f"{at} type: {_short(theirs)} | {_short(ours)}"]
    if isinstance(theirs, (float, complex, np.floating)):
        return [] if _close(theirs, ours, "float32") else [f"{at}: {theirs} | {ours}"]
    return [] if theirs == ours else [f"{at}: {_short(theirs)} | {_short(ours)}"]


def _tensor_differences(theirs, ours, at, loose):
    found = [
        f"{at} {what}: {theirs[what]} | {ours[what]}"
        for what in ("dtype", "shape", "stop_gradient")
        if theirs[what] != ours[what]
    ]
    if found or loose:
        return found
    if not _close(theirs["values"], ours["values"], theirs["dtype"]):
        found.append(f"{at} values: {_short(theirs['values'])} | {_short(ours['values'])}")
    one, other = theirs["grad"], ours["grad"]
    if one is None or other is None:
        if one is not other:
            found.append(f"{at}.grad presence: {_grad(one)} | {_grad(other)}")
        return found
    return found + _tensor_differences(one, other, f"{at}.grad", loose)


def _close(theirs, ours, dtype):
    """Return whether two arrays agree, nan with nan, within the dtype's tolerance."""
    if isinstance(theirs, str) or isinstance(ours, str):
        return isinstance(theirs, str) and isinstance(ours, str)
    if np.shape(theirs) != np.shape(ours):
        return False
    limit = TOLERANCES.get(dtype)
    if limit is None:
        return bool(np.array_equal(theirs, ours))
    with np.errstate(all="ignore"):
        finite = np.asarray(theirs)[np.isfinite(theirs)]
        size = float(np.max(np.abs(finite))) if finite.size else 0.0
        floor = limit * max(1.0, min(size, 1e30))
        return bool(np.allclose(ours, theirs, rtol=limit, atol=floor, equal_nan=True))


def _grad(grad):
    return "None" if grad is None else _short(grad["values"])


def _short(value):
    if isinstance(value, np.ndarray):
        value = np.array2string(value, threshold=12, precision=5)
    text = " ".join(str(value).split())
    return text if len(text) <= 160 else text[:160] + "..."
