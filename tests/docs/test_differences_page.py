"""Every line of docs/where-paddle-differs.md names tests or parity programs that exist."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "where-paddle-differs.md"


@functools.cache
def _functions() -> dict[str, ast.FunctionDef]:
    found = {}
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, node)
    return found


def _rows() -> list[list[str]]:
    """Return the cells of every line of every table, without heads and rules."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[-1] not in ("test", "---")]


NAMED = sorted({name for row in _rows() for name in re.findall(r"`(\w+)`", row[-1])})


@pytest.mark.parametrize("name", NAMED)
def test_a_named_test_exists(name):
    node = _functions().get(name)
    assert node is not None, f"no test and no parity program is named {name}"
    decorators = [ast.unparse(each).partition("(")[0] for each in node.decorator_list]
    assert name.startswith("test_") or {"program", "differs"} & set(decorators), (
        f"{name} is no test and no parity program"
    )


def test_every_line_names_a_test():
    without = [row for row in _rows() if not re.findall(r"`(\w+)`", row[-1])]
    assert not without
    assert len(_rows()) > 180
