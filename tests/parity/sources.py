"""The key of a record: a digest of the text that Paddle ran.

For a program that is its function, without decorators and docstring, and all that it names at the
top of its file and of the files it imports from, recursively. Comments and blank lines do not
count.
"""

import ast
import functools
import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

KEY_LENGTH = 16


class Definitions(NamedTuple):
    """The names that a file defines at its top."""

    lines: list[str]
    nodes: dict[str, ast.stmt]


def key_of_function(*functions: Callable[..., Any]) -> str:
    """Return the key of the code that functions run."""
    found: dict[tuple[Path, str], str] = {}
    for function in functions:
        module = sys.modules[function.__module__]
        _collect(Path(str(module.__file__)), function.__name__, found)
    texts = [found[place] for place in sorted(found, key=lambda each: (each[0].name, each[1]))]
    return _digest(texts)


def key_of_files(paths: Iterable[Path]) -> str:
    """Return the key of whole files, including blank lines: tools write line numbers."""
    return _digest(path.name + "\n" + path.read_text(encoding="utf-8") for path in sorted(paths))


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:KEY_LENGTH]


@functools.cache
def _definitions(path: Path) -> Definitions:
    text = path.read_text(encoding="utf-8")
    nodes: dict[str, ast.stmt] = {}
    for node in ast.parse(text).body:
        for name in _names_bound(node):
            nodes[name] = node
    return Definitions(text.splitlines(), nodes)


def _names_bound(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(each.asname or each.name).partition(".")[0] for each in node.names]
    bound = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    return [each.id for each in bound if isinstance(each.ctx, ast.Store)]


def _collect(path: Path, name: str, found: dict[tuple[Path, str], str]) -> None:
    """Add the text of a name of a file, and that of all names it uses, recursively."""
    waiting = [(path, name)]
    while waiting:
        file, wanted = waiting.pop()
        node = _definitions(file).nodes.get(wanted)
        if node is None or (file, wanted) in found:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            found[file, wanted] = ""
            waiting.append(_where_from(file, node, wanted))
            continue
        found[file, wanted] = _text(_definitions(file).lines, node)
        waiting += [(file, each.id) for each in _walk(node) if isinstance(each, ast.Name)]


def _walk(node: ast.stmt) -> Iterable[ast.AST]:
    """Yield the nodes of a definition, without those of its decorators."""
    skipped = set(getattr(node, "decorator_list", []))
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += [child for child in ast.iter_child_nodes(each) if child not in skipped]


def _where_from(file: Path, node: ast.ImportFrom, wanted: str) -> tuple[Path, str]:
    """Return the file and the original name of a relative import."""
    folder = file.parents[node.level - 1]
    name = next(each.name for each in node.names if (each.asname or each.name) == wanted)
    return (folder / (node.module or "").replace(".", "/")).with_suffix(".py"), name


def _text(lines: list[str], node: ast.stmt) -> str:
    """Return the lines of a definition that count."""
    chosen = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    skipped: set[int] = set()
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
        doc = node.body[0]
        skipped = set(range(doc.lineno, (doc.end_lineno or doc.lineno) + 1))
    kept = [lines[number - 1].rstrip() for number in chosen if number not in skipped]
    return "\n".join(line for line in kept if line and not line.lstrip().startswith("#"))
