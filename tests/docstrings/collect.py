"""Reads the examples out of the sources of an installed Paddle: text only, nothing is imported."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"\s*\.\.\s*code-block::")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.)(?: |$)(.*)")
_NEEDS = re.compile(r"doctest:\s*\+REQUIRES\(\s*env:\s*([\w, ]+)\)")
_SKIPS = re.compile(r"#.*doctest:\s*([+-])SKIP")
_STATIC = ("enable_static", "program_guard", "static.Program", "static.data", "Executor(")


class Example(NamedTuple):
    """One example.

    Attributes:
        name: its file, the owner of the docstring, its line, and its number there.
        statements: the sources of its statements that are not marked to be skipped.
        excluded: the reason why it is not run: "needs GPU", "static graph", "skipped", "no Python";
            or "".
    """

    name: str
    statements: tuple[str, ...]
    excluded: str


def examples_of(root: Path) -> list[Example]:
    """Return the examples of all files below a folder, in their order."""
    found = []
    for file in sorted(root.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for name, line, text in _texts(tree, ()):
            for number, block in enumerate(_blocks(text)):
                source = "\n".join(match[1] for row in block if (match := _PROMPT.match(row)))
                if source.strip():
                    where = f"{file.relative_to(root).as_posix()}::{name}@{line}#{number}"
                    found.append(_example(where, source))
    return found


def _texts(node: ast.AST, names: tuple[str, ...]) -> Iterator[tuple[str, int, str]]:
    """Yield each string with a prompt in it, the names of its owners, and its line."""
    for child in ast.iter_child_nodes(node):
        inner = names
        if isinstance(child, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            inner = (*names, child.name)
        value = getattr(child, "value", None)
        if isinstance(child, ast.Constant) and isinstance(value, str) and ">>>" in value:
            yield ".".join(names), child.lineno, value
        yield from _texts(child, inner)


def _blocks(text: str) -> list[list[str]]:
    """Return the lines of each code block; all lines if none is marked."""
    lines = text.expandtabs().splitlines()
    starts = [number for number, line in enumerate(lines) if _BLOCK.match(line)]
    if not starts:
        return [lines]
    ends = [*starts[1:], len(lines)]
    return [lines[start + 1 : end] for start, end in zip(starts, ends, strict=True)]


def _example(name: str, source: str) -> Example:
    try:
        statements = _statements(source)
    except SyntaxError:
        return Example(name, (), "no Python")
    needs = _NEEDS.search(source)
    if needs:
        return Example(name, (), f"needs {needs[1].strip()}")
    if not statements:
        return Example(name, (), "skipped")
    is_static = any(word in source for word in _STATIC)
    return Example(name, tuple(statements), "static graph" if is_static else "")


def _statements(source: str) -> list[str]:
    """Return the sources of the statements, without those after a mark that skips them."""
    lines = source.splitlines()
    marks = {n: m[1] == "+" for n, line in enumerate(lines, 1) if (m := _SKIPS.search(line))}
    kept = []
    for statement in ast.parse(source).body:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *[each.lineno for each in decorators]])
        last = statement.end_lineno or first
        alone = [on for n, on in marks.items() if n < first and lines[n - 1].lstrip()[:1] == "#"]
        inside = any(on for n, on in marks.items() if first <= n <= last)
        if not inside and not (alone and alone[-1]):
            kept.append("\n".join(lines[first - 1 : last]))
    return kept
