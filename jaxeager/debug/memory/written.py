"""Finds the statements of a program that write a variable or an attribute."""

import ast
import functools
import linecache
from collections.abc import Iterator

_MOST = 3  # the most lines of one name
_GROWS = frozenset([
    "add", "append", "appendleft", "extend", "insert", "put", "register_hook", "setdefault",
    "update", "fill",
])  # fmt: skip


def lines_that_write(
    file: str, name: str, is_attribute: bool = False, within: tuple[int, int] | None = None
) -> list[int]:
    """Return the lines of a file that write a name; those that add to its value, if there are any.

    ``total = total + x``, ``total += x``, ``kept.append(x)`` and ``kept[key] = x`` add to a value;
    ``total = x`` only sets it.

    Args:
        file: a file of Python, or the name of a cell of a notebook.
        name: a variable, or the name of an attribute.
        is_attribute: whether the name is an attribute, of any object.
        within: the first and the last line to search; None for the whole file.

    Example:
        >>> lines_that_write("no such file", "total")
        []
    """
    found: dict[bool, list[int]] = {True: [], False: []}
    for line, adds in _writes_of(file).get((name, is_attribute), ()):
        if within is None or within[0] <= line <= within[1]:
            found[adds].append(line)
    return sorted(set(found[True] or found[False]))[:_MOST]


@functools.lru_cache(64)
def _writes_of(file: str) -> dict[tuple[str, bool], list[tuple[int, bool]]]:
    """Return, by name and whether it is an attribute, the lines that write it."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return {}
    found: dict[tuple[str, bool], list[tuple[int, bool]]] = {}
    for node in ast.walk(tree):
        for target, adds in _targets(node):
            key = _key(target)
            if key is not None:
                found.setdefault(key, []).append((node.lineno, adds))  # pyright: ignore[reportAttributeAccessIssue]
    return found


def _targets(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the expressions that a node writes, and whether it adds to their values."""
    if isinstance(node, ast.Assign):
        read = {_key(each) for each in ast.walk(node.value)}
        for each in node.targets:
            for target in each.elts if isinstance(each, (ast.Tuple, ast.List)) else [each]:
                yield _base(target), isinstance(target, ast.Subscript) or _key(target) in read
    elif isinstance(node, ast.AugAssign):
        yield _base(node.target), True
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.For)):
        yield node.target, False
    elif isinstance(node, ast.With):
        for item in node.items:
            if item.optional_vars is not None:
                yield item.optional_vars, False
                node.lineno = item.context_expr.lineno
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _GROWS:
            yield _base(node.func.value), True
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield ast.Name(node.name), False


def _base(node: ast.AST) -> ast.AST:
    """Return the variable or attribute whose element or method an expression is."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return node


def _key(node: ast.AST) -> tuple[str, bool] | None:
    """Return the name of a variable or an attribute, and whether it is an attribute."""
    if isinstance(node, ast.Name):
        return node.id, False
    return (node.attr, True) if isinstance(node, ast.Attribute) else None
