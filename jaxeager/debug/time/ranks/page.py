"""The report of ranks as one HTML page: sentences, bars, a picture of some steps, and tables.

The page is self-contained, needs no network and no script, and follows the system's light or dark
colours. Each bar has its numbers as a title, and the tables below repeat them.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence

from jaxeager.debug.time.ranks import stages
from jaxeager.debug.time.ranks.meetings import Spans
from jaxeager.debug.time.ranks.record import SourceLine
from jaxeager.debug.time.ranks.report import RanksReport, place_text

_WIDTH, _LABEL, _ROW = 1000, 62, 26  # pixels: of a picture, of its labels, of a rank
_SHOWN_STEPS = 3
_LEAST_PIXELS = 0.4  # narrower pieces are drawn with this width
_PARTS = {
    "python": "Python of ops and nodes",
    "device": "device",
    "compile": "making kernels",
    "waited": "waiting for other ranks",
    "transferred": "transferring",
    "outside": "outside of ops",
}


def page_of(report: RanksReport) -> str:
    """Return the page as text."""
    ranks = f"{len(report.records)} rank{'s' if len(report.records) != 1 else ''}"
    parts = [
        f'<p class="headline">{_text(_sentence(report.headline()))}</p>',
        f'<p class="quiet">{_text(report.compared())}</p>' if report.compared() else "",
        *[
            f'<p class="bad">rank {each.rank} ended with {_text(each.error)}</p>'
            for each in report.records.values()
            if each.error
        ],
        _section("Where the time of each rank went", _legend(_PARTS), bars(report), _ranks(report)),
        _stages(report),
        _steps_section(report),
        _section("Lines where ranks differ", _lines(report)) if len(report.records) > 1 else "",
        _section("Calls between ranks", _calls(report)),
    ]
    body = "\n".join([each for each in parts if each])
    return _PAGE.format(title=f"Time of {ranks}", style=_STYLE, body=body)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{_text(title)}</h2>\n" + "\n".join(parts) + "\n</section>"


def _legend(names: dict[str, str]) -> str:
    shown = [f'<span><i class="{kind}"></i>{_text(name)}</span>' for kind, name in names.items()]
    return f'<p class="legend">{"".join(shown)}</p>'


# ---- pictures


def bars(report: RanksReport) -> str:
    """Return an SVG with a bar per rank, divided by where its time went."""
    rows = report.rows()
    longest = max([row.total_ns for row in rows]) or 1
    drawn = []
    for number, row in enumerate(rows):
        left, y = float(_LABEL), number * _ROW + 4
        drawn.append(_label(row.rank, y))
        for kind, name in _PARTS.items():
            took = getattr(row, f"{kind}_ns")
            wide = took / longest * (_WIDTH - _LABEL)
            title = f"rank {row.rank}: {took / 1e6:.1f} ms {name}"
            drawn.append(_piece(kind, left, y, wide, title))
            left += wide
    return _svg("time of each rank", len(rows) * _ROW + 4, drawn)


def _steps_section(report: RanksReport) -> str:
    """Return the picture of the last compared steps; "" without any."""
    if not report.steps:
        return ""
    names = {
        "op": "ops", "node": "nodes of backward", "waited": "waiting for other ranks",
        "transferred": "transferring", "outside": "outside of ops",
    }  # fmt: skip
    picture, title = timeline(report)
    return _section(title, _legend(names), picture)


def timeline(report: RanksReport) -> tuple[str, str]:
    """Return an SVG of what each rank does in the last compared steps, and its title."""
    last = report.steps[-1]
    first = max(last - _SHOWN_STEPS + 1, 0)
    begin, end = _window(report, first, last)
    drawn = []
    scale = (_WIDTH - _LABEL) / max(end - begin, 1)
    for number, rank in enumerate(report.records):
        y = number * _ROW + 4
        drawn.append(_label(rank, y))
        for kind, spans in _kinds(report, rank, begin, end).items():
            for start, stop in _joined(spans, _LEAST_PIXELS / scale):
                title = f"{kind}: {(stop - start) / 1e6:.2f} ms"
                left, wide = _LABEL + (start - begin) * scale, (stop - start) * scale
                drawn.append(_piece(kind, left, y, wide, title))
    count = last - first + 1
    words = f"The last {count} steps" if count > 1 else "The last step"
    title = f"{words} that are compared, {(end - begin) / 1e6:.1f} ms"
    return _svg(title, len(report.records) * _ROW + 4, drawn), title


def _window(report: RanksReport, first: int, last: int) -> tuple[int, int]:
    """Return the times between which some steps ran, on the first rank's clock."""
    begins, ends = [], []
    for record in report.records.values():
        shift = report.clocks[record.rank].ns
        begins.append((record.step_ends[first - 1] if first else record.began_ns) - shift)
        ends.append(record.step_ends[last] - shift)
    return min(begins), max(ends)


def _kinds(
    report: RanksReport, rank: int, begin: int, end: int
) -> dict[str, list[tuple[int, int]]]:
    """Return what a rank does between two times, by kind; later ones are drawn over earlier."""
    record, shift = report.records[rank], report.clocks[rank].ns
    found: dict[str, list[tuple[int, int]]] = {"outside": [(begin, end)], "op": [], "node": []}
    for each in record.slices:
        span = max(each.begin_ns - shift, begin), min(each.end_ns - shift, end)
        if each.kind in found and span[0] < span[1]:
            found[each.kind].append(span)
    stopped = Spans([(start - shift, stop - shift) for start, stop in record.stopped])
    found["transferred"] = stopped.common(begin, end)
    found["waited"] = [
        part
        for meeting in report.meetings
        if rank in meeting.calls
        for part in stopped.common(
            max(meeting.calls[rank].began_ns, begin), min(meeting.complete_ns, end)
        )
    ]
    return found


def _joined(spans: Iterable[tuple[int, int]], distance: float) -> list[tuple[int, int]]:
    """Return spans, those that are hardly apart joined, so that a picture has few pieces."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if found and begin - found[-1][1] < distance:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found


def _label(rank: int, y: int) -> str:
    return f'<text x="0" y="{y + 14}">rank {rank}</text>'


def _piece(kind: str, left: float, y: int, wide: float, title: str) -> str:
    if wide <= 0:
        return ""
    return (
        f'<rect class="{kind}" x="{left:.2f}" y="{y}" width="{max(wide, _LEAST_PIXELS):.2f}" '
        f'height="{_ROW - 8}"><title>{_text(title)}</title></rect>'
    )


def _svg(label: str, height: int, drawn: Sequence[str]) -> str:
    inner = "\n".join([each for each in drawn if each])
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{_text(label)}">\n'
        f"{inner}\n</svg>"
    )


# ---- tables


def _ranks(report: RanksReport) -> str:
    heads = ["rank", "steps", "total ms", *_PARTS.values()]
    rows = [
        [str(row.rank), str(len(report.records[row.rank].step_ends)), *[_ms(ns) for ns in row[1:]]]
        for row in report.rows()
    ]
    return _table(heads, rows)


def _stages(report: RanksReport) -> str:
    """Return the table of the stages of a pipeline; "" without a pipeline."""
    rows = report.stages
    if not rows:
        return ""
    told = [each for each in (stages.sentence(rows), stages.unavoidable(rows)) if each]
    note = "".join([f"<p>{_text(_sentence(each))}.</p>" for each in told])
    table = _table(stages.HEADS, [stages.cells(row) for row in rows])
    return _section("Stages of the pipeline", note, table)


def _lines(report: RanksReport) -> str:
    found = report.shown_lines()
    if not found:
        return '<p class="quiet">The ranks spend the same time at each line.</p>'
    heads = [f"rank {rank}" for rank in report.records]
    rows = [[_ms(each.ns[rank]) for rank in report.records] for each in found]
    places = [each.place for each in found]
    note = '<p class="quiet">Milliseconds a step, without waits for other ranks.</p>'
    return note + _table([*heads, "line"], rows, places)


def _calls(report: RanksReport) -> str:
    found = report.calls()
    if not found:
        return '<p class="quiet">No call between ranks was made by all of its ranks.</p>'
    heads = ["calls", "MB"] + [f"rank {rank} waited ms" for rank in report.records]
    heads += ["transferring ms", "GB/s", "what", "line"]
    rows = [
        [
            str(row.calls), f"{row.bytes / 1e6:.2f}",
            *[_ms(row.waited_ns[one]) if one in row.waited_ns else "-" for one in report.records],
            _ms(row.transferred_ns), "-" if row.bandwidth is None else f"{row.bandwidth:.2f}",
            row.name,
        ]
        for row in found
    ]  # fmt: skip
    return _table(heads, rows, [row.place for row in found])


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], places: Sequence[SourceLine] = ()
) -> str:
    """Return a table; ``places`` are the lines of its last column, if it has one."""
    lines = ["<tr>" + "".join([f"<th>{_text(each)}</th>" for each in heads]) + "</tr>"]
    for number, row in enumerate(rows):
        cells = "".join([f"<td>{_text(each)}</td>" for each in row])
        if places:
            cells += f'<td class="line">{_place(places[number])}</td>'
        lines.append(f"<tr>{cells}</tr>")
    return '<div class="wide"><table>\n' + "\n".join(lines) + "\n</table></div>"


def _place(place: SourceLine) -> str:
    if not place.file:
        return ""
    full = f"{os.path.abspath(place.file)}:{place.line}"
    return (
        f'<span class="quiet" title="{_text(full)}">{_text(place_text(place))}</span> '
        f"<code>{_text(place.text)}</code>"
    )


def _ms(ns: float) -> str:
    return f"{ns / 1e6:.1f}"


def _text(value: str) -> str:
    return html.escape(value, quote=True)


_STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --panel: #fff; --rule: #dde2e8; --text: #1d2530;
  --muted: #5a6675; --bad: #c62a2f; --python: #4f8fd6; --device: #7b61c9; --compile: #c79a2e;
  --waited: #d8504d; --transferred: #3f9b74; --outside: #c3cad3; --op: #4f8fd6; --node: #7b61c9; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161c; --panel: #181d25; --rule: #2c3440; --text: #e4e9f0; --muted: #9caaba;
    --bad: #ff7b7b; --python: #5f9fe6; --device: #9a82e6; --compile: #d9b04c; --waited: #f0726e;
    --transferred: #55b88d; --outside: #4a5563; --op: #5f9fe6; --node: #9a82e6; }
}
body { margin: 0 auto; max-width: 1080px; padding: 20px 16px 40px; background: var(--page);
  color: var(--text); font: 14px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 19px; margin: 0 0 8px; } h2 { font-size: 15px; margin: 0 0 8px; }
p { margin: 0 0 8px; } .quiet { color: var(--muted); } .bad { color: var(--bad); }
.headline { font-size: 16px; padding: 10px 14px; background: var(--panel);
  border-left: 4px solid var(--waited); border-radius: 4px; overflow-wrap: anywhere; }
section { background: var(--panel); border: 1px solid var(--rule); border-radius: 8px;
  padding: 14px 16px; margin-top: 16px; }
svg { display: block; width: 100%; height: auto; margin-bottom: 10px; }
svg text { fill: var(--text); font-size: 13px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; color: var(--muted); font-size: 13px; }
.legend i { display: inline-block; width: 13px; height: 13px; border-radius: 3px;
  margin-right: 6px; vertical-align: -2px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 3px 10px; border-bottom: 1px solid var(--rule);
  white-space: nowrap; } th { color: var(--muted); font-weight: 600; }
td.line, th:last-child { text-align: left; }
code { font: 12.5px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
""" + "\n".join(
    [
        f"i.{kind} {{ background: var(--{kind}); }} rect.{kind} {{ fill: var(--{kind}); }}"
        for kind in [*_PARTS, "op", "node"]
    ]
)

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""
