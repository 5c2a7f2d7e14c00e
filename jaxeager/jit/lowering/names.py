"""The names that statements bind and use, and the exits of statements."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

# The definition of a function.
Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*FUNCTIONS, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.While, ast.AsyncFor)
EXITS = (ast.Return, ast.Break, ast.Continue)


def within(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield nodes and all their inner nodes, but not those of functions and classes."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the local names that statements bind or delete."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {each.asname or each.name.split(".")[0] for each in node.names}
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        if isinstance(node, _COMPREHENSIONS):  # their targets are local
            found |= {each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr)}
        elif not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)
    return found


def chain(node: ast.AST) -> str | None:
    """Return ``self.a.b`` for attributes of a name, or the name itself; None for another node."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def counted(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that statements bind to a value computed from their own value."""
    found: set[str] = set()
    for node in within(nodes):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            used = (each for each in ast.walk(node.value) if isinstance(each, ast.Name))
            if any(each.id == name for each in used):
                found.add(name)
    return found


def place_text(node: ast.AST) -> str | None:
    """Return the source of a name with attributes and plain subscripts; None for another node."""
    inner = node
    while isinstance(inner, (ast.Attribute, ast.Subscript)):
        if isinstance(inner, ast.Subscript) and not isinstance(
            inner.slice, (ast.Name, ast.Constant)
        ):
            return None
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else None


def sets_elsewhere(nodes: Iterable[ast.AST]) -> bool:
    """Return whether statements set an attribute of anything but a name."""
    return any(
        isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and chain(node) is None
        for node in within(nodes)
    )


def attributes_set(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the attributes of names that statements set, as ``self.a``."""
    found = {
        chain(node)
        for node in within(nodes)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    }
    return {each for each in found if each is not None}


def touched(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names, and the objects with set items or called methods, as source text."""
    found: set[str | None] = set()
    for node in within(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.add(place_text(node.value))
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                found.add(place_text(node.func.value))
            found |= {place_text(each) for each in node.args}
    return {each for each in found if each is not None}


def leaves(node: ast.AST) -> set[type]:
    """Return which of ``return``, ``break`` and ``continue`` in a statement exit from it."""
    if isinstance(node, EXITS):
        return {type(node)}
    if isinstance(node, SCOPES):
        return set()
    found: set[type] = set()
    if isinstance(node, LOOPS):
        for each in node.body:
            found |= leaves(each) & {ast.Return}
        for each in node.orelse:
            found |= leaves(each)
        return found
    for each in ast.iter_child_nodes(node):
        found |= leaves(each)
    return found


def always_leaves(block: list[ast.stmt]) -> bool:
    """Return whether the end of a block is never reached."""
    for statement in block:
        if isinstance(statement, (*EXITS, ast.Raise)):
            return True
        if isinstance(statement, ast.If) and all(map(always_leaves, _branches(statement))):
            return True
        if isinstance(statement, ast.While) and _never_ends(statement):
            return True
    return False


def _branches(statement: ast.If) -> tuple[list[ast.stmt], list[ast.stmt]]:
    return statement.body, statement.orelse


def _never_ends(loop: ast.While) -> bool:
    """Return whether a loop is left only by ``return``."""
    is_true = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    return is_true and not any(ast.Break in leaves(each) for each in loop.body)
