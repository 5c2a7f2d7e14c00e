"""The first rows of a long table or list, and how many more there are."""

from collections.abc import Callable, Sequence
from typing import TypeVar

_Row = TypeVar("_Row")


def first_lines(
    rows: Sequence[_Row],
    most: int | None,
    line_of: Callable[[_Row], str],
    noun: str = "",
    start: str = "... ",
) -> list[str]:
    """Return a line for each of the first rows, and one with the number of the others.

    Args:
        rows: the rows.
        most: the maximum number of rows that have a line; None for all.
        line_of: returns the line of a row.
        noun: what the rows are, in the plural.
        start: the begin of the last line.

    Example:
        >>> first_lines([1, 2, 3, 4], 2, str)
        ['1', '2', '... and 2 more']
        >>> first_lines([1, 2, 3, 4], 2, str, "numbers")[-1]
        '... and 2 more numbers'
    """
    lines = [line_of(row) for row in rows[:most]]
    more = _more(len(rows) - len(lines))
    return [*lines, f"{start}{more} {noun}".rstrip()] if more else lines


def first_texts(texts: Sequence[str], most: int) -> str:
    """Return the first texts with commas between them, and the number of the others.

    Example:
        >>> first_texts(["1", "2", "3"], 2), first_texts(["1", "2", "3"], 3)
        ('1, 2 and 1 more', '1, 2, 3')
    """
    more = _more(len(texts) - most)
    return ", ".join(texts[:most]) + (f" {more}" if more else "")


def _more(count: int) -> str:
    return f"and {count} more" if count > 0 else ""
