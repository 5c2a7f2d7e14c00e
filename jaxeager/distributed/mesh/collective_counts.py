"""Messages between devices: the collectives of a compiled program, counted."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from jax.stages import Compiled


KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")

_BYTES = {"pred": 1, "s4": 1, "u4": 1, "bf16": 2}
_CALL = re.compile(
    rf"= (?P<type>\(.*?\)|\S+) (?P<kind>{'|'.join(KINDS)})(?:-start)?\((?P<rest>.*)$",
    re.MULTILINE,
)
_ARRAY = re.compile(r"\b(pred|bf16|[a-z]+\d+(?:e\d+m\d+\w*)?)\[([\d,]*)\]")
_MESH = re.compile(r"replica_groups=mesh\[([^\]]*)\](?:, device_ids=\(.*?\))? \{([^}]*)\}")
_GROUPS = re.compile(
    r"replica_groups=(\[[\d,]+\]<=\[[\d,]+\](?:T\([\d,]+\))?|\{(?:\{[\d,]*\},?)*\})"
)


class Message(NamedTuple):
    """One collective of a program.

    Attributes:
        kind: one of ``KINDS``.
        bytes: the size of its result on one device.
        group: the number of devices that take part together.
    """

    kind: str
    bytes: int
    group: int

    @property
    def sent(self) -> float:
        """Return the bytes that one device sends in a ring, the usual algorithm on a network."""
        share = (self.group - 1) / self.group if self.group else 1.0
        if self.kind == "all-reduce":
            return 2 * self.bytes * share
        if self.kind == "reduce-scatter":
            return self.bytes * (self.group - 1)
        return float(self.bytes) if self.kind == "collective-permute" else self.bytes * share


def messages_of(compiled: Any) -> list[Message]:
    """Return the collectives of a program, in its order.

    Args:
        compiled: a ``jax.stages.Compiled``, or the text of its HLO. A collective in the body of a
            loop counts once.

    Example:
        >>> from jaxeager.distributed.mesh.collective_counts import messages_of
        >>> hlo = "x = f32[4,2]{1,0} all-reduce(y), replica_groups={{0,1},{2,3}}, to_apply=add"
        >>> messages_of(hlo)
        [Message(kind='all-reduce', bytes=32, group=2)]
    """
    text = compiled if isinstance(compiled, str) else compiled.as_text()
    found = []
    for call in _CALL.finditer(text):
        sizes = [_bytes(*each) for each in _ARRAY.findall(call["type"])]
        if "-start(" in call[0]:  # its type lists the operands before the results
            sizes = sizes[len(sizes) // 2 :]
        found.append(Message(call["kind"], sum(sizes), _group(call["rest"])))
    return found


def _bytes(dtype: str, shape: str) -> int:
    count = math.prod(int(size) for size in shape.split(",") if size)
    bits = re.search(r"\d+", dtype)
    return count * _BYTES.get(dtype, int(bits[0]) // 8 if bits else 1)


def _group(rest: str) -> int:
    """Return the number of devices in a group, for each HLO form of groups."""
    mesh = _MESH.search(rest)
    if mesh is not None:
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", mesh[1]))
        axes = re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", mesh[2])
        return math.prod(int(part or sizes[name]) for name, part in axes)
    found = _GROUPS.search(rest)
    if found is None:
        return 0
    text = found[1]
    if text.startswith("["):
        return int(text[1 : text.index("]")].split(",")[-1])
    first = re.search(r"\{([\d,]+)\}", text)
    return len(first[1].split(",")) if first else 0


def counted(compiled: Compiled | str) -> dict[str, int]:
    """Return the number of collectives of each kind in a program, without absent kinds.

    Args:
        compiled: as in ``messages_of``.

    Example:
        >>> from jaxeager.distributed.mesh.collective_counts import counted
        >>> counted("x = f32[4]{0} all-gather(y), replica_groups=[2,4]<=[8], dimensions={0}")
        {'all-gather': 1}
    """
    found: dict[str, int] = {}
    for message in messages_of(compiled):
        found[message.kind] = found.get(message.kind, 0) + 1
    return found
