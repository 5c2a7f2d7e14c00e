"""The prose of the project has none of the words that CONTRIBUTING.md lists as not plain."""

import io
import re
import tokenize
from pathlib import Path

import pytest

from tests.parity.questions import QUESTIONS

ROOT = Path(__file__).resolve().parent.parent
SECTION = re.compile(r"^## Plain words$(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (.+?) \| .+ \|$", re.MULTILINE)
# Programs whose text is the key of what real Paddle gave for them, and pages made from other files.
RECORDED = (
    "tests/parity/programs/", "tests/parity/oracle.py", "tests/programs/", "tests/fuzz/",
    "tests/distributed/programs/", "tests/debug/stand_ins/",
)  # fmt: skip
MADE = (
    "docs/coverage.md",
    "docs/docstring-examples.md",
    "docs/paddle-faults.md",
    "benchmarks/results/",
)


def _listed() -> list[str]:
    """Return the words of the left column of the list."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = SECTION.search(text)
    assert section is not None
    rows = ROW.findall(section.group(1))[2:]  # without the head
    return [word.strip(" `") for row in rows for word in row.split(",")]


def _texts():
    """Yield the name and the text of each file of prose or code."""
    asked = {file.resolve() for each in QUESTIONS.values() for file in (each.script, *each.others)}
    for folder in ("jaxeager", "tests", "docs", "tools", "benchmarks", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".py", ".md") or name.startswith((*RECORDED, *MADE)):
                continue
            if name != "tests/test_words.py" and (folder != "tests" or path not in asked):
                yield name, path.read_text(encoding="utf-8")
    yield "README.md", (ROOT / "README.md").read_text()
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    yield "CONTRIBUTING.md", SECTION.sub("", contributing)


def prose_of(code: str) -> str:
    """Return Python code with nothing but its comments and strings, each on its line."""
    lines = [""] * (code.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if tokenize.tok_name[token.type] in ("COMMENT", "STRING", "FSTRING_MIDDLE"):
            for number, line in enumerate(token.string.split("\n"), token.start[0] - 1):
                lines[number] += f" {line}"
    return "\n".join(lines)


def found_in(text: str, words: list[str]) -> list[tuple[int, str]]:
    """Return (line, word) of each listed word in a text; one may be broken over two lines."""
    pattern = "|".join(re.escape(word).replace(r"\ ", r"\s+(?:#\s*)?") for word in words)
    return [
        (text.count("\n", 0, match.start()) + 1, " ".join(match.group().replace("#", "").split()))
        for match in re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
    ]


def test_no_listed_word_is_used():
    words = _listed()
    assert len(words) > 10
    places = []
    for name, text in _texts():
        if found_in(text, words):
            prose = prose_of(text) if name.endswith(".py") else text
            places += [f"{name}:{line}: {word}" for line, word in found_in(prose, words)]
    assert not places, "\n".join([f"{len(places)} places:", *places])


def test_names_in_code_are_no_prose():
    code = 'anew = 1  # anew\ntext = "nobody"\nnobody(anew)\n'
    assert found_in(prose_of(code), ["anew", "nobody"]) == [(1, "anew"), (2, "nobody")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("This is done anew.", [(1, "anew")]),
        ("a\nIt hangs\n    on it", [(2, "hangs on")]),
        ("# it hangs\n# on it", [(1, "hangs on")]),
        ("Nobody reads it", [(1, "Nobody")]),
        ("canewton", []),
    ],
)
def test_words_are_found(text, found):
    assert found_in(text, ["anew", "hangs on", "nobody"]) == found
