"""The project's statements about itself agree in all places, and its notes are found."""

import re
import tomllib
from pathlib import Path

import jaxeager as paddle

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOW = (ROOT / ".github/workflows/tests.yml").read_text()


def test_the_version_is_the_same_in_three_files():
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert {PROJECT["version"], paddle.version.full_version} == {cited.group(1)}


def test_every_classified_python_is_one_the_workflow_tests():
    classified = {
        line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r"3\.\d+$", line)
    }
    found = re.search(r"python: \[(.*)\]", WORKFLOW)
    assert found is not None
    assert classified <= set(re.findall(r"3\.\d+", found.group(1)))
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')}" in "".join(
        line.replace("Python :: ", "Python ") for line in PROJECT["classifiers"]
    )


def test_the_package_says_that_it_has_types():
    assert (Path(paddle.__file__).parent / "py.typed").read_text() == ""


def _sources():
    """Yield the name and text of each file that may have notes."""
    for folder in ("jaxeager", "tests", "docs", "benchmarks", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".md", ".toml"):
                yield str(path.relative_to(ROOT)), path.read_text()


def test_every_cited_note_has_one_title():
    """A title begins a separate line; a citation may be broken over two lines."""
    titles: dict[str, list[str]] = {}
    cited: dict[str, list[str]] = {}
    for name, text in _sources():
        for title in re.findall(r"^[\s#]*Note \[([^\]\n]+)\]$", text, re.MULTILINE):
            titles.setdefault(title, []).append(name)
        for title in re.findall(r"Note\s+(?:#\s*)?\[([A-Z][^\]]*)\]", text):
            cited.setdefault(" ".join(title.replace("#", " ").split()), []).append(name)
    assert cited
    several = {title: places for title, places in titles.items() if len(places) > 1}
    unknown = {title: places for title, places in cited.items() if title not in titles}
    assert several == {}
    assert unknown == {}
