"""debug.holders: how much memory each name of a program holds, and what has grown."""

import gc
from typing import NamedTuple

from jaxeager.arrays.as_array import live_arrays
from jaxeager.debug.memory.holders import holders_of

_UNKNOWN = "no object that could be found"


class Held(NamedTuple):
    """The arrays that live through one name.

    Attributes:
        name: the name and its scope, "trainer.losses of __main__".
        arrays: how many arrays; with ``since``, how many more.
        size_bytes: their bytes; with ``since``, how many more.
        line: where the program writes the name, "" if that is not known.
        advice: what to do, in a line.
    """

    name: str
    arrays: int
    size_bytes: int
    line: str
    advice: str


class Holders(list):
    """The holders of all arrays, the largest first; its text is a table.

    Attributes:
        is_growth: whether the rows are differences.
    """

    is_growth = False

    def __str__(self) -> str:
        if not self:
            return "No name holds more than before." if self.is_growth else "No array is alive."
        sign = "+" if self.is_growth else ""
        lines = [f"{'bytes':>12}  {'arrays':>7}  held by, where"]
        for each in self:
            line = f", at {each.line}" if each.line else ""
            lines.append(f"{each.size_bytes:>{sign}12}  {each.arrays:>{sign}7}  {each.name}{line}")
            lines += [f"{'':23}{each.advice}"] * self.is_growth
        return "\n".join(lines)


def holders(since: Holders | None = None) -> Holders:
    """Return the names through which arrays live, with their number and bytes.

    An array that several names hold is counted for the nearest one, so the bytes add up.

    Args:
        since: an earlier result; only what has changed since then is returned.

    Returns:
        a list of Held, the largest first, that prints as a table.

    Example:
        >>> import jaxeager as paddle
        >>> kept = []
        >>> before = paddle.debug.holders()
        >>> kept.append(paddle.ones([256]))
        >>> largest = paddle.debug.holders(since=before)[0]
        >>> largest.name.split()[0], largest.arrays, largest.size_bytes
        ('kept', 1, 1024)
    """
    gc.collect()
    arrays = live_arrays()
    sizes = {id(each): each.nbytes for each in arrays}
    rows: dict[str, Held] = {}
    for key, found in holders_of(arrays, 1).items():
        first = found[0] if found else None
        name = first.root if first else _UNKNOWN
        size = sizes[key]
        row = rows.get(name) or Held(name, 0, 0, "", "")
        row = row._replace(arrays=row.arrays + 1, size_bytes=row.size_bytes + size)
        if first and (not row.line or first.is_graph):  # a graph explains the rest as well
            row = row._replace(line=first.line, advice=first.advice)
        rows[name] = row
    result = Holders(rows.values() if since is None else _grown(rows, since))
    result.is_growth = since is not None
    result.sort(key=lambda each: -each.size_bytes)
    return result


def _grown(rows: dict[str, Held], since: Holders) -> list[Held]:
    """Return the differences of rows to earlier ones, without those that are equal."""
    earlier = {each.name: each for each in since}
    found = []
    for name in dict.fromkeys([*rows, *earlier]):
        now, then = rows.get(name), earlier.get(name)
        count = (now.arrays if now else 0) - (then.arrays if then else 0)
        size = (now.size_bytes if now else 0) - (then.size_bytes if then else 0)
        shown = now or then
        if (count or size) and shown is not None:
            found.append(shown._replace(arrays=count, size_bytes=size))
    return found
