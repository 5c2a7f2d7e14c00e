"""Text tables in Paddle's format: a title in dashes, columns two spaces apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_NS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}


class Table:
    """A table that is formatted when all its rows have been added.

    Args:
        title: the text in the middle of the first line.
        columns: (head, minimum width) of each.
        unit: the unit of times, shown in a line above the heads; "" for none.

    Attributes:
        above: a line above the heads.

    Example:
        >>> table = Table("Sizes", [("Name", 4), ("Size", 6)])
        >>> table.row("x", 3)
        >>> print(table.text())
        ---Sizes----
        ----  ------
        Name  Size
        ----  ------
        x     3
        <BLANKLINE>
        <BLANKLINE>
        <BLANKLINE>
    """

    def __init__(self, title: str, columns: list[tuple[str, int]], unit: str = ""):
        self._title, self._columns = title, columns
        self.above = f"Time unit: {unit}" if unit else ""
        self._rows: list[tuple[object, ...] | str | None] = []

    def row(self, *values: object) -> None:
        """Add a row."""
        self._rows.append(values)

    def title_row(self, text: str) -> None:
        """Add a row with one text in the middle of dashes."""
        self._rows.append(text)

    def rule(self) -> None:
        """Add a line below the rows so far."""
        self._rows.append(None)

    def text(self, note: str = "", with_rule: bool = False) -> str:
        """Return the table as text.

        Args:
            note: a text below it, between two lines.
            with_rule: add a line below it if there is no note.
        """
        widths = self._widths()
        length = sum(widths) + 2 * (len(widths) - 1)
        rule = "".join([f"{'-' * width}  " for width in widths])
        lines = [_centred(self._title, length)]
        lines += [self.above] if self.above else []
        lines += [rule, _line([head for head, _ in self._columns], widths), rule]
        for row in self._rows:
            if row is None:
                lines.append(rule)
            elif isinstance(row, str):
                lines.append(_centred(row, length))
            else:
                lines.append(_line(row, widths))
        if note:
            lines += [rule, note, "-" * length]
        elif with_rule:
            lines.append(rule)
        return "\n".join([*lines, "", "", ""])

    def _widths(self) -> list[int]:
        """Return the width of each column: the first one's as given, unless that is 0."""
        widths = [least for _, least in self._columns]
        for at, least in enumerate(widths):
            if at == 0 and least:
                continue
            cells = [row[at] for row in self._rows if isinstance(row, tuple)]
            widths[at] = max([least, *[len(str(cell)) for cell in cells]])
        return widths


def _line(cells: Iterable, widths: list[int]) -> str:
    pairs = zip(cells, widths, strict=True)
    return "".join([f"{cell!s:<{width}}  " for cell, width in pairs])


def _centred(text: str, length: int) -> str:
    before = (length - len(text)) // 2
    return f"{'-' * before}{text}{'-' * (length - len(text) - before)}"


def time_text(nanoseconds: float, unit: str) -> str:
    """Return a time with two decimals; "-" for infinity, the minimum of no times.

    Example:
        >>> time_text(1_500_000, "ms")
        '1.50'
    """
    return "-" if nanoseconds == float("inf") else f"{nanoseconds / _NS[unit]:.2f}"


def ratio_text(ratio: float) -> str:
    """Return a share as a percentage with two decimals."""
    return f"{ratio * 100:.2f}"


def times_text(times: Any, whole: float, unit: str) -> str:
    """Return "total / average / maximum / minimum / share of the whole"."""
    shown = [time_text(each, unit) for each in (times.total, times.average, times.max, times.min)]
    return f"{' / '.join(shown)} / {ratio_text(times.total / whole if whole else 0)}"
