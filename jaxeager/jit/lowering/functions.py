"""Functions with converted source, made from the original functions.

Note [Converted functions]
    The definition is found in the file by the line of the code object, converted (statements.py),
    and compiled with the same file name and lines. The compiled module is not run: the code object
    is taken out of it. The new function has that code and the globals, defaults and cells of the
    original, so a variable that either of them sets is set for both. One additional cell contains
    the helpers. The result for a code object is kept as long as that object is alive.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import types
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxeager.core.weak_entries import removing_ref
from jaxeager.jit.lowering.exits import HELPERS
from jaxeager.jit.lowering.names import FUNCTIONS
from jaxeager.jit.lowering.statements import converted

if TYPE_CHECKING:
    from jaxeager.jit.lowering.names import Definition


_FLAGS = functools.reduce(
    int.__or__, [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
)
_FRAMES = frozenset({"eval", "exec", "locals", "vars", "dir"})
_RUNS_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

_GENERATOR = "it is a generator or a coroutine, which runs only when it is iterated or awaited"

_made: dict[int, tuple[weakref.ref, types.CodeType | str]] = {}
_results: dict[int, weakref.ref] = {}


def with_flow(function: types.FunctionType, helpers: object) -> types.FunctionType | str:
    """Return a function with converted source, or the reason why it is not converted.

    Args:
        function: a function of Python.
        helpers: the object with the helpers of converted source.
    """
    plain = function.__code__
    if id(plain) in _results:
        return function
    known = _made.get(id(plain))
    if known is None or known[0]() is not plain:
        found = _code_of(function)
        reference = removing_ref(_made, plain)
        known = _made[id(plain)] = reference, found
    code = known[1]
    if isinstance(code, str):
        return code
    cells = dict(zip(plain.co_freevars, function.__closure__ or (), strict=True))
    cells[HELPERS] = types.CellType(helpers)
    closure = tuple([cells[name] for name in code.co_freevars])
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__dict__.update(function.__dict__)
    return made


def why_plain(code: types.CodeType) -> str | None:
    """Return why running code was not converted; None for converted code."""
    if code.co_flags & _RUNS_LATER:
        return _GENERATOR
    if id(code) in _results:
        return None
    known = _made.get(id(code))
    if known is not None and isinstance(known[1], str):
        return known[1]
    return (
        "it is marked by not_to_static, its module is ignored, or its caller is a library, a "
        "hook or a special method"
    )


def _code_of(function: types.FunctionType) -> types.CodeType | str:
    """Return the code of a function with converted source, or why there is none."""
    plain = function.__code__
    if plain.co_flags & _RUNS_LATER:
        return _GENERATOR
    text = "".join(linecache.getlines(plain.co_filename, function.__globals__))
    if not text:
        return "its source is not available"
    definition = _definition(text, plain)
    if definition is None:
        return "its source differs from the code that runs"
    if any(isinstance(each, ast.Name) and each.id in _FRAMES for each in ast.walk(definition)):
        return f"it inspects its own variables ({', '.join(sorted(_FRAMES))})"
    try:
        tree = converted(copy.deepcopy(definition))
        module = _module_of(tree, function)
        flags = plain.co_flags & _FLAGS
        code = compile(module, plain.co_filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, RecursionError) as error:
        return f"its source cannot be converted: {error}"
    found = _inner_code(code, plain.co_name)
    for each in _codes(found):
        _results[id(each)] = removing_ref(_results, each)
    return found


@functools.lru_cache(maxsize=16)
def _definitions(text: str) -> dict[tuple[int, str], list[Definition]]:
    """Return the functions of a file by the line where they begin, and their name."""
    found: dict[tuple[int, str], list[Definition]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, FUNCTIONS):
            lines = [node.lineno, *[each.lineno for each in getattr(node, "decorator_list", ())]]
            name = getattr(node, "name", "<lambda>")
            found.setdefault((min(lines), name), []).append(node)
    return found


def _definition(text: str, code: types.CodeType) -> Definition | None:
    """Return the definition that a code object was compiled from; None when it is missing."""
    try:
        found = _definitions(text).get((code.co_firstlineno, code.co_name), [])
    except SyntaxError:
        return None
    names = code.co_varnames[: _argument_count(code)]
    found = [each for each in found if _argument_names(each) == names]
    if len(found) > 1:  # several lambdas on one line
        columns = _columns(code)
        found = [each for each in found if columns and _covers(each, columns)]
    return found[0] if len(found) == 1 else None


def _columns(code: types.CodeType) -> list[int]:
    """Return the columns of the first line of a code object."""
    return [
        start
        for line, _, start, end in code.co_positions()
        if line == code.co_firstlineno and start is not None and end is not None and start < end
    ]


def _covers(node: Definition, columns: list[int]) -> bool:
    """Return whether a code object with these columns is a lambda's, not that of an inner one."""
    if not isinstance(node, ast.Lambda):
        return False
    body, start = node.body, min(columns)
    inner = [each for each in ast.walk(body) if isinstance(each, ast.Lambda)]
    return body.col_offset <= start <= max(columns) <= (body.end_col_offset or 0) and not any(
        each.body.col_offset <= start for each in inner
    )


def _argument_count(code: types.CodeType) -> int:
    stars = (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
    return (
        code.co_argcount
        + code.co_kwonlyargcount
        + sum(bool(code.co_flags & flag) for flag in stars)
    )


def _argument_names(node: Definition) -> tuple[str, ...]:
    """Return the names of arguments in the order of a code object."""
    given = node.args
    plain = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    stars = [each for each in (given.vararg, given.kwarg) if each is not None]
    return tuple([each.arg for each in (*plain, *stars)])


def _module_of(tree: Definition, function: types.FunctionType) -> ast.Module:
    """Return a module in which the names of a function keep their meaning."""
    free = [*function.__code__.co_freevars, HELPERS]
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in free], kwonlyargs=[], kw_defaults=[],
        defaults=[],
    )  # fmt: skip
    _bare(tree)
    inner: ast.stmt = ast.Expr(tree) if isinstance(tree, ast.Lambda) else tree
    owner = _class_of(function.__code__.co_qualname)
    if owner is not None:  # names with two leading underscores belong to the class
        inner = ast.ClassDef(name=owner, bases=[], keywords=[], body=[inner], decorator_list=[])
    body: list[ast.stmt] = [inner]
    name = getattr(tree, "name", None)
    if owner is None and name is not None and name not in free:
        body = [ast.Global(names=[name]), inner]  # a function that calls itself by its global name
    factory = ast.FunctionDef(
        name="_jx_factory", args=arguments, body=body, decorator_list=[], returns=None
    )
    for made in (inner, factory):
        for node in (made, *arguments.args):
            ast.copy_location(node, tree)
    for made in (inner, factory):
        if "type_params" in made._fields:  # Python 3.12
            made.type_params = []  # type: ignore[attr-defined]
    return ast.fix_missing_locations(ast.Module([factory], []))


def _bare(tree: Definition) -> None:
    """Remove the computed parts of a definition: the function has its own defaults already."""
    given = tree.args
    given.defaults = [ast.Constant(None) for _ in given.defaults]
    given.kw_defaults = [each and ast.Constant(None) for each in given.kw_defaults]
    every = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
    for each in every:
        if each is not None:
            each.annotation = None


def _class_of(qualified: str) -> str | None:
    """Return the innermost class that encloses a function, by its qualified name."""
    parts = qualified.split(".")[:-1]
    while parts and parts[-1] == "<locals>":
        parts = parts[:-2]
    return parts[-1] if parts and parts[-1].isidentifier() else None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _codes(each)


def _inner_code(module: types.CodeType, name: str) -> types.CodeType:
    """Return the code of the function in a module of ``_module_of``."""
    functions = [each for each in _codes(module) if each.co_flags & inspect.CO_OPTIMIZED]
    return next(each for each in functions if each.co_name == name)
