"""The sources of the documentation: every link has a target, every public name is described."""

import re
import sys
from pathlib import Path
from typing import get_origin

import pytest

import jaxeager as paddle

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import make_site  # noqa: E402
import reference  # noqa: E402

_DESCRIBES = r"^\.\. (auto(?:function|class)|py:data):: (\S+)$"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the folder of all pages, as Sphinx gets them."""
    folder = tmp_path_factory.mktemp("pages")
    make_site.write_pages(folder)
    return folder


def test_links_lead_to_pages_and_pictures(pages):
    found = 0
    for page in sorted(pages.glob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            if "://" not in target:
                assert (pages / target).exists(), f"{page.name} links to {target}"
                found += 1
    assert found > 10


def test_a_bracket_that_stays_open_begins_no_link():
    text = "```\nInput: [\n( x,\n```\n\nfrees ([memory](memory.md))\n"
    found = make_site.relinked(text, lambda mark, words, target: f"{mark}{words}>{target}")
    assert found == text.replace("[memory](memory.md)", "memory>memory.md")


def test_a_link_to_nothing_is_an_error(monkeypatch, tmp_path):
    (tmp_path / "guide.md").write_text("See [this](that.md).")
    monkeypatch.setattr(make_site, "ROOT", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"guide\.md links to that\.md"):
        make_site.guide("guide.md")


def test_every_page_is_in_the_menu_or_in_a_table(pages):
    front = (pages / "index.md").read_text()
    menu = set(re.findall(r"^(?:.* <)?([\w./-]+)>?$", front, re.MULTILINE))
    made = {path.relative_to(pages).with_suffix("").as_posix() for path in pages.rglob("*.*")}
    made = {name for name in made if not name.startswith("images/")}
    inner = {name for name in made - {"index"} if _is_inner(pages / f"{name}.rst")}
    assert made - {"index"} - inner <= menu
    listed = {
        name if name.startswith("jaxeager.Tensor.") else f"{room.stem}.{name}"
        for room in map(pages.joinpath, (f"{name}.rst" for name in menu if name.startswith("api/")))
        for name in re.findall(r"^   ~(\S+)$", room.read_text(), re.MULTILINE)
    }
    for name in inner:
        described = re.findall(r"^\.\. auto\w+:: (\S+)$", (pages / f"{name}.rst").read_text(), re.M)
        assert described
        assert set(described) <= listed
    assert len(inner) > 500


def _is_inner(page: Path) -> bool:
    """Return whether a page is found through another page only."""
    return page.exists() and page.read_text().startswith(":orphan:")


def test_a_menu_has_short_titles(pages):
    front = (pages / "index.md").read_text()
    assert "\nLazy mode <lazy>\n" in front
    assert "\njit.to_static <compiling>\n" in front


def test_the_text_of_a_link_to_a_page_is_its_title(monkeypatch, tmp_path):
    (tmp_path / "lazy.md").write_text("# Lazy mode: fewer calls\n")
    (tmp_path / "guide.md").write_text("See [lazy.md](lazy.md#how) and [this](lazy.md).")
    monkeypatch.setattr(make_site, "ROOT", tmp_path)
    monkeypatch.setattr(make_site, "GUIDES", {"lazy.md": "lazy"})
    linked = "See [Lazy mode: fewer calls](lazy.md#how) and [this](lazy.md)."
    assert make_site.guide("guide.md") == linked


def test_functions_of_a_file_share_a_page(pages):
    page = (pages / "api" / "jaxeager.nn.functional-pooling.rst").read_text()
    assert ".. autofunction:: jaxeager.nn.functional.max_pool2d\n" in page
    assert "autofunction:: jaxeager.nn.functional.conv2d" not in page
    assert (pages / "api" / "jaxeager.nn.Linear.rst").exists()
    methods = (pages / "api" / "jaxeager.Tensor-indexing-gather.rst").read_text()
    assert ".. automethod:: jaxeager.Tensor.gather\n" in methods


def test_types_of_python_are_data(pages):
    """Their docstrings are those of Python's classes, which Sphinx cannot read."""
    found = set()
    for room, module in reference.public_rooms().items():
        page = (pages / "api" / f"{room}.rst").read_text()
        for name in reference.public_names(module):
            if get_origin(getattr(module, name)) is not None:
                found.add(name)
                assert f".. py:data:: {name}\n   :value: " in page
    assert "ShardedStateDict" in found


def test_every_public_name_is_described_once(pages):
    described = [
        f"{page.stem}.{name}" if directive == "py:data" else name
        for page in sorted((pages / "api").glob("*.rst"))
        for directive, name in re.findall(_DESCRIBES, page.read_text(), re.MULTILINE)
    ]
    assert len(described) == len(set(described))
    names = {
        f"{room}.{name}"
        for room, module in reference.public_rooms().items()
        for name in reference.public_names(module)
    }
    assert names == set(described)
    assert {f"jaxeager.{name}" for name in ("matmul", "Tensor", "nn.Linear")} <= names
    assert paddle.matmul.__doc__
