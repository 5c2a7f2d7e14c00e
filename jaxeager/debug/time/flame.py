"""A flame graph: the width of a line, a Layer or an op is its duration. One SVG or HTML file.

The file is self-contained and needs no network. A click shows one bar at full width, a click on the
lowest bar shows all; the keyboard does the same (Tab, Enter, Escape); screen readers read each
bar's text.
"""

from __future__ import annotations

import html
import os
from pathlib import Path

from jaxeager.debug.time.event_tree import OPS, named
from jaxeager.debug.time.timed_events import Event, TracerEventType

_ROW, _WIDTH, _LEAST = 18, 1200, 0.3  # pixels; narrower bars are omitted
_COLOURS = {
    "line": ("#ffd8a8", "#f59f00"),
    "op": ("#a5d8ff", "#1c7ed6"),
    "node": ("#b2f2bb", "#2f9e44"),
    "device": ("#d0bfff", "#7048e8"),
    "compile": ("#ffc9c9", "#e03131"),
    "wait": ("#e5dbff", "#862e9c"),
    "all": ("#e9ecef", "#868e96"),
}


class Flame:
    """A bar: a name, its total duration, and the bars it called.

    Attributes:
        name: its text.
        kind: "line", "op", "node", "device", "compile", "wait" or "all".
        ns: nanoseconds.
        inner: the bars on it, by name and kind.
    """

    __slots__ = ("inner", "kind", "name", "ns")

    def __init__(self, name: str, kind: str):
        self.name, self.kind, self.ns = name, kind, 0
        self.inner: dict[tuple[str, str], Flame] = {}

    def at(self, name: str, kind: str) -> Flame:
        """Return the bar of a name on this one; create it if there is none."""
        found = self.inner.get((name, kind))
        if found is None:
            found = self.inner[name, kind] = Flame(name, kind)
        return found


def write(root: Flame, path: str | os.PathLike, title: str) -> None:
    """Write the picture of a bar and all bars on it.

    Args:
        root: the lowest bar.
        path: the path of a file; HTML if its name ends so, else SVG.
        title: the text above the picture.
    """
    target = Path(path)
    picture = svg(root, title)
    if target.suffix.lower() in (".html", ".htm"):
        head = (
            f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{_text(title)}</title>'
        )
        picture = f"{head}\n<body style='margin:0'>\n{picture}</body></html>\n"
    target.write_text(picture, encoding="utf-8")


def svg(root: Flame, title: str) -> str:
    """Return the picture as SVG.

    Example:
        >>> root = Flame("all", "all")
        >>> root.ns = 2_000_000
        >>> root.at("matmul", "op").ns = 1_000_000
        >>> "matmul: 1.000 ms (50.0 %)" in svg(root, "a step")
        True
    """
    bars: list[tuple[Flame, int, float, float]] = []
    waiting = [(root, 0, 0.0, float(_WIDTH))]
    while waiting:
        bar, depth, left, width = waiting.pop()
        bars.append((bar, depth, left, width))
        at = left
        for each in sorted(bar.inner.values(), key=lambda each: -each.ns):
            wide = width * each.ns / max(bar.ns, 1)
            if wide >= _LEAST:
                waiting.append((each, depth + 1, at, wide))
            at += wide
    rows = max(depth for _, depth, _, _ in bars) + 1
    height = rows * _ROW + 58
    drawn = "\n".join(
        [_bar(bar, root, (rows - 1 - depth) * _ROW + 34, x, w) for bar, depth, x, w in bars]
    )
    return _PAGE.format(
        width=_WIDTH, height=height, title=_text(title), bars=drawn, legend=_legend(height - 8)
    )


def _bar(bar: Flame, root: Flame, y: int, left: float, width: float) -> str:
    fill, line = _COLOURS[bar.kind]
    label = f"{bar.name}: {bar.ns / 1e6:.3f} ms ({100 * bar.ns / max(root.ns, 1):.1f} %)"
    return (
        f'<g class="bar" tabindex="0" role="button" aria-label="{_text(label)}" '
        f'data-x="{left:.2f}" data-w="{width:.2f}" data-y="{y}" data-name="{_text(bar.name)}">'
        f"<title>{_text(label)}</title>"
        f'<rect x="{left:.2f}" y="{y}" width="{max(width - 0.5, 0.2):.2f}" height="{_ROW - 1}" '
        f'rx="2" fill="{fill}" stroke="{line}" stroke-width="0.5"/>'
        f'<text x="{left + 4:.2f}" y="{y + 12.5}">{_text(_fitted(bar.name, width))}</text></g>'
    )


def _fitted(name: str, width: float) -> str:
    """Return the part of a name that fits into a bar."""
    most = int((width - 8) / 6.4)
    if most < 3:
        return ""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _legend(y: float) -> str:
    parts, at = [], 8
    names = {"line": "your lines", "op": "ops", "node": "nodes of backward"}
    names |= {"device": "waiting for the device", "compile": "making kernels"}
    for kind, name in names.items():
        fill, line = _COLOURS[kind]
        parts.append(
            f'<rect x="{at}" y="{y - 9}" width="11" height="11" fill="{fill}" stroke="{line}"/>'
            f'<text x="{at + 16}" y="{y}">{name}</text>'
        )
        at += 40 + 7 * len(name)
    return "".join(parts)


def _text(value: str) -> str:
    return html.escape(value, quote=True)


_PAGE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" \
width="100%" role="group" aria-label="{title}" font-family="ui-monospace,Menlo,monospace" \
font-size="11">
<style>svg{{background:#fff;fill:#1f2328}} .bar{{cursor:pointer}} \
.bar:focus{{outline:none}} .bar:focus rect,.bar:hover rect{{stroke-width:2}}</style>
<text x="8" y="20" font-size="14" font-weight="bold">{title}</text>
<g>
{bars}
</g>
<g>{legend}</g>
<script><![CDATA[
(() => {{
  const bars = [...document.querySelectorAll(".bar")], full = {width};
  const show = (x, w, y) => bars.forEach((bar) => {{
    const d = bar.dataset, under = +d.y > y && +d.x <= x + 0.01 && +d.x + +d.w >= x + w - 0.01;
    const inside = +d.y <= y && +d.x >= x - 0.01 && +d.x + +d.w <= x + w + 0.01;
    bar.style.display = under || inside ? "" : "none";
    const left = under ? 0 : (d.x - x) * full / w, wide = under ? full : d.w * full / w;
    bar.children[1].setAttribute("x", left);
    bar.children[1].setAttribute("width", Math.max(wide - 0.5, 0.2));
    const most = Math.floor((wide - 8) / 6.4), name = d.name;
    bar.children[2].setAttribute("x", left + 4);
    bar.children[2].textContent =
      most < 3 ? "" : name.length <= most ? name : name.slice(0, most - 1) + "…";
  }});
  const zoom = (bar) => show(+bar.dataset.x, +bar.dataset.w, +bar.dataset.y);
  bars.forEach((bar) => {{
    bar.addEventListener("click", () => zoom(bar));
    bar.addEventListener("keydown", (event) => {{
      if (event.key === "Enter") zoom(bar);
      if (event.key === "Escape") zoom(bars[0]);
    }});
  }});
}})();
]]></script>
</svg>
"""


def add_event(root: Flame, event: Event) -> None:
    """Add an event and everything inside it to the bars of the lines it was called from."""
    bar = root
    for frame in event.stack:
        bar = bar.at(f"{frame.label} ({os.path.basename(frame.file)}:{frame.line})", "line")
        bar.ns += event.duration_ns
    waiting = [(event, bar)]
    while waiting:
        each, below = waiting.pop()
        if each.kind in (TracerEventType.OperatorInner, TracerEventType.DygraphKernelLaunch):
            continue
        if each.is_wait:
            below.at(each.name, "wait").ns += each.duration_ns
            continue
        if each.kind is TracerEventType.UserDefined:  # Paddle's second name of a backward
            waiting += [(child, below) for child in each.children]
            continue
        name, kind = named(each)
        bar = below.at(name, kind if each.kind in OPS else "line")
        bar.ns += each.duration_ns
        if each.device_ns:
            bar.at("device", "device").ns += each.device_ns
        if each.compile_ns:
            bar.at("making kernels", "compile").ns += each.compile_ns
        waiting += [(child, bar) for child in each.children]
