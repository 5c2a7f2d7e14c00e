"""HTML of the forms: escaped text, tables, foldable parts, and small drawings."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

import numpy as np

WIDTH, HEIGHT = 240, 48  # of a drawing, in pixels


def block(content: str) -> str:
    """Return a form: a block in a font of equal widths."""
    return f'<div style="font-family: monospace; line-height: 1.5">{content}</div>'


def escaped(value: object) -> str:
    """Return the text of a value, escaped."""
    return html.escape(str(value))


def text_form(value: object) -> str:
    """Return the printed form of a value."""
    return f'<pre style="margin: 0">{escaped(repr(value))}</pre>'


def title(name: str, *facts: object) -> str:
    """Return a line with a name in bold, and facts about it."""
    rest = " &middot; ".join(escaped(fact) for fact in facts if fact not in (None, ""))
    return f"<div><b>{escaped(name)}</b> {rest}</div>"


def quiet(text: object) -> str:
    """Return text that is less prominent."""
    return f'<span style="opacity: 0.7">{escaped(text)}</span>'


def folded(summary: str, content: str, is_open: bool = False) -> str:
    """Return a part that can be folded.

    Args:
        summary: the visible line, HTML.
        content: the rest, HTML.
        is_open: whether it is unfolded at first.
    """
    state = ' open=""' if is_open else ""
    return (
        f'<details{state} style="margin-left: 1em"><summary style="cursor: pointer">{summary}'
        f"</summary>{content}</details>"
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of texts."""
    cell = 'style="text-align: left; padding: 0 1em 0 0"'
    head = "".join(f"<th {cell}>{escaped(each)}</th>" for each in heads)
    body = "".join(
        f"<tr>{''.join(f'<td {cell}>{escaped(value)}</td>' for value in row)}</tr>" for row in rows
    )
    return f'<table style="border-collapse: collapse"><tr>{head}</tr>{body}</table>'


def bars(counts: Sequence[int], label: str) -> str:
    """Return a drawing of a histogram.

    Args:
        counts: the heights of the bars.
        label: the text that describes the drawing to a reader of the page.
    """
    most, width = max(*counts, 1), WIDTH / len(counts)
    shapes = "".join(
        f'<rect x="{at * width:.1f}" y="{HEIGHT * (1 - count / most):.1f}" '
        f'width="{width * 0.9:.1f}" height="{HEIGHT * count / most:.1f}"/>'
        for at, count in enumerate(counts)
    )
    return _drawing(f'<g fill="currentColor" opacity="0.6">{shapes}</g>', label)


def curve(values: Sequence[float], label: str) -> str:
    """Return a drawing of a line through values at equal distances; see ``bars``."""
    low, high = min(values), max(values)
    across = WIDTH / max(len(values) - 1, 1)
    heights = (np.asarray(values) - low) / ((high - low) or 1.0)
    points = " ".join(
        f"{at * across:.1f},{2 + (HEIGHT - 4) * (1 - height):.1f}"
        for at, height in enumerate(heights)
    )
    line = f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    return _drawing(line, label)


def _drawing(shapes: str, label: str) -> str:
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escaped(label)}"><title>{escaped(label)}</title>{shapes}</svg>'
    )
