"""Whether pictures of graphs can be drawn on this machine."""

import importlib
import shutil

import pytest


def _what_is_missing() -> str:
    """Return why pygraphviz does not load; nothing if it does, or if ``dot`` is on PATH."""
    try:
        importlib.import_module("pygraphviz")
    except ImportError as error:
        return "" if shutil.which("dot") else str(error)
    return ""


_missing = _what_is_missing()
needs_graphviz = pytest.mark.skipif(bool(_missing), reason=f"pictures need Graphviz: {_missing}")
