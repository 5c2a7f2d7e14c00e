"""``return``, ``break`` and ``continue`` out of branches and loops, as flags.

Note [Exits as flags]
    A branch that becomes a function cannot leave the function around it. First the statements after
    ``if t: return a`` are moved into its ``else``, because both branches of a program must return a
    value. Any other exit from a branch or a loop sets a flag. The statements after it are under a
    test that no flag is set, and a loop continues while none is. Flags are ordinary variables: in a
    program they are tensors where they depend on one.
"""

from __future__ import annotations

import ast
from typing import Any, TypeVar

from jaxeager.jit.lowering.names import FUNCTIONS, always_leaves, leaves, within

HELPERS = "_jx"  # the name of the helpers in converted code
VALUE = "_jx_value"  # the return value of the function
_DONE = "_jx_done"  # whether it has returned


_Node = TypeVar("_Node", bound=ast.AST)


def parsed(text: str, at: ast.AST) -> Any:
    """Return the statement of a text, with the line numbers of a node."""
    return placed(ast.parse(text).body[0], at)


def placed(made: _Node, at: ast.AST) -> _Node:
    """Set the line numbers of a node in all parts of a tree that have none."""
    for node in ast.walk(made):
        if "lineno" in node._attributes:
            ast.copy_location(node, at)
    return made


class Exits:
    """The rewriting of one function; see Note [Exits as flags].

    Attributes:
        returns: whether the return value is in ``VALUE``.
    """

    def __init__(self) -> None:
        self.returns = False
        self._count = 0

    def rewritten(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the body of a function, with flags for all exits except those that must stay."""
        if any(map(_is_stubborn, within(body))):
            return body
        self.returns = any(
            ast.Return in leaves(each) and not isinstance(each, ast.Return) for each in body
        )
        if not self.returns:
            return self._block(_folded(body), None)[0]
        end = body[-1]
        body = [*body, parsed("return None", end)] if not always_leaves(body) else body
        made, _ = self._block(_folded(body), None)
        return [
            parsed(f"{_DONE} = False", body[0]),
            *made,
            parsed(f"return {VALUE}", end),
        ]

    def _block(self, block: list[ast.stmt], loop: _Loop | None) -> tuple[list[ast.stmt], list[str]]:
        """Return the statements of a block, and the flags that one of them may set."""
        made: list[ast.stmt] = []
        for place, statement in enumerate(block):
            new, flags = self._statement(statement, loop)
            made += new
            rest = block[place + 1 :]
            if flags and rest:
                inner, others = self._block(rest, loop)
                guard = parsed(f"if {_none_of(flags)}: pass", rest[0])
                guard.body = inner
                return [*made, guard], _both(flags, others)
            if flags:
                return made, flags
        return made, []

    def _statement(
        self, statement: ast.stmt, loop: _Loop | None
    ) -> tuple[list[ast.stmt], list[str]]:
        if isinstance(statement, ast.Return) and self.returns:
            value = parsed(f"{VALUE} = None", statement)
            value.value = statement.value or value.value
            return [value, parsed(f"{_DONE} = True", statement)], [_DONE]
        if isinstance(statement, (ast.Break, ast.Continue)) and loop is not None:
            flag = loop.stopped if isinstance(statement, ast.Break) else loop.skipped
            loop.used.add(flag)
            return [parsed(f"{flag} = True", statement)], [flag]
        if isinstance(statement, (ast.For, ast.While)):
            return self._loop(statement, loop)
        flags: list[str] = []
        if isinstance(statement, (ast.If, ast.With, ast.Try)):
            statement.body, flags = self._block(statement.body, loop)
        if isinstance(statement, ast.Try) and flags and statement.orelse:
            guard = parsed(f"if {_none_of(flags)}: pass", statement.orelse[0])
            guard.body, statement.orelse = statement.orelse, [guard]
        if isinstance(statement, (ast.If, ast.Try)):
            statement.orelse, more = self._block(statement.orelse, loop)
            flags = _both(flags, more)
        for handler in getattr(statement, "handlers", ()):
            handler.body, more = self._block(handler.body, loop)
            flags = _both(flags, more)
        return [statement], flags

    def _loop(
        self, statement: ast.For | ast.While, outer: _Loop | None
    ) -> tuple[list[ast.stmt], list[str]]:
        """Return a loop that is left through flags, with their names in ``_flags``."""
        self._count += 1
        loop = _Loop(self._count)
        _name_test(statement)
        statement.body, flags = self._block(statement.body, loop)
        outward = [each for each in flags if each == _DONE]
        made: list[ast.stmt] = []
        if loop.skipped in loop.used:
            statement.body.insert(0, parsed(f"{loop.skipped} = False", statement))
        if loop.stopped in loop.used:
            made.append(parsed(f"{loop.stopped} = False", statement))
            flags = [loop.stopped, *outward]
        else:
            flags = outward
        behind, statement.orelse = statement.orelse, []
        statement._flags = flags  # type: ignore[union-attr]
        made.append(statement)
        if not behind:
            return made, outward
        inner, others = self._block(behind, outer)
        if not flags:
            return [*made, *inner], others
        guard = parsed(f"if {_none_of(flags)}: pass", behind[0])
        guard.body = inner
        return [*made, guard], _both(outward, others)


class _Loop:
    """The flags of a loop.

    Attributes:
        stopped, skipped: their names, for ``break`` and ``continue``.
        used: the flags that are set.
    """

    def __init__(self, number: int):
        self.stopped, self.skipped = f"_jx_stopped_{number}", f"_jx_skipped_{number}"
        self.used: set[str] = set()


def _name_test(statement: ast.stmt) -> None:
    """Move a test that binds a name into the body of its loop, with a ``break``."""
    if not isinstance(statement, ast.While) or statement.orelse:
        return
    if any(isinstance(each, ast.NamedExpr) for each in within([statement.test])):
        leave = parsed("if True: pass\nelse: break", statement)
        leave.test, statement.test = statement.test, placed(ast.Constant(True), statement)
        rest, statement.body = statement.body, [leave]
        leave.body = rest


def _none_of(flags: list[str]) -> str:
    return f"{HELPERS}.none_of({', '.join(flags)})"


def _both(flags: list[str], others: list[str]) -> list[str]:
    return [*flags, *[each for each in others if each not in flags]]


def _is_stubborn(node: ast.AST) -> bool:
    """Return whether a statement exits in a way that flags cannot represent."""
    if isinstance(node, ast.Match):
        return bool(leaves(node))
    if isinstance(node, ast.Try):
        return any(map(leaves, node.finalbody))
    if hasattr(ast, "TryStar") and isinstance(node, ast.TryStar):
        return bool(leaves(node))
    if isinstance(node, ast.While) and node.orelse:
        return any(isinstance(each, ast.NamedExpr) for each in within([node.test]))
    return isinstance(node, (ast.AsyncFor, ast.AsyncWith))


def _folded(block: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements; those after a branch that always exits are moved to the other branch."""
    made: list[ast.stmt] = []
    for place, statement in enumerate(block):
        made.append(statement)
        if isinstance(statement, FUNCTIONS):
            continue
        rest = block[place + 1 :]
        if isinstance(statement, ast.If) and rest and leaves(statement):
            if always_leaves(statement.body):
                statement.orelse = [*statement.orelse, *rest]
                rest = []
            elif statement.orelse and always_leaves(statement.orelse):
                statement.body = [*statement.body, *rest]
                rest = []
            if not rest:
                statement.body, statement.orelse = (
                    _folded(statement.body),
                    _folded(statement.orelse),
                )
                return made
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and not isinstance(statement, ast.ClassDef):
                setattr(statement, field, _folded(inner))
        for handler in getattr(statement, "handlers", ()):
            handler.body = _folded(handler.body)
    return made
