"""Function source in which branches and loops are calls of helpers.

Note [Converted source]
    ``if t: A`` becomes a function for each branch and a call ``if_(t, ...)`` of the helpers
    (control.py), which runs one of them as Python would, or makes a branch of a program. The
    functions share the variables of the enclosing function (``nonlocal``). Two more functions
    accompany them: one returns the variables that the branches bind, another sets them. Loops are
    converted in the same way. ``and``, ``or``, ``not``, ``a if t else b`` and ``a < b < c`` become
    calls too, and each call ``f(x)`` becomes ``call(f)(x)``, so that the called function is
    converted as well. Every new node has the lines of the one that it replaces: a traceback shows
    the user's source.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from jaxeager.jit.lowering.exits import HELPERS, Exits, parsed, placed
from jaxeager.jit.lowering.names import (
    LOOPS,
    SCOPES,
    attributes_set,
    bound,
    counted,
    leaves,
    sets_elsewhere,
    touched,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.jit.lowering.names import Definition


_STAYS = (ast.Yield, ast.YieldFrom, ast.Await)
_DECLARES = (ast.Global, ast.Nonlocal)
_NO_EXIT = "it is left in a way that a program does not have"
_OWN_SCOPE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_OPERATORS = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip


def converted(function: Definition, is_inner: bool = False) -> Definition:
    """Convert the definition of a function, in place: see Note [Converted source].

    Args:
        function: a FunctionDef or a Lambda.
        is_inner: whether it is inside another one; then its decorators stay.
    """
    if isinstance(function, ast.Lambda):
        function.body = _Converter(set(), set(), None).visit(function.body)
        return function
    if any(isinstance(each, (*_STAYS, ast.AsyncFor)) for each in within(function.body)):
        return function  # a generator runs later
    hoisted = _hoisted(function)
    body = Exits().rewritten(function.body)
    outer_global = _declared(hoisted, ast.Global)
    outer_nonlocal = _declared(hoisted, ast.Nonlocal)
    names = bound(body) - outer_global - outer_nonlocal
    converter = _Converter(outer_global, outer_nonlocal, function)
    converter.shared = _nonlocal_inside(body) & names
    body = converter.block(body)
    start = []
    if names:  # a name that only a branch binds is still local to this function
        start = [parsed(f"if False: {' = '.join(sorted(names))} = None", function.body[0])]
    function.body = [*hoisted, *start, *body]
    if not is_inner:
        function.decorator_list, function.returns = [], None
    return function


def _hoisted(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """Remove the ``global`` and ``nonlocal`` statements from a function, and return them."""
    found: list[ast.stmt] = []
    inner = [each for each in within(function.body) if not isinstance(each, SCOPES)]
    for node in [function, *inner]:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            found += [each for each in block if isinstance(each, _DECLARES)]
            block[:] = [
                placed(ast.Pass(), each) if isinstance(each, _DECLARES) else each for each in block
            ]
    return found


def _nonlocal_inside(body: list[ast.stmt]) -> set[str]:
    """Return the names of a function's variables that its inner functions may set."""
    inside = [node for each in body for node in ast.walk(each)]
    return {name for each in inside if isinstance(each, ast.Nonlocal) for name in each.names}


def _declared(statements: list[ast.stmt], kind: type) -> set[str]:
    return {name for each in statements if isinstance(each, kind) for name in each.names}  # type: ignore[attr-defined]


class _Converter(ast.NodeTransformer):
    """The conversion of the statements and expressions of one function."""

    def __init__(
        self, outer_global: set[str], outer_nonlocal: set[str], function: Definition | None
    ):
        self._global, self._nonlocal = outer_global, outer_nonlocal
        self.shared: set[str] = set()  # variables that inner functions may set
        self._first = _first_argument(function)
        self._count = 0

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Return converted statements."""
        made: list[ast.stmt] = []
        for each in statements:
            found = self.visit(each)
            made += found if isinstance(found, list) else [found]
        return made

    # ---- statements

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if (reason := _stays(node)) is not None:
            return self._plain(node, reason)
        number, state = self._state([*node.body, *node.orelse], node)
        test = self.visit(node.test)
        true = self._function(f"_jx_true_{number}", "", node.body, node)
        false = self._function(f"_jx_false_{number}", "", node.orelse, node)
        call = parsed(f"{HELPERS}.if_(0, _jx_true_{number}, _jx_false_{number}, {state[2]})", node)
        call.value.args[0] = test
        return [*state[:2], true, false, call]

    def visit_While(self, node: Any) -> ast.AST | list[ast.stmt]:
        if (reason := _stays(node)) is not None or not hasattr(node, "_flags"):
            return self._plain(node, reason or _NO_EXIT)
        number, state = self._state([*node.body, node.test], node)
        if node._flags:
            flags = parsed(f"{HELPERS}.none_of({', '.join(node._flags)})", node).value
            node.test = placed(ast.BoolOp(ast.And(), [flags, node.test]), node)
        test: Any = parsed(f"def _jx_test_{number}(): return 0", node)
        test.body[0].value = self.visit(node.test)
        body = self._function(f"_jx_body_{number}", "", node.body, node)
        call = parsed(f"{HELPERS}.while_(_jx_test_{number}, _jx_body_{number}, {state[2]})", node)
        return [*state[:2], test, body, call]

    def visit_For(self, node: Any) -> ast.AST | list[ast.stmt]:
        if (reason := _stays(node)) is not None or not hasattr(node, "_flags"):
            return self._plain(node, reason or _NO_EXIT)
        number, state = self._state([*node.body, node.target], node)
        target = parsed("_jx_target = _jx_item", node)
        target.targets = [node.target]
        body = self._function(f"_jx_body_{number}", "_jx_item", [target, *node.body], node)
        flags = f"lambda: {HELPERS}.none_of({', '.join(node._flags)})" if node._flags else "None"
        call = parsed(f"{HELPERS}.for_(0, _jx_body_{number}, {flags}, {state[2]})", node)
        call.value.args[0] = self.visit(node.iter)
        return [*state[:2], body, call]

    def _plain(self, node: ast.stmt, reason: str) -> ast.AST:
        """Convert the inside of a statement that stays, and add the reason to its test."""
        if isinstance(node, (ast.If, ast.While)):
            test = node.test
            node.test = placed(ast.Constant(None), node)
            self.generic_visit(node)
            node.test = self._named(test, reason)
            return node
        return self.generic_visit(node)

    def _named(self, test: ast.expr, reason: str) -> ast.expr:
        """Return a test that raises with the reason if it is a tensor of a program."""
        made = parsed(f"{HELPERS}.plain(0, {reason!r})", test).value
        made.args[0] = self.visit(test)
        return made

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        self.generic_visit(node)
        made = parsed(f"{HELPERS}.plain(0, 'a program cannot raise')", node).value
        made.args[0], node.test = node.test, made
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        self.generic_visit(node)
        if node.exc is not None:
            made = parsed(f"{HELPERS}.raised(0)", node).value
            made.args[0], node.exc = node.exc, made
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Definition:
        given = node.args
        given.defaults = [self.visit(each) for each in given.defaults]
        given.kw_defaults = [each and self.visit(each) for each in given.kw_defaults]
        return converted(node, is_inner=True)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def _function(
        self, name: str, argument: str, body: list[ast.stmt], at: ast.AST
    ) -> ast.FunctionDef:
        """Return a function of statements that shares the enclosing variables."""
        made = parsed(f"def {name}({argument}): pass", at)
        shared = self._sharing(bound(body), at)
        made.body = [*shared, *(self.block(body) or made.body)]
        return made

    def _sharing(self, names: set[str], at: ast.AST) -> list[ast.stmt]:
        """Return the declarations that allow an inner function to bind names of the outer one."""
        made = []
        for kind, shared in (
            ("global", names & self._global),
            ("nonlocal", names - self._global),
        ):
            if shared:
                made.append(parsed(f"{kind} {', '.join(sorted(shared))}", at))
        return made

    def _state(self, nodes: Sequence[ast.AST], at: ast.stmt) -> tuple[int, list[Any]]:
        """Return a number, and the functions that read and set the variables statements bind.

        The last item of the list is the text of the arguments for a helper.
        """
        self._count += 1
        number = self._count
        names = sorted(bound(nodes) | self.shared)
        attributes = sorted(attributes_set(nodes))
        seen = sorted(touched(nodes) - {*names, *attributes})
        reads = "".join(
            f"{HELPERS}.read(lambda: {each}), " for each in [*names, *attributes, *seen]
        )
        get = parsed(f"def _jx_get_{number}(): return ({reads})", at)
        lines = [f"def _jx_set_{number}(_jx_values):", " pass"]
        for place, name in enumerate(names):
            lines += [
                f" {name} = _jx_values[{place}]",
                f" if {name} is {HELPERS}.UNSET: del {name}",
            ]
        for place, name in enumerate(attributes, len(names)):
            lines += [
                f" if {HELPERS}.read(lambda: {name}) is not _jx_values[{place}]:",
                f"  if _jx_values[{place}] is {HELPERS}.UNSET: del {name}",
                f"  else: {name} = _jx_values[{place}]",
            ]
        setter = parsed("\n".join(lines), at)
        setter.body = [*self._sharing(set(names), at), *setter.body]
        text = f"_jx_get_{number}, _jx_set_{number}, {tuple(names)!r}, {tuple(attributes)!r}"
        text += f", {tuple(seen)!r}, {tuple(sorted(counted(nodes)))!r}, {at.lineno}"
        return number, [get, setter, text]

    # ---- expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if any(map(_is_own, node.values)):
            return node
        name = "all_of" if isinstance(node.op, ast.And) else "any_of"
        made = parsed(f"{HELPERS}.{name}()", node).value
        made.args = [_thunk(each) for each in node.values]
        return made

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        made = parsed(f"{HELPERS}.not_(0)", node).value
        made.args[0] = node.operand
        return made

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if _is_own(node.body) or _is_own(node.orelse):
            return node
        made = parsed(f"{HELPERS}.ternary()", node).value
        made.args = [node.test, _thunk(node.body), _thunk(node.orelse)]
        return made

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        kinds = [type(each) for each in node.ops]
        if (
            len(kinds) == 1
            or not set(kinds) <= set(_OPERATORS)
            or any(map(_is_own, node.comparators))
        ):
            return node
        made = parsed(f"{HELPERS}.compared(0)", node).value
        made.args[0] = node.left
        for kind, right in zip(kinds, node.comparators, strict=True):
            made.args += [placed(ast.Constant(_OPERATORS[kind]), right), _thunk(right)]
        return made

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super":
            if not node.args and not node.keywords and self._first is not None:
                node.args = [
                    placed(ast.Name("__class__", ast.Load()), node),
                    placed(ast.Name(self._first, ast.Load()), node),
                ]
            return self.generic_visit(node)
        self.generic_visit(node)
        made = parsed(f"{HELPERS}.call(0)", node).value
        made.args[0], node.func = node.func, made
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        reason = "the number of items of a comprehension cannot depend on a tensor"
        for place, each in enumerate(node.ifs):
            made = parsed(f"{HELPERS}.plain(0, {reason!r})", each).value
            made.args[0] = each
            node.ifs[place] = made
        return node


def _first_argument(function: object) -> str | None:
    if not isinstance(function, ast.FunctionDef):
        return None
    given = [*function.args.posonlyargs, *function.args.args]
    return given[0].arg if given else None


def _thunk(node: ast.expr) -> ast.expr:
    made: Any = parsed("lambda: 0", node).value
    made.body = node
    return made


def _is_own(node: ast.AST) -> bool:
    """Return whether an expression has another meaning in a separate function."""
    return any(isinstance(each, _OWN_SCOPE) for each in within([node]))


def _stays(node: ast.AST) -> str | None:
    """Return why a statement stays as it is; None for one that is converted."""
    inside = list(within([node]))
    if any(isinstance(each, (ast.AsyncFor, ast.AsyncWith, *_STAYS)) for each in inside):
        return "it has a `yield` or an `await` inside"
    if sets_elsewhere([node]):
        return "it sets an attribute of an object that has no name inside it"
    left = leaves(node)
    if isinstance(node, LOOPS):
        left |= {kind for each in node.body for kind in leaves(each)}  # type: ignore[attr-defined]
    if left:
        names = " and ".join(sorted(f"`{each.__name__.lower()}`" for each in left))
        return f"it has a {names} where a program cannot follow it (`match`, `finally`)"
    return None
