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

_DESCRIBES = r"^\.\. (?:autofunction|autoclass|py:data):: (\S+)$"


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


def test_a_link_to_nothing_is_an_error(monkeypatch, tmp_path):
    (tmp_path / "guide.md").write_text("See [this](that.md).")
    monkeypatch.setattr(make_site, "ROOT", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"guide\.md links to that\.md"):
        make_site.guide("guide.md")


def test_every_page_is_in_the_menu(pages):
    menu = set(re.findall(r"^[\w./-]+$", (pages / "index.md").read_text(), re.MULTILINE))
    made = {path.relative_to(pages).with_suffix("").as_posix() for path in pages.rglob("*.*")}
    made = {name for name in made if not name.startswith("images/")}
    assert made - {"index"} <= menu


def test_types_of_python_are_data(pages):
    """Their docstrings are those of Python's classes, which Sphinx cannot read."""
    found = set()
    for room, module in make_site.public_rooms().items():
        page = (pages / "api" / f"{room}.rst").read_text()
        for name in make_site.public_names(module):
            if get_origin(getattr(module, name)) is not None:
                found.add(name)
                assert f".. py:data:: {room}.{name}\n   :value: " in page
    assert "ShardedStateDict" in found


def test_every_public_name_is_described_once(pages):
    described = [
        name
        for page in sorted((pages / "api").glob("*.rst"))
        for name in re.findall(_DESCRIBES, page.read_text(), re.MULTILINE)
    ]
    assert len(described) == len(set(described))
    names = {
        f"{room}.{name}"
        for room, module in make_site.public_rooms().items()
        for name in make_site.public_names(module)
    }
    assert names == set(described)
    assert {f"jaxeager.{name}" for name in ("matmul", "Tensor", "nn.Linear")} <= names
    assert paddle.matmul.__doc__
