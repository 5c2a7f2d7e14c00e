"""Layouts of fused weights, as cuts and joins: heads of attention, and gate and up.

A fused weight has its pieces in the order of shares: share 0 has its pieces of the first part, then
its pieces of the second, and so on; then comes share 1. For ``fused_qkv`` a share is a group of
heads with one key; for the others it is what one process has.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from jaxeager.distributed.checkpoint_files.aoa.statements import Statement

ShardsOf = Callable[[str, bool], int]
"""A function that returns in how many parts a tensor is divided: its name, whether it is on the
right side."""


def unfused(statement: Statement, shards_of: ShardsOf) -> list[Statement]:
    """Return the cuts and joins of a statement with a layout."""
    parts = 2 if statement.layout == "fused_ffn" else 3
    sides = statement.left, statement.right
    if sorted(map(len, sides)) not in ([1, 1], [1, parts]) or (
        statement.layout == "fused_qkv" and max(map(len, sides)) == 1
    ):
        raise statement.error(f"{statement.layout} has one name on a side, and {parts} on another.")
    attributes = dict(statement.attributes)
    axis = attributes.pop("axis", 1)
    heads, groups = attributes.pop("num_heads", None), attributes.pop("num_key_value_groups", None)
    if attributes:
        raise statement.error(f"{statement.layout} has no attribute {next(iter(attributes))!r}.")
    shares = [
        _shares(statement, names, groups, shards_of, is_right=bool(number))
        for number, names in enumerate(sides)
    ]
    counts = _counts(statement, parts, heads, groups, shares)
    pieces = [
        [f"{statement.layout}({statement.left[0]}).{part}_{piece}" for piece in range(count)]
        for part, count in enumerate(counts)
    ]
    made = []
    for number, names in enumerate(sides):
        lists = [_in_shares(pieces, shares[number])] if len(names) == 1 else pieces
        for name, each in zip(names, lists, strict=True):
            ends = ((name,), tuple(each)) if number == 0 else (tuple(each), (name,))
            made.append(Statement(*ends, "", {"axis": axis}, statement.text))
    return made


def _shares(
    statement: Statement,
    names: tuple,
    groups: int | str | None,
    shards_of: ShardsOf,
    is_right: bool,
) -> int:
    """Return the number of shares of a side's weight."""
    if len(names) != 1:
        return 1
    if statement.layout == "fused_qkv":
        return groups if isinstance(groups, int) else 1
    return shards_of(names[0], is_right)


def _counts(
    statement: Statement,
    parts: int,
    heads: int | str | None,
    groups: int | str | None,
    shares: list,
) -> list[int]:
    """Return the number of pieces of each part, which all have the same length."""
    if statement.layout == "fused_ffn":
        return [math.lcm(*shares)] * parts
    if not isinstance(heads, int) or not isinstance(groups, int) or not heads or not groups:
        raise statement.error("num_heads and num_key_value_groups must be positive numbers.")
    if heads % groups:
        raise statement.error(f"{heads} heads cannot be divided into {groups} groups.")
    if any(groups % each for each in shares):
        raise statement.error(f"{groups} groups cannot be divided among {max(shares)} processes.")
    return [heads, groups, groups]


def _in_shares(pieces: list[list[str]], shares: int) -> list[str]:
    """Return the pieces of all parts in the order of shares."""
    return [
        piece
        for share in range(shares)
        for part in pieces
        for piece in part[share * len(part) // shares : (share + 1) * len(part) // shares]
    ]
