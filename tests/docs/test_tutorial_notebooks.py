"""The pages of the tutorial as notebooks: each cell runs, and shows what the page promises."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import tutorial_notebooks  # noqa: E402

PAGES = sorted((ROOT / "docs" / "tutorial").glob("[1-9]_*.md"))


def test_a_statement_that_shows_something_ends_a_cell():
    text = "Text.\n\n```pycon\n>>> x = 1\n>>> x\n1\n>>> y = 2\n>>> 1 / 0\nTraceback (most recent "
    text += "call last):\nZeroDivisionError: division by zero\n\n```\nSee [two](2_gradients.md).\n"
    cells = tutorial_notebooks.notebook_of(text)["cells"]
    assert [each["source"] for each in cells] == [
        "Text.", "x = 1\nx", "y = 2\n1 / 0", "See [two](2_gradients.ipynb)."
    ]  # fmt: skip
    assert [each["metadata"].get("tags") for each in cells[1:3]] == [None, ["raises-exception"]]


def test_a_notebook_of_the_cloud_installs_what_it_runs():
    source = "git+https://example.org/jaxeager@v1"
    cells = tutorial_notebooks.notebook_of(PAGES[0].read_text(), source)["cells"]
    assert cells[0]["source"].startswith("# 1. Tensors")
    line = f'%pip install -q "jaxeager[examples,io,viz] @ {source}"'
    assert line in cells[1]["source"]
    assert len({each["id"] for each in cells}) == len(cells)


def test_every_page_is_written(tmp_path):
    assert tutorial_notebooks.main(str(tmp_path)) == 0
    assert len(PAGES) == 7
    assert [each.stem for each in sorted(tmp_path.iterdir())] == [each.stem for each in PAGES]
    for page in PAGES:
        cells = tutorial_notebooks.notebook_of(page.read_text())["cells"]
        assert sum(each["cell_type"] == "code" for each in cells) >= 6
        assert ">>>" not in "".join(e["source"] for e in cells if e["cell_type"] == "code")


@pytest.mark.deep
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_cell_runs(page, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.from_dict(tutorial_notebooks.notebook_of(page.read_text()))
    nbformat.validate(notebook)
    where = {"metadata": {"path": str(tmp_path)}}
    client(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    raised = {
        number
        for number, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    }
    expected = {n for n, cell in enumerate(notebook.cells) if cell.metadata.get("tags")}
    assert raised == expected
    if page.stem == "1_tensors":
        shown = [o.data for c in notebook.cells for o in c.get("outputs", ()) if "data" in o]
        assert any("float32[3]" in data.get("text/html", "") for data in shown)
