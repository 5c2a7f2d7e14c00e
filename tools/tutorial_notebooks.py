"""Write the pages of the tutorial as notebooks.

python tools/tutorial_notebooks.py OUT          # writes OUT/1_tensors.ipynb, ...
python tools/tutorial_notebooks.py OUT SOURCE   # each installs jaxeager first, where it is missing

SOURCE is what pip installs it from, such as git+https://HOST/REPOSITORY@v0.1.0 or a wheel's URL:
for notebooks in the cloud, which have JAX.

A statement whose value is shown ends a cell, so that the notebook shows it as well, in the form
that notebooks have. Nothing is written twice: the pages are the Markdown files, whose examples are
tests.
"""

import doctest
import json
import re
import sys
from pathlib import Path

from links import relinked

PAGES = Path(__file__).resolve().parents[1] / "docs" / "tutorial"
INSTALL = """try:
    import jaxeager
except ModuleNotFoundError:
    %pip install -q "jaxeager[examples,io,viz] @ {source}\""""
_BLOCK = re.compile(r"^```pycon\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def notebook_of(text: str, source: str | None = None) -> dict:
    """Return the notebook of a page, as the data of an .ipynb file.

    Args:
        text: the page, Markdown; its ``pycon`` blocks become cells of code.
        source: what the notebook installs jaxeager from; None if it does not.
    """
    cells: list[dict] = []
    for number, part in enumerate(_BLOCK.split(text)):
        if number % 2:
            cells += _cells_of(part)
        elif part.strip():
            cells.append({"cell_type": "markdown", "metadata": {}, "source": _linked(part.strip())})
    if source is not None:
        cells.insert(1, _code(INSTALL.format(source=source), []))  # after the title
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def _cells_of(block: str) -> list[dict]:
    """Return the cells of a block: each ends with a statement that shows something."""
    cells, lines = [], ""
    examples = doctest.DocTestParser().get_examples(block)
    for number, example in enumerate(examples):
        lines += example.source
        if example.want or number == len(examples) - 1:
            tags = ["raises-exception"] if example.exc_msg is not None else []
            cells.append(_code(lines.rstrip("\n"), tags))
            lines = ""
    return cells


def _code(source: str, tags: list[str]) -> dict:
    return {
        "cell_type": "code",
        "metadata": {"tags": tags} if tags else {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def _linked(text: str) -> str:
    """Return Markdown whose links lead to the other notebooks; other pages are named."""

    def link(mark: str, words: str, target: str) -> str:
        target, hash_, anchor = target.partition("#")
        if (PAGES / target).parent == PAGES and target.endswith(".md"):
            return f"[{words}]({target.removesuffix('.md')}.ipynb{hash_}{anchor})"
        file = (PAGES / target).resolve().relative_to(PAGES.parents[1])
        return f"{mark}{words} (`{file.as_posix()}`)"

    return relinked(text, link)


def main(out: str, source: str | None = None) -> int:
    """Write the notebooks into a folder."""
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(PAGES.glob("[1-9]_*.md")):
        file = folder / f"{page.stem}.ipynb"
        file.write_text(json.dumps(notebook_of(page.read_text(), source), indent=1) + "\n")
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
