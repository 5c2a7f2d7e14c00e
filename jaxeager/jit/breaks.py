"""A function parted at a line that needs a value: that line runs op by op, the rest is compiled.

Note [Graph breaks]
    A program has no values while it is captured. Where a function asks for one (``if loss > 1:``,
    ``x.item()``), its source is parted: runs of statements that do not hold the line become
    functions of their own, *blocks*, which take the local variables that they read and return those
    that they set. What is left calls the blocks, and is Python as it was written: the line with the
    break, and the ``if``, ``for``, ``while``, ``with`` or ``try`` around it. Each block is compiled
    as any function is, and is parted again where it breaks.

    A block is made only of statements that mean the same in a function of their own: no ``return``
    (but at the end), ``break`` or ``continue`` that leads out of it, no ``yield``, ``await``,
    ``del``, ``global``, ``nonlocal``, ``import``, and no function or class definition, whose
    closures would outlive the capture. One that changes a local list, dict or set in place runs op
    by op while it is given one.
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import textwrap
import types
from collections.abc import Callable, Iterable
from typing import Any

UNSET: Any = type("Unset", (), {"__repr__": lambda self: "<not set>"})()

_OUT_OF_BLOCKS = (
    ast.AsyncFor, ast.AsyncWith, ast.Await, ast.ClassDef, ast.Delete, ast.FunctionDef, ast.Global,
    ast.AsyncFunctionDef, ast.Import, ast.ImportFrom, ast.Lambda, ast.Nonlocal, ast.Yield,
    ast.YieldFrom,
)  # fmt: skip
_FRAMES = frozenset({"eval", "exec", "locals", "super", "vars"})
_numbers = itertools.count()
_BODIES = ("body", "orelse", "finalbody")
_WORK = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)


def parted_at(function: Callable, line: int, make_block: Callable) -> Callable | None:
    """Returns a function parted at a line: see Note [Graph breaks].

    Args:
        function: a function or a bound method, with its source at hand.
        line: the line, of the function's file, that cannot be compiled.
        make_block: takes the function of a block, and returns what is called in its place.

    Returns:
        The function; None when it has no source, or nothing to compile besides that line.
    """
    plain: Any = getattr(function, "__func__", function)
    tree = _source_of(plain)
    if tree is None:
        return None
    parting = _Parting(plain, line)
    tree.body = parting.parted(tree.body)
    if not parting.blocks:
        return None
    made = _made(plain, tree, parting, make_block)
    owner = getattr(function, "__self__", None)
    return made if owner is None else types.MethodType(made, owner)


def line_in(function: Callable, error: BaseException) -> int | None:
    """Returns the line of a function that an error passed; None when it did not pass it."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    trace, found = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code is code:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def _source_of(plain: Any) -> ast.FunctionDef | None:
    """Returns the definition of a function, with the line numbers of its file."""
    given = getattr(plain, "_parted_source", None)
    if given is not None:
        return copy.deepcopy(given)
    try:
        lines, first = inspect.getsourcelines(plain)
        module = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    if len(module.body) != 1 or not isinstance(module.body[0], ast.FunctionDef):
        return None
    ast.increment_lineno(module, first - 1)
    return module.body[0]


class _Parting:
    """The parting of one function.

    Attributes:
        blocks: the definitions of its blocks.
    """

    def __init__(self, plain: Any, line: int):
        self.line = line
        self.locals = {*plain.__code__.co_varnames, *plain.__code__.co_cellvars}
        self.captured = {*plain.__code__.co_cellvars}
        self.certain: set[str] = set()
        if not hasattr(plain, "_parted_source"):  # a block may be given UNSET
            self.certain |= set(plain.__code__.co_varnames[: _argument_count(plain.__code__)])
        self.blocks: list[_BlockSource] = []

    def parted(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Returns statements with calls of blocks in the place of what can be compiled."""
        made: list[ast.stmt] = []
        group: list[ast.stmt] = []
        for statement in body:
            if self._is_whole(statement):
                group.append(statement)
                if isinstance(statement, ast.Return):
                    made += self._block(group)
                    group = []
                continue
            made += self._block(group)
            group = []
            made.append(self._opened(statement))
        return made + self._block(group)

    def _is_whole(self, statement: ast.stmt) -> bool:
        """Says whether a statement may be part of a block."""
        if statement.lineno <= self.line <= (statement.end_lineno or statement.lineno):
            return False
        is_return = isinstance(statement, ast.Return)
        for node in ast.walk(statement):
            if isinstance(node, _OUT_OF_BLOCKS):
                return False
            if isinstance(node, ast.Return) and not is_return:
                return False
            if isinstance(node, ast.Name) and (node.id in self.captured or node.id in _FRAMES):
                return False  # shared with a function inside; or looks at the frame it runs in
            if isinstance(node, ast.Attribute) and _is_private(node.attr):
                return False
        return not _leads_out(statement)

    def _opened(self, statement: ast.stmt) -> ast.stmt:
        """Parts what is inside of a statement that is not whole."""
        for field in _BODIES:
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and not isinstance(statement, _OUT_OF_BLOCKS):
                before = set(self.certain)
                setattr(statement, field, self.parted(inner))
                self.certain = before
        for handler in getattr(statement, "handlers", ()):
            handler.body = self.parted(handler.body)
        for case in getattr(statement, "cases", ()):
            case.body = self.parted(case.body)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            self.certain |= _names([statement], ast.Store)
        return statement

    def _block(self, group: list[ast.stmt]) -> list[ast.stmt]:
        """Returns what calls a block of statements; the statements when they are no work."""
        if not any(isinstance(node, _WORK) for each in group for node in ast.walk(each)):
            if not any(isinstance(each, ast.Return) for each in group):
                self.certain |= _names(
                    [each for each in group if isinstance(each, ast.Assign)], ast.Store
                )
            return group
        stored = _names(group, ast.Store) & self.locals
        takes = sorted((_names(group, ast.Load) | _augmented(group)) & self.locals)
        returns = isinstance(group[-1], ast.Return)
        gives = [] if returns else sorted(stored)
        source = _BlockSource(group, takes, gives, returns, _changed_in_place(group))
        self.blocks.append(source)
        call = source.call(self.certain)
        self.certain |= _names([e for e in group if isinstance(e, ast.Assign)], ast.Store)
        return call


class _BlockSource:
    """The source of a block.

    Attributes:
        name: of its function.
        takes, gives: the local variables that it reads and sets.
        changes: those of them that it may change in place.
        first, last: its lines.
    """

    def __init__(
        self,
        body: list[ast.stmt],
        takes: list[str],
        gives: list[str],
        returns: bool,
        changes: set[str],
    ):
        self.name = f"__block_{next(_numbers)}"
        self.takes, self.gives, self.returns, self.changes = takes, gives, returns, changes
        self.body = body
        self.first, self.last = body[0].lineno, body[-1].end_lineno or body[-1].lineno

    def definition(self) -> ast.FunctionDef:
        """Returns its function: it takes values or UNSET, and returns a tuple of them."""
        header = [f"def {self.name}({', '.join(self.takes)}):"]
        header += [f" if {name} is __unset: del {name}" for name in self.takes]
        header.append(" pass")
        made: Any = ast.parse("\n".join(header)).body[0]
        made.body = [*made.body[:-1], *self.body]
        if not self.returns:
            values = "".join(f"__values.get({name!r}, __unset), " for name in self.gives)
            end = ast.parse(f"__values = locals()\nreturn ({values})").body
            made.body += end
        for node in ast.walk(made):
            if not hasattr(node, "lineno"):
                ast.copy_location(node, self.body[0])
        return made

    def call(self, certain: set[str]) -> list[ast.stmt]:
        """Returns the statements that call it."""
        given = ", ".join(
            name if name in certain else f"({name} if {name!r} in locals() else __unset)"
            for name in self.takes
        )
        called = f"__call{self.name}({given})"
        if self.returns:
            text = f"return {called}"
        elif self.gives:
            names = "".join(f"{name}, " for name in self.gives)
            text = f"{names} = {called}\n"
            text += "\n".join(f"if {name} is __unset: del {name}" for name in self.gives)
        else:
            text = called
        statements = ast.parse(text).body
        for statement in statements:
            for node in ast.walk(statement):
                ast.copy_location(node, self.body[0])
        return statements


def _made(plain: Any, tree: ast.FunctionDef, parting: _Parting, make_block: Callable) -> Callable:
    """Compiles the parted function and its blocks, with the closure of the original."""
    _bare(tree)
    outside = [name for name in plain.__code__.co_freevars if name != "__unset"]
    calls = [f"__call{block.name}" for block in parting.blocks]
    factory: Any = ast.parse(
        f"def __factory({', '.join([*outside, '__unset', *calls])}):\n pass"
    ).body[0]
    definitions = [block.definition() for block in parting.blocks]
    names = ", ".join([tree.name, *[block.name for block in parting.blocks]])
    factory.body = [tree, *definitions, *ast.parse(f"return ({names},)").body]
    module = ast.Module([factory], [])
    ast.fix_missing_locations(module)
    scope: dict[str, Any] = {}
    exec(compile(module, plain.__code__.co_filename, "exec"), plain.__globals__, scope)

    cells = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True))
    calling = {name: types.CellType() for name in calls}
    cells |= calling | {"__unset": types.CellType(UNSET)}
    found = scope["__factory"](*[None] * (len(outside) + 1 + len(calls)))
    functions = [_with_cells(each, cells, plain) for each in found]
    functions[0].__defaults__, functions[0].__kwdefaults__ = (
        plain.__defaults__,
        plain.__kwdefaults__,
    )
    for cell, source, function, definition in zip(
        calling.values(), parting.blocks, functions[1:], definitions, strict=True
    ):
        function.__name__ = f"{plain.__name__}:{source.first}-{source.last}"
        function._parted_source = definition
        cell.cell_contents = make_block(function, source.takes, source.changes)
    return functions[0]


def _bare(tree: ast.FunctionDef) -> None:
    """Leaves out what a definition computes: it is the original's, and so are its names."""
    given = tree.args
    tree.decorator_list, tree.returns = [], None
    given.defaults = [ast.Constant(None) for _ in given.defaults]
    given.kw_defaults = [each and ast.Constant(None) for each in given.kw_defaults]
    every = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
    for each in every:
        if each is not None:
            each.annotation = None


def _with_cells(made: Any, cells: dict, plain: Any) -> Any:
    closure = tuple([cells[name] for name in made.__code__.co_freevars])
    return types.FunctionType(made.__code__, plain.__globals__, plain.__name__, None, closure)


# ---- what statements do


def _argument_count(code: types.CodeType) -> int:
    flags = (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
    return (
        code.co_argcount
        + code.co_kwonlyargcount
        + sum(bool(code.co_flags & flag) for flag in flags)
    )


def _names(statements: Iterable[ast.stmt], context: type) -> set[str]:
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }


def _augmented(statements: Iterable[ast.stmt]) -> set[str]:
    """Returns the names that are read because something is added to them."""
    return {
        node.target.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }


def _changed_in_place(statements: Iterable[ast.stmt]) -> set[str]:
    """Returns the names whose methods are called, whose elements are set, or that are added to."""
    found: set[str] = set()
    for statement in statements:
        for node in ast.walk(statement):
            base: Any = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                base = node.func.value
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                base = node.value
            elif isinstance(node, ast.AugAssign):
                base = node.target
            while isinstance(base, (ast.Attribute, ast.Subscript)):
                base = base.value
            if isinstance(base, ast.Name):
                found.add(base.id)
    return found


def _leads_out(statement: ast.stmt) -> bool:
    """Says whether a ``break`` or ``continue`` of a statement belongs to a loop around it."""
    if isinstance(statement, (ast.Break, ast.Continue)):
        return True
    if isinstance(statement, (ast.For, ast.While)):
        return any(map(_leads_out, statement.orelse))
    inner = itertools.chain.from_iterable(getattr(statement, field, ()) for field in _BODIES)
    handlers = [each for h in getattr(statement, "handlers", ()) for each in h.body]
    cases = [each for c in getattr(statement, "cases", ()) for each in c.body]
    return any(map(_leads_out, [*inner, *handlers, *cases]))


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def is_container(value: Any) -> bool:
    """Says whether a value can be changed in place, and is copied on the way into a program."""
    return isinstance(value, (list, dict, set))
