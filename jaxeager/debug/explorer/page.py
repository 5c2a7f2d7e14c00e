"""A self-contained HTML page of a graph: the data, the script, and the libraries that draw it.

Note [The page]
    The page is ``assets/page.html`` with style, script, libraries and data inserted, so it can be
    sent as one file and needs no network. Cytoscape.js draws (on a canvas), dagre computes the
    layout. Both are in ``assets/vendor``, unmodified, with licences (``vendor/README.md``).
"""

import functools
import html
import json
import os
import re
from importlib import resources
from pathlib import Path

from jaxeager.debug.common.output_files import check_writable

_PARTS = {
    "style": "page.css",
    "cytoscape": "vendor/cytoscape.min.js",
    "dagre": "vendor/dagre.min.js",
    "layout": "layout.js",
    "map": "map.js",
    "graph": "graph.js",
    "details": "details.js",
    "script": "page.js",
}


_LIBRARIES = ("cytoscape", "dagre")
_LICENCES = "Cytoscape.js\n{}\n\ndagre\n{}"
_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)  # refers to a missing file


class Page(type(Path())):  # type: ignore[misc]  # the kind of path of this system
    """The path of a page, which notebooks show as the page itself."""

    def _repr_html_(self) -> str:
        text = html.escape(self.read_text(encoding="utf-8"))
        return (
            f'<iframe srcdoc="{text}" title="{html.escape(self.name)}" width="100%" height="640" '
            'style="border: 1px solid rgba(128, 128, 128, 0.4)"></iframe>'
        )


def write_page(data: dict, path: str | os.PathLike) -> Path:
    """Write the page of some data, and return its path; create folders.

    Raises:
        InvalidArgumentError: when the file cannot be written.
    """
    check_writable(os.fspath(path), "path of explore")
    written = Page(path)
    written.write_text(page_of(data), encoding="utf-8", errors="backslashreplace")
    return written


def page_of(data: dict) -> str:
    """Return the page of some data as text."""
    parts = {name: _asset(file) for name, file in _PARTS.items()}
    parts["licences"] = _LICENCES.format(*(_asset(f"vendor/{name}.LICENSE") for name in _LIBRARIES))
    parts["data"] = script_text(data)
    page = _asset("page.html")
    for name, text in parts.items():
        before, _, after = page.partition("{{" + name + "}}")
        page = before + text + after
    return page


def script_text(data: dict) -> str:
    """Return data as JSON that is safe inside a script element.

    Example:
        >>> script_text({"text": "</script>"})
        '{"text":"\\\\u003c/script>"}'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    return text.replace("<", "\\u003c")


@functools.cache
def _asset(name: str) -> str:
    folder = resources.files("jaxeager.debug.explorer").joinpath("assets")
    return _MAP.sub("", folder.joinpath(name).read_text(encoding="utf-8"))
