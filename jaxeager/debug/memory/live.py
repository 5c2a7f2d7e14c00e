"""debug.live_tensors: every array that is alive, its origin, and its holders."""

import gc
import time
from typing import NamedTuple

from jaxeager.arrays.as_array import live_arrays
from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.memory import origins
from jaxeager.debug.memory.holders import holders_of
from jaxeager.debug.memory.path_text import Holder
from jaxeager.debug.stacks.lines import line_of_node

SHOWN = 20


class LiveTensor(NamedTuple):
    """One array that is alive, however many Tensors share it.

    Attributes:
        name: the name of a Tensor of the array; "" if none has a name.
        shape: the shape of the array.
        dtype: the name of its dtype.
        size_bytes: its bytes, on all its devices.
        age: seconds since it was made; None if origins were not recorded then.
        maker: the op that made it, "" when unknown.
        line: the program's line that called the op, "" when unknown.
        holders: its holders.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    size_bytes: int
    age: float | None
    maker: str
    line: str
    holders: tuple[Holder, ...]


class LiveTensors(list):
    """The arrays that are alive, the largest first; its text is a table of the largest."""

    def __str__(self) -> str:
        lines = [f"{'bytes':>12}  {'shape':<24}  {'age s':>8}  {'made by':<22}  where, held by"]
        lines += first_lines(self, SHOWN, _text_of)
        lines.append(f"{len(self)} arrays, {sum(each.size_bytes for each in self)} bytes")
        return "\n".join(lines)


def _text_of(found: LiveTensor) -> str:
    age = "" if found.age is None else f"{found.age:.2f}"
    shape = f"{found.dtype}{list(found.shape)}"
    name = f"{found.name}: " if found.name else ""
    held = ", and ".join(one.short for one in found.holders) or "no object that could be found"
    return (
        f"{found.size_bytes:>12}  {shape:<24}  {age:>8}  {found.maker:<22}  "
        f"{found.line or '?'}, {name}{held}"
    )


def live_tensors(least_bytes: int = 0) -> LiveTensors:
    """Return every array that is alive: its size, age, origin, and holders.

    Age, op and line are known for arrays made while ``FLAGS_trace_allocations`` was on. For others
    the op and, at ``FLAGS_call_stack_level=3``, the line are those of a Tensor's node. XLA's own
    memory (temporary buffers and constants of an executable) is not in arrays, so it is not
    included.

    Args:
        least_bytes: smaller arrays are omitted.

    Returns:
        a list of LiveTensor, the largest first, that prints as a table.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1000, 1000])
        >>> paddle.debug.live_tensors(1_000_000)[0].size_bytes
        4000000
    """
    gc.collect()
    arrays = [each for each in live_arrays() if each.nbytes >= least_bytes]
    return described(arrays)


def described(arrays: list) -> LiveTensors:
    """Return the data of some arrays, the largest first."""
    held, tensors = holders_of(arrays), _tensors_of(arrays)
    known, now = origins.origins, time.time()
    found = LiveTensors()
    for array in arrays:
        origin = None if known is None else known.of(array)
        tensor = tensors.get(id(array))
        maker, line = _behind(tensor) if origin is None else (origin.maker, origin.line)
        age = None if origin is None else now - origin.began
        name = getattr(tensor, "_name", None) or ""
        shape, dtype = tuple(array.shape), array.dtype.name
        holders = tuple(held[id(array)])
        found.append(LiveTensor(name, shape, dtype, array.nbytes, age, maker, line, holders))
    found.sort(key=lambda each: -each.size_bytes)
    return found


def _tensors_of(arrays: list) -> dict:
    """Return a Tensor of each array, by the array's id; prefer one with a name."""
    wanted, found = {id(array) for array in arrays}, {}
    for thing in gc.get_objects():
        if hasattr(type(thing), "_storage") and hasattr(thing, "_held"):
            key = id(thing._held)
            if key in wanted and (key not in found or getattr(thing, "_name", None)):
                found[key] = thing
    return found


def _behind(tensor) -> tuple[str, str]:
    """Return the op and the line of the node that made a Tensor, "" if there is none."""
    meta = getattr(tensor, "_meta", None)
    node = None if meta is None else meta.node
    if node is None or node.is_leaf:
        return "", ""
    return getattr(node.op, "name", ""), str(line_of_node(node))
