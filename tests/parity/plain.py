"""Plain values as JSON and back: the format of the records of Paddle's answers.

An answer consists of arrays, numbers, text, lists and dicts of them. An array is a dtype with a
shape and its values as text, each with the digits that distinguish it from its neighbours; a long
one is a sample of its elements and weighted sums over all of them (`Sampled`). Nothing else can be
read or written.
"""

import base64
import hashlib
import itertools
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

LONGEST = 100  # an array of more elements is recorded as a sample
ELEMENTS = 48  # the number of its elements, evenly spread
SUMS = 12  # the number of stretches of it
COLUMNS = 100
_EXACT = "biu"  # kinds of dtype whose every element is compared, through a digest


@dataclass(frozen=True, eq=False)
class Sampled:
    """The recorded part of a long array.

    Attributes:
        head: its dtype and shape, `float32[3, 100]`.
        elements: some of its elements, evenly spread, in its dtype.
        sums: sums of its finite elements over stretches, weighted so that places count, as float64
            (complex128 for a complex array).
        sizes: the same sums of absolute values: the scale of what rounding may change.
        odd: the numbers of elements that are nan, inf and -inf.
        digest: of all bytes, where elements are compared exactly; else "".
    """

    head: str
    elements: np.ndarray
    sums: np.ndarray
    sizes: np.ndarray
    odd: list[int]
    digest: str


def head_of(array: np.ndarray) -> str:
    """Return dtype and shape as text: `float32[2, 3]`."""
    return f"{array.dtype}{list(array.shape)}"


def weights_of(count: int) -> np.ndarray:
    """Return the weights of an array's elements in its sums, between 0.5 and 1.5."""
    return 0.5 + np.arange(count) * 40503 % 64 / 64


def sampled(array: np.ndarray) -> Sampled:
    """Return the recorded part of an array."""
    flat = np.ascontiguousarray(array).reshape(-1)
    chosen = np.linspace(0, flat.size - 1, ELEMENTS).astype(int)
    is_complex = flat.dtype.kind == "c"
    wide = flat.astype(np.complex128 if is_complex else np.float64)
    weighted = np.where(np.isfinite(wide), wide, 0) * weights_of(flat.size)
    cuts = np.linspace(0, flat.size, SUMS + 1).astype(int)[:-1]
    return Sampled(
        head_of(array),
        flat[chosen],
        np.add.reduceat(weighted, cuts),
        np.add.reduceat(np.abs(weighted), cuts),
        [int(np.sum(np.isnan(wide))), *(int(np.sum(wide == end)) for end in (np.inf, -np.inf))],
        hashlib.sha256(flat.tobytes()).hexdigest()[:16] if flat.dtype.kind in _EXACT else "",
    )


def encode(value: Any) -> Any:
    """Return a value in JSON's types; refuse values that a record cannot hold."""
    kind = type(value)
    if value is None or kind in (bool, int):
        return value
    if kind is float:
        return value if np.isfinite(value) else {"$float": repr(value)}
    if kind is str:
        return {"$lines": value.split("\n")} if value.count("\n") > 1 else value
    if kind is complex:
        return {"$complex": str(value)}
    if kind is bytes:
        return {"$bytes": base64.b64encode(value).decode()}
    if kind in (list, tuple):
        return [encode(each) for each in value]
    if kind is dict:
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: encode(each) for key, each in value.items()}
        return {"$pairs": [[encode(key), encode(each)] for key, each in value.items()]}
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return {"$scalar": str(value.dtype), "value": _text(np.reshape(value, -1))}
    if kind is np.ndarray and value.dtype.kind in "biufc":
        return _encode_array(value)
    raise TypeError(
        f"a record holds arrays, numbers, text, bytes, lists and dicts, not {kind.__name__}: "
        f"{value!r:.100}"
    )


def _encode_array(array: np.ndarray) -> dict[str, Any]:
    # Rounding of float16 would hide one element in a sum.
    if array.size <= LONGEST or array.dtype == np.float16:
        return {"$array": head_of(array), "values": _text(array.reshape(-1))}
    kept = sampled(array)
    found = {"$array": kept.head, "elements": _text(kept.elements)}
    if kept.digest:
        return {**found, "digest": kept.digest}
    return {**found, "sums": _text(kept.sums), "sizes": _text(kept.sizes), "odd": kept.odd}


def _text(flat: np.ndarray) -> str:
    """Return the elements as text, a run of more than three equal ones as `0*12`."""
    if flat.dtype.kind == "b":
        flat = flat.astype(np.uint8)
    found = []
    for text, run in itertools.groupby(str(each).removesuffix(".0") for each in flat):
        count = len(list(run))
        found += [f"{text}*{count}"] if count > 3 else [text] * count
    return " ".join(found)


def decode(value: Any) -> Any:
    """Return the value that `encode` encoded; tuples are lists, long arrays `Sampled`."""
    if isinstance(value, list):
        return [decode(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$array" in value:
        return _decode_array(value)
    if "$scalar" in value:
        return _array(value["value"], value["$scalar"])[0]
    if "$pairs" in value:
        return {_hashable(decode(key)): decode(each) for key, each in value["$pairs"]}
    if "$float" in value:
        return float(value["$float"])
    if "$complex" in value:
        return complex(value["$complex"])
    if "$bytes" in value:
        return base64.b64decode(value["$bytes"])
    if "$lines" in value:
        return "\n".join(value["$lines"])
    return {key: decode(each) for key, each in value.items()}


def _hashable(key: Any) -> Any:
    return tuple(map(_hashable, key)) if isinstance(key, list) else key


def _decode_array(value: dict[str, Any]) -> np.ndarray | Sampled:
    head = value["$array"]
    dtype, _, shape = head.partition("[")
    if "values" in value:
        return _array(value["values"], dtype).reshape(json.loads("[" + shape))
    elements = _array(value["elements"], dtype)
    if "digest" in value:
        nothing = np.zeros(0)
        return Sampled(head, elements, nothing, nothing, [0, 0, 0], value["digest"])
    wide = "complex128" if dtype.startswith("complex") else "float64"
    sums, sizes = _array(value["sums"], wide), _array(value["sizes"], "float64")
    return Sampled(head, elements, sums, sizes, value["odd"], "")


def _array(text: str, dtype: str) -> np.ndarray:
    kind = np.dtype(dtype).kind
    read = {"f": float, "c": complex}.get(kind, int)
    found = []
    for part in text.split():
        number, _, count = part.partition("*")
        found += [read(number)] * int(count or 1)
    return np.array(found, dtype)


def pretty(value: Any, indent: int = 0) -> str:
    """Return JSON text whose lists and dicts are opened only where a line would be too long."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= COLUMNS or not isinstance(value, (list, dict)) or not value:
        return line
    inner = " " * (indent + 1)
    if isinstance(value, list):
        if all(isinstance(each, (int, float, str)) and len(str(each)) < 25 for each in value):
            return _filled(value, inner)
        parts = [pretty(each, indent + 1) for each in value]
        return "[\n" + ",\n".join(inner + each for each in parts) + "\n" + " " * indent + "]"
    parts = [
        f"{json.dumps(key, ensure_ascii=False)}: {pretty(each, indent + 1)}"
        for key, each in value.items()
    ]
    return "{\n" + ",\n".join(inner + each for each in parts) + "\n" + " " * indent + "}"


def _filled(values: list[Any], inner: str) -> str:
    """Return a list of short items, as many to a line as fit."""
    lines, line = [], ""
    for each in values:
        text = json.dumps(each, ensure_ascii=False)
        if line and len(inner) + len(line) + len(text) + 2 > COLUMNS:
            lines.append(line)
            line = ""
        line += (", " if line else "") + text
    return "[\n" + ",\n".join(inner + each for each in [*lines, line]) + "\n" + inner[:-1] + "]"
