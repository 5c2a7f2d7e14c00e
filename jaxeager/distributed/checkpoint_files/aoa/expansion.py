"""Statements of ``aoa_config`` as statements without placeholders, lists, ``^T`` and layouts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from jaxeager.distributed.checkpoint_files.aoa.fused import unfused
from jaxeager.distributed.checkpoint_files.aoa.statements import NOTHING, TRANSPOSED, Statement

_OFFSET = "$LAYER_ID_OFFSET"
_PLACEHOLDER = re.compile(r"\$(?:LAYER_ID_OFFSET|LAYER_ID|EXPERT_ID)")


class Names(NamedTuple):
    """The names that statements are about.

    Attributes:
        sources: the names of the tensors in the checkpoint.
        source_shards: a function that returns in how many parts a source is divided.
        wanted: in how many parts each wanted tensor is divided; None when all are wanted.
        is_reversed: whether the sources are on the right side of statements.
    """

    sources: Collection[str]
    source_shards: Callable[[str], int]
    wanted: dict[str, int] | None
    is_reversed: bool

    def of_side(self, is_right: bool) -> Collection[str]:
        """Return the names that are known on a side."""
        return self.sources if is_right == self.is_reversed else self.wanted or ()


def expanded(statements: Iterable[Statement], names: Names) -> list[Statement]:
    """Return statements with at most one of the attributes ``axis``, ``permute`` and ``dtype``."""
    listed = [
        _with_lists(each, names)
        for statement in statements
        for each in _with_numbers(statement, names)
    ]
    shards_of = _shards(listed, names)
    made: list[Statement] = []
    for statement in listed:
        *before, last = _with_transposes(statement)
        made += [*before, *(unfused(last, shards_of) if last.layout else [last])]
    return made


# ---- placeholders and lists


def _with_numbers(statement: Statement, names: Names) -> list[Statement]:
    """Return a statement for each number that the known names have at its placeholders."""
    sides = statement.left, statement.right
    if not any("$" in name for side in sides for name in side):
        return [statement]
    for is_right in (names.is_reversed, not names.is_reversed):
        patterns = [each for each in sides[is_right] if "$" in each]
        if patterns:
            break
    keys = sorted(set(_PLACEHOLDER.findall(patterns[0])))
    if not keys:
        raise statement.error("the placeholders are $LAYER_ID, $EXPERT_ID and $LAYER_ID_OFFSET.")
    for name in (*sides[0], *sides[1]):
        if name != NOTHING and sorted(set(_PLACEHOLDER.findall(name))) != keys:
            raise statement.error(f"every name must have {' and '.join(keys)}.")
    return [
        statement._replace(
            left=tuple(_numbered(name, found, 1 if is_right else 0) for name in sides[0]),
            right=tuple(_numbered(name, found, 0 if is_right else -1) for name in sides[1]),
        )
        for found in _numbers(patterns[0].removesuffix(TRANSPOSED), names.of_side(is_right))
    ]


def _numbers(pattern: str, known: Iterable[str]) -> list[dict[str, int]]:
    """Return the numbers at the placeholders of a pattern, of all names that fit it, in order."""
    seen: set[str] = set()

    def group(found: re.Match) -> str:
        key = found[0][1:]
        text = f"(?P={key})" if key in seen else rf"(?P<{key}>\d+)"
        seen.add(key)
        return text

    ends = _PLACEHOLDER.split(pattern)
    marks = [group(found) for found in _PLACEHOLDER.finditer(pattern)]
    form = re.compile("".join(re.escape(a) + b for a, b in zip(ends, (*marks, ""), strict=True)))
    found = {
        tuple((f"${key}", int(number)) for key, number in match.groupdict().items())
        for each in known
        if (match := form.fullmatch(each))
    }
    return [dict(each) for each in sorted(found)]


def _numbered(name: str, numbers: dict[str, int], shift: int) -> str:
    """Return a name with numbers; that of an offset is shifted."""
    return _PLACEHOLDER.sub(
        lambda at: str(numbers[at[0]] + (shift if at[0] == _OFFSET else 0)), name
    )


def _with_lists(statement: Statement, names: Names) -> Statement:
    """Return a statement with all known names in the place of a ``*``, by their numbers."""

    def listed(side: tuple[str, ...], is_right: bool) -> tuple[str, ...]:
        found: list[str] = []
        for name in side:
            found += _fitting(statement, name, names.of_side(is_right)) if "*" in name else [name]
        return tuple(found)

    left, right = listed(statement.left, False), listed(statement.right, True)
    if len(left) > 1 and len(right) > 1:
        raise statement.error("one side must be a single name.")
    return statement._replace(left=left, right=right)


def _fitting(statement: Statement, name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that have a number in the place of a ``*``."""
    if name.count("*") > 1:
        raise statement.error(f"{name!r} has more than one '*'.")
    is_transposed = name.endswith(TRANSPOSED)
    begin, end = (re.escape(each) for each in name.removesuffix(TRANSPOSED).split("*"))
    found = {each: match for each in known if (match := re.fullmatch(rf"{begin}(\d+){end}", each))}
    if not found:
        raise statement.error(f"no name fits {name!r}; there are {sorted(known)[:6]}...")
    ordered = sorted(found, key=lambda each: int(found[each][1]))
    return [each + TRANSPOSED * is_transposed for each in ordered]


# ---- axes in reverse


def _with_transposes(statement: Statement) -> list[Statement]:
    """Return a statement after those that make the transposed tensors on its left side."""
    if any(name.endswith(TRANSPOSED) for name in statement.right):
        raise statement.error("the right side has '^T'. Write a -> b, and then b^T -> b.")
    before: dict[str, Statement] = {}
    left = []
    for name in statement.left:
        if name.endswith(TRANSPOSED):
            plain = name.removesuffix(TRANSPOSED)
            name = f"transpose({plain})"
            before[name] = Statement((plain,), (name,), "", {"permute": "[]"}, statement.text)
        left.append(name)
    return [*before.values(), statement._replace(left=tuple(left))]


# ---- in how many parts a tensor is divided


def _shards(statements: list[Statement], names: Names) -> Callable[[str, bool], int]:
    """Return a function that returns in how many parts a tensor of a side is divided.

    A tensor that is neither a source nor wanted is divided as the one that it comes from, or
    becomes.
    """
    next_of: tuple[dict[str, tuple], dict[str, tuple]] = {}, {}  # to the left, to the right
    for statement in statements:
        left = tuple(name.removesuffix(TRANSPOSED) for name in statement.left)
        next_of[0].update(dict.fromkeys(statement.right, left))
        next_of[1].update(dict.fromkeys(left, statement.right))

    def shards_of(name: str, is_right: bool) -> int:
        known, seen = names.of_side(is_right), {name}
        while name not in known and len(next_of[is_right].get(name, ())) == 1:
            (name,) = next_of[is_right][name]
            if name in seen:
                break
            seen.add(name)
        if name not in known:
            return 1
        return names.source_shards(name) if known is names.sources else (names.wanted or {})[name]

    return shards_of
