"""The names of Paddle that a source uses, found with ``ast``, without running it.

Only names can be followed: imports and their aliases, attribute chains, and names assigned from
those. Methods of tensors and layers cannot, since the type of an object is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from jaxeager.launcher import known_names
from jaxeager.launcher.finder import THEIRS, is_theirs

if TYPE_CHECKING:
    from typing import Any

_GUARDS = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Use(NamedTuple):
    """A use of a name of Paddle in a source.

    Attributes:
        api: such as "paddle.nn.Linear.forward"; its tail may not be a name of Paddle.
        line: the line of the source.
        is_guarded: whether a ``try`` around it catches the error of a missing name.
    """

    api: str
    line: int
    is_guarded: bool = False


def uses(text: str | bytes, name: str = "<source>") -> list[Use]:
    """Return the uses of Paddle in a source, in the order of lines.

    Args:
        text: Python source.
        name: the file name in a SyntaxError.

    Raises:
        SyntaxError: for invalid Python; ValueError for bytes that are not text.

    Example:
        >>> for use in uses("from paddle import nn as N\\nnet = N.Linear(2, 3)"):
        ...     print(use.line, use.api)
        1 paddle.nn
        2 paddle.nn.Linear
    """
    reader = _Reader()
    reader.read(ast.parse(text, name))
    return sorted(reader.found, key=lambda use: use.line)


class _Reader(ast.NodeVisitor):
    """Follows names through a source.

    A scope is a dict of name to API; None for a name that is bound to something else. Functions are
    read after the scope that contains them, as they run after it.
    """

    def __init__(self) -> None:
        self.found: list[Use] = []
        self._scopes: list[dict[str, str | None]] = [{}]
        self._waiting: list[tuple[_Function, list[dict[str, str | None]], bool]] = []
        self._is_guarded = False

    def read(self, tree: ast.Module) -> None:
        """Read a source."""
        self.visit(tree)
        while self._waiting:
            function, scopes, self._is_guarded = self._waiting.pop(0)
            self._scopes = [*scopes, dict.fromkeys(_parameters(function))]
            for node in function.body if isinstance(function.body, list) else [function.body]:
                self.visit(node)

    def _add(self, api: str, line: int) -> None:
        if api != THEIRS:
            self.found.append(Use(api, line, self._is_guarded))

    def _bind(self, name: str, api: str | None) -> None:
        self._scopes[-1][name] = api

    def _api_of(self, node: ast.expr | None) -> str | None:
        """Return the API that an expression names; None if it names none."""
        if isinstance(node, ast.Name):
            return next((scope[node.id] for scope in self._scopes[::-1] if node.id in scope), None)
        if isinstance(node, ast.Attribute):
            base = self._api_of(node.value)
            return base and f"{base}.{node.attr}"
        return None

    # ---- bindings

    def visit_Import(self, node: ast.Import) -> None:
        """Bind names: ``import paddle.nn`` binds ``paddle``, but ``as n`` binds the module to n."""
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            is_paddle = is_theirs(alias.name)
            if is_paddle:
                self._add(alias.name, node.lineno)
            self._bind(bound, (alias.name if alias.asname else THEIRS) if is_paddle else None)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Count each imported name as used: the import itself may fail."""
        module = node.module or ""
        is_paddle = not node.level and is_theirs(module)
        for alias in node.names:
            if is_paddle and alias.name == "*":
                self._add(module, node.lineno)
                short = module.removeprefix(f"{THEIRS}.")
                for name in known_names.recorded()["modules"].get(short, ()):
                    self._bind(name, f"{module}.{name}")
                continue
            api = f"{module}.{alias.name}" if is_paddle else None
            if api:
                self._add(api, node.lineno)
            self._bind(alias.asname or alias.name, api)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Bind an alias: ``F = paddle.nn.functional``."""
        self.visit(node.value)
        api = self._api_of(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, api)
            else:
                self.visit(target)

    def visit_Name(self, node: ast.Name) -> None:
        """Count a name that is read as used; rebind one that is written."""
        if isinstance(node.ctx, ast.Load):
            api = self._api_of(node)
            if api and api not in known_names.modules():
                self._add(api, node.lineno)
        else:
            self._bind(node.id, None)

    # ---- uses

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Count the longest chain of attributes as one use."""
        api = self._api_of(node)
        if api is None:
            self.generic_visit(node)
        else:
            self._add(api, node.end_lineno or node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        """Count ``getattr(paddle.nn, "Linear")`` as a use as well."""
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2:
            base, name = self._api_of(node.args[0]), getattr(node.args[1], "value", None)
            if base and isinstance(name, str):
                before, self._is_guarded = self._is_guarded, len(node.args) > 2 or self._is_guarded
                self._add(f"{base}.{name}", node.lineno)
                self._is_guarded = before
        self.generic_visit(node)

    # ---- blocks

    def visit_FunctionDef(self, node: _Function) -> None:
        """Read decorators, defaults and annotations now, and the function's body later."""
        if not isinstance(node, ast.Lambda):
            for each in node.decorator_list:
                self.visit(each)
            if node.returns:
                self.visit(node.returns)
            self._bind(node.name, None)
        self.visit(node.args)
        self._waiting.append((node, list(self._scopes), self._is_guarded))

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Read a class, which has its own scope."""
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(each)
        self._bind(node.name, None)
        self._scopes = [*self._scopes, {}]
        for each in node.body:
            self.visit(each)
        self._scopes = self._scopes[:-1]

    def visit_Try(self, node: ast.Try) -> None:
        """Mark uses as guarded where an error of a missing name is caught."""
        before = self._is_guarded
        self._is_guarded = before or any(map(_catches_missing, node.handlers))
        for each in node.body:
            self.visit(each)
        self._is_guarded = before
        bound = dict(self._scopes[-1])
        for each in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(each)
        # `except ImportError: paddle = None` does not unbind the followed import.
        self._scopes[-1].update({name: api for name, api in bound.items() if api})

    def visit_TryStar(self, node: Any) -> None:
        """Treat ``except*`` in the same way."""
        self.visit_Try(node)

    def visit_If(self, node: ast.If) -> None:
        """Skip ``if TYPE_CHECKING``, whose body never runs."""
        test = node.test
        name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
        if name != "TYPE_CHECKING":
            self.visit(test)
            for each in node.body:
                self.visit(each)
        for each in node.orelse:
            self.visit(each)


def _parameters(function: _Function) -> Iterator[str]:
    """Yield the names of the parameters of a function."""
    given = function.args
    for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if each is not None:
            yield each.arg


def _catches_missing(handler: ast.ExceptHandler) -> bool:
    """Return whether an ``except`` catches the error of a missing name or module."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is None or getattr(each, "id", "") in _GUARDS for each in kinds)
