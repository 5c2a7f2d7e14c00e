"""The blocks of a page of the documentation, for the tests that run them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.here import AS_ON_A_CPU

DOCS = Path(__file__).resolve().parents[2] / "docs"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block.

    Attributes:
        head: the heading above it.
        language: "python", "console", "text", ...; "" if it has none.
        text: its contents.
    """

    head: str
    language: str
    text: str


def blocks_of(page):
    """Return the blocks of a page of docs/, in order."""
    text = (DOCS / page).read_text()
    heads = [(each.start(), each[1]) for each in re.finditer(r"^##+ (.*)$", text, re.MULTILINE)]
    found = []
    for fence in _FENCE.finditer(text):
        above = [head for at, head in heads if at < fence.start()]
        found.append(Block(above[-1] if above else "", fence[1], fence[2]))
    return found


def the_block(page, head, language):
    """Return the text of the first block of a language under a heading."""
    return next(
        each.text for each in blocks_of(page) if (each.head, each.language) == (head, language)
    )


def run_as_train(folder, program, flags=None, arguments=()) -> str:
    """Run a program as train.py in a folder, and return all it prints."""
    (folder / "train.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "train.py", *arguments], cwd=folder,
        env={**os.environ, **AS_ON_A_CPU, **(flags or {})},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return done.stdout + done.stderr
