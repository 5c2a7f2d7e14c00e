"""The built site in a real browser: its widths, its console, its search."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import make_site  # noqa: E402
import screenshots  # noqa: E402

from tests.support.browser import browser  # noqa: E402

pytestmark = pytest.mark.deep


def test_pages_fit_and_the_search_finds_what_people_mean(tmp_path):
    pytest.importorskip("sphinx", reason="the site needs the extra docs")
    with browser():
        pass
    assert make_site.main(str(tmp_path / "site")) == 0
    assert screenshots.problems(tmp_path / "site", tmp_path / "pictures") == []
    assert len(list((tmp_path / "pictures").glob("*.png"))) == 4 * len(screenshots.PAGES) + 1


def test_faults_are_seen(tmp_path, monkeypatch):
    pages = {"api/wide.html": '<div style="width:500px; height:40000px">wide</div>'}
    pages["index.html"] = "<script>console.log('odd')</script>"
    result = '<div id="search-results"><ul class="search"><li><a>compat.nn.Linear</a></ul></div>'
    pages["search.html"] = result
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(screenshots, "PAGES", ["api/wide.html", "index.html"])
    monkeypatch.setattr(screenshots, "FIRST", {"Linear": "jaxeager.nn.Linear"})
    found = "\n".join(screenshots.problems(tmp_path, tmp_path / "pictures"))
    assert "console: odd" in found
    assert "api/wide.html is 508 pixels wide, on a screen of 390" in found
    assert "pixels long" in found
    assert "the search for Linear shows compat.nn.Linear first" in found
