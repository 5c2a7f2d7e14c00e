"""Statements of ``aoa_config``: their text, and what it says."""

from __future__ import annotations

import re
from typing import NamedTuple

from jaxeager.errors import InvalidArgumentError

TRANSPOSED = "^T"
NOTHING = "_"  # the name of no tensor
LAYOUTS = ("fused_qkv", "fused_qkv_old", "fused_ffn")
_TOKEN = re.compile(
    r"""\s*(?:(?P<arrow>->)|(?P<name>[A-Za-z_][\w.$*]*(?:\^T)?)|(?P<number>\d+)"""
    r"""|(?P<text>"[^"]*"|'[^']*')|(?P<sign>[=:\[\],])|(?P<other>\S))"""
)


class Statement(NamedTuple):
    """One statement.

    Attributes:
        left: the names on the left side.
        right: the names on the right side.
        layout: one of LAYOUTS, or "".
        attributes: what is given after the names, such as ``{"axis": 0}``.
        text: the statement of the user that it comes from.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    layout: str
    attributes: dict[str, int | str]
    text: str

    def error(self, message: str) -> InvalidArgumentError:
        """Return an error that names the statement."""
        return InvalidArgumentError(f"aoa_config: {self.text!r}: {message}")


def parsed(text: str) -> Statement:
    """Return what a statement says.

    Raises:
        InvalidArgumentError: for a text that is not a statement.

    Example:
        >>> parsed("a^T, b[0:2] -> c, axis=1")[:4]
        (('a^T', 'b_0', 'b_1'), ('c',), '', {'axis': 1})
    """
    plain = Statement((), (), "", {}, text)
    if not isinstance(text, str):
        raise InvalidArgumentError(f"aoa_config: a statement must be a string, not {text!r}.")
    tokens = _tokens(plain)
    if [kind for kind, _ in tokens].count("arrow") != 1:
        raise plain.error("a statement must have one '->'.")
    middle = tokens.index(("arrow", "->"))
    left, rest = _items(plain, tokens[:middle]), _items(plain, tokens[middle + 1 :])
    names = [_names(plain, each) for each in left]
    right: list[tuple[str, ...]] = []
    layout, attributes = "", {}
    for item in rest:
        if len(item) == 3 and item[1] == ("sign", "="):
            attributes |= {item[0][1]: _value(plain, item)}
        elif item[0][1] in LAYOUTS:
            layout = item[0][1]
        else:
            right.append(_names(plain, item))
    sides = tuple(sum(names, ())), tuple(sum(right, ()))
    if len(sides[0]) > 1 and len(sides[1]) > 1:
        raise plain.error("one side must be a single name.")
    return Statement(*sides, layout, attributes, text)


def _tokens(statement: Statement) -> list[tuple[str, str]]:
    """Return the kinds and texts of a statement's tokens."""
    found = []
    for match in _TOKEN.finditer(statement.text.strip()):
        kind = match.lastgroup or ""
        if kind == "other":
            raise statement.error(f"{match['other']!r} is not part of the language.")
        found.append((kind, match[kind]))
    return found


def _items(statement: Statement, tokens: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return the tokens between commas."""
    items: list[list[tuple[str, str]]] = [[]]
    for token in tokens:
        if token == ("sign", ","):
            items.append([])
        else:
            items[-1].append(token)
    if not all(each and each[0][0] == "name" for each in items):
        raise statement.error("names and attributes must be separated by single commas.")
    return items


def _names(statement: Statement, item: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return the names of an item: one, or those of ``name[begin:end]``."""
    kinds, texts = zip(*item, strict=True)
    if len(item) == 1:
        return (texts[0],)
    form = ("name", "sign", "number", "sign", "number", "sign")
    if kinds != form or (texts[1], texts[3], texts[5]) != ("[", ":", "]"):
        raise statement.error(f"{''.join(texts)!r} is not a name. A list is written name[0:4].")
    numbers = range(int(texts[2]), int(texts[4]))
    if not numbers:
        raise statement.error(f"{''.join(texts)!r} is an empty list.")
    return tuple(f"{texts[0]}_{number}" for number in numbers)


def _value(statement: Statement, item: list[tuple[str, str]]) -> int | str:
    """Return the value of ``key=value``."""
    kind, text = item[2]
    if kind == "number":
        return int(text)
    if kind != "text":
        raise statement.error(
            f"the value of {item[0][1]!r} must be a number or a string in quotes."
        )
    return text[1:-1]
