"""The project's statements about itself agree in all places, and its notes are found."""

import re
import sys
import tomllib
from pathlib import Path

import jaxeager as paddle

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import address  # noqa: E402

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


def test_an_extra_brings_jax_for_each_accelerator():
    extras = PROJECT["optional-dependencies"]
    (bound,) = (each for each in PROJECT["dependencies"] if each.startswith("jax>"))
    for name in ("cuda12", "cuda13", "tpu"):
        assert extras[name] == [bound.replace("jax", f"jax[{name}]")]


def test_what_the_image_runs_is_there():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    (target,) = (line.removeprefix("RUN make ") for line in lines if line.startswith("RUN make "))
    extras = target.removeprefix(".venv/.with-").split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    makefile = (ROOT / "Makefile").read_text()
    assert f"demo: $(VENV)/.with-{','.join(extras)}\n" in makefile
    python = next(line.split(":")[1] for line in lines if line.startswith("FROM python:"))
    assert (
        f"Programming Language :: Python :: {python.removesuffix('-slim')}"
        in PROJECT["classifiers"]
    )


def test_a_release_has_absolute_links(tmp_path):
    for name in ("README.md", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    url = "https://example.org/jaxeager"
    assert address.main(f"{url}/", "v1", tmp_path) == 0
    readme = (tmp_path / "README.md").read_text()
    targets = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert targets
    assert all(target.startswith("https://") for target in targets)
    assert f"![Loss and accuracy of the demo, epoch by epoch]({url}/raw/v1/docs/images/" in readme
    for target in targets:
        kind, _, path = target.removeprefix(f"{url}/").partition("/v1/")
        assert kind in ("raw", "blob")
        assert (ROOT / path.partition("#")[0]).exists()
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())
    assert project["project"]["urls"]["Source"] == url
    assert project["tool"]["ruff"]["line-length"] == 100
    assert address.main(url, "v1", tmp_path) == 2


def test_links_that_are_absolute_already_stay():
    text = "[a](https://b.org) [c](#d) ![e](f.png) [g](h.md#i)"
    expected = "[a](https://b.org) [c](#d) ![e](u/raw/t/f.png) [g](u/blob/t/h.md#i)"
    assert address.absolute(text, "u", "t") == expected


def _sources():
    """Yield the name and text of each file that may have notes."""
    for folder in ("jaxeager", "tests", "docs", "tools", "benchmarks", "examples"):
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


WHERE = {
    "ops/indexing/getitem.py": "def getitem", "graph/engine.py": "def run_backward",
    "ops/nn/activation.py": "def gelu_vjp", "optimizer/rules.py": "def adam",
    "framework/io/paths.py": "def writing", "jit/programs/whole_graph.py": "class WholeGraph",
    "kernels/executables.py": "class _Kernel", "kernels/kernel_files.py": "def read",
    "kernels/lazy/recorder.py": "class Recording", "amp/policy.py": "def rule_of",
    "distributed/communication/kernels.py": "REDUCTIONS",
    "nn/layer/hooks.py": "def call_with_hooks", "optimizer/lr/annealing.py": "class LinearWarmup",
    "graph/views/stale.py": "def _refresh", "ops/linalg/products.py": "def inner_lengths",
}  # fmt: skip


def test_the_answers_to_where_a_thing_is_are_right():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    table = page.split("| where is ... | file |")[1].split("\n\n")[0]
    assert set(re.findall(r"`jaxeager/([\w/]+\.py)`", table)) == set(WHERE)
    for file, name in WHERE.items():
        assert re.search(rf"^\s*{name}\b", (ROOT / "jaxeager" / file).read_text(), re.M), file
