"""What devices send each other: the collectives of a compiled program, counted."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

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
        bytes: what comes out of it on one device.
        group: how many devices take part in it together.
    """

    kind: str
    bytes: int
    group: int

    @property
    def sent(self) -> float:
        """Bytes that one device sends for it in a ring, the usual way of a network of devices."""
        share = (self.group - 1) / self.group if self.group else 1.0
        if self.kind == "all-reduce":
            return 2 * self.bytes * share
        if self.kind == "reduce-scatter":
            return self.bytes * (self.group - 1)
        return float(self.bytes) if self.kind == "collective-permute" else self.bytes * share


def messages_of(compiled: Any) -> list[Message]:
    """Return the collectives of a program, in its order.

    Args:
        compiled: a ``jax.stages.Compiled``, or the text of its HLO. What stands in the body of a
            loop counts once.

    Example:
        >>> from jaxeager.distributed.messages import messages_of
        >>> hlo = "x = f32[4,2]{1,0} all-reduce(y), replica_groups={{0,1},{2,3}}, to_apply=add"
        >>> messages_of(hlo)
        [Message(kind='all-reduce', bytes=32, group=2)]
    """
    text = compiled if isinstance(compiled, str) else compiled.as_text()
    found = []
    for call in _CALL.finditer(text):
        sizes = [_bytes(*each) for each in _ARRAY.findall(call["type"])]
        if "-start(" in call[0]:  # its result has the operands beside the results
            sizes = sizes[len(sizes) // 2 :]
        found.append(Message(call["kind"], sum(sizes), _group(call["rest"])))
    return found


def _bytes(dtype: str, shape: str) -> int:
    count = math.prod(int(size) for size in shape.split(",") if size)
    bits = re.search(r"\d+", dtype)
    return count * _BYTES.get(dtype, int(bits[0]) // 8 if bits else 1)


def _group(rest: str) -> int:
    """Return how many devices are in a group, from each form that HLO has for groups."""
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


def counted(compiled: Any) -> dict[str, int]:
    """Return how many collectives of each kind a program has; kinds that it has none of are out.

    Args:
        compiled: as for ``messages_of``.

    Example:
        >>> from jaxeager.distributed.messages import counted
        >>> counted("x = f32[4]{0} all-gather(y), replica_groups=[2,4]<=[8], dimensions={0}")
        {'all-gather': 1}
    """
    found: dict[str, int] = {}
    for message in messages_of(compiled):
        found[message.kind] = found.get(message.kind, 0) + 1
    return found
