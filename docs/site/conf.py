"""The configuration of Sphinx; docs/site/make_site.py runs it."""

import re
from pathlib import Path
from typing import Any

project = "jaxeager"
author = "The jaxeager contributors"
html_title = "jaxeager"
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_static_path = ["static"]
html_css_files = ["site.css"]
html_use_index = False  # 5,000 names: the search finds them
html_favicon = "static/icon.svg"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_design",
]
exclude_patterns = ["_build"]

# A short name in an annotation may belong to several classes; any of them is a good target.
suppress_warnings = ["ref.python"]

autosummary_generate = False

autodoc_member_order = "alphabetical"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Paddle", "notes_style"), ("Cost", "notes_style")]
napoleon_use_ivar = True
napoleon_use_rtype = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

_LITERAL = re.compile(r"(``.*?``|`[^`]*`)")
_MARK = re.compile(r"[*|]|(?<=\w)_(?=\W|$)")


def _as_plain_text(app: Any, what: str, name: str, value: Any, options: Any, lines: list) -> None:
    """Keep reStructuredText from reading markup into sentences: ``|x|`` is a number, not a link."""
    literal_from = None
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal_from is not None and line.strip() and indent <= literal_from:
            literal_from = None
        if literal_from is not None or line.lstrip().startswith((">>>", "...")):
            continue
        if line.endswith("::"):
            literal_from = indent
        parts = _LITERAL.split(line)
        parts[::2] = [_MARK.sub(r"\\\g<0>", part) for part in parts[::2]]
        lines[at] = "".join(parts)


def _without_private_bases(app: Any, name: str, obj: type, options: Any, bases: list) -> None:
    """Name the nearest public base instead of a private one."""
    bases[:] = dict.fromkeys(_public_base(base) for base in bases)


def _public_base(base: Any) -> Any:
    while isinstance(base, type) and base.__name__.startswith("_"):
        base = base.__bases__[0]
    return base


def setup(app: Any) -> None:
    """Read docstrings before napoleon does, and show only public bases."""
    app.connect("autodoc-process-bases", _without_private_bases)
    app.connect("autodoc-process-docstring", _as_plain_text, priority=400)
