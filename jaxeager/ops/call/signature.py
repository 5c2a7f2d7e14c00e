"""The public function of a row: a readable signature in front of the path of a call.

Note [Signatures]
    Only the signature is generated from the row, as in ``dataclass``:
    ``def mean(x, axis=None, keepdim=False, name=None)``. The function converts its arguments to
    attributes, each by its kind, and returns ``run(x, (axis, keepdim))``: see closures.py. A value
    that its kind refuses raises an error that names the op and the parameter (``_refusal``). A
    function that accepts further names (keywords.py, Note [Keyword aliases]) has ``**aliases`` in
    its signature.
"""

from __future__ import annotations

import functools
import inspect
import linecache
from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call.closures import closure_of, shape_of
from jaxeager.ops.call.documentation import docstring
from jaxeager.ops.call.in_place import closure_in_place, run_inplace
from jaxeager.ops.call.keywords import REQUIRED, call_by_keyword, keywords_of, signature_with_out
from jaxeager.ops.call.path import run, run_operator
from jaxeager.ops.call.plan import plan_of
from jaxeager.ops.rules.attrs import UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxeager.errors import JaxEagerError
    from jaxeager.ops.call.keywords import Keywords
    from jaxeager.ops.call.types import Function, Items, Named
    from jaxeager.ops.row import OpRow

_OF_OPERATOR = inspect.Signature(
    [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in ("x", "y")]
)


def public_function(row: OpRow) -> Function:
    """Return the public function of a row."""
    return _function(row, keywords_of(row.public_names[0], row.public), closure_of(row), run)


def inplace_function(row: OpRow) -> Function:
    """Return the in-place twin of a row's public function."""
    keywords = keywords_of(f"{row.public_names[0]}_", row.public)
    return _function(row, keywords, closure_in_place(row), run_inplace, "_", False)


def operator_function(
    row: OpRow,
    numbers: frozenset[type] = frozenset(),
    on_number: Function | None = None,
) -> Function:
    """Return the function of a row for an operator: it accepts NumPy arrays as well.

    Args:
        row: the op, with the operands x and y.
        numbers: types of numbers that it does not handle itself.
        on_number: the function that is called instead, with (x, y), when y has one of these types.
    """
    run = closure_of(row, run_operator, numbers, on_number)
    if run is None or not shape_of(row):
        raise TypeError(f"No operator can call row {row.name}: it takes more than two tensors.")
    run.__signature__ = _OF_OPERATOR
    return _described(row, run, row.name)


def _function(
    row: OpRow,
    keywords: Keywords | None,
    closure: Function | None,
    path: Function,
    suffix: str = "",
    one_by_one: bool = True,
) -> Function:
    """Make the function that has a row's signature and calls ``closure`` or ``path``.

    Args:
        row: the op.
        keywords: the arguments that it accepts besides its own parameters, or None.
        closure: the closure that it calls; None for a shape of call that has none.
        path: the function that it calls then, with the row's plan: ``path.run`` or one like it.
        suffix: the suffix of its name.
        one_by_one: whether a closure of few operands takes each as a separate argument.
    """
    name = row.public_names[0] + suffix
    declared = _declared(row, keywords)
    scope: Named = {"_run": closure or path, "_plan": plan_of(row)}
    for each, parameter in row.attrs.items():
        scope[f"_kind_{each}"] = parameter.annotation
    parameters = [n if d is REQUIRED else f"{n}=None" for n, d in declared.items()]
    body = f"    return {_call_text(row, closure is not None, one_by_one)}\n"
    if row.attrs:
        scope["_refusal"] = partial(_refusal, name, row.attrs)
        body = _attrs_text(row) + body
    if keywords is not None:
        parameters.append("**aliases")
        body = _alias_text(row, keywords, declared) + body
    rest = f"({', '.join(parameters)}):\n{body}"  # the defaults are set below
    source, filename = f"def {name}{rest}", f"<jaxeager op {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    code = _code(rest).replace(co_name=name, co_qualname=name, co_filename=filename)
    defaults = tuple([each for each in declared.values() if each is not REQUIRED])
    function = FunctionType(code, scope, name, defaults)
    if keywords is not None:
        scope["_by_keyword"] = partial(
            call_by_keyword, function, keywords, _alias_defaults(row, declared)
        )
        function.further_names = keywords.renames  # type: ignore[attr-defined]
        function.__signature__ = signature_with_out(_signature(row), keywords)
    return _described(row, function, name, suffix)


@functools.cache
def _code(rest: str) -> CodeType:
    """Compile a function's parameters and body; half of all rows share them with another row."""
    module = compile(f"def op{rest}", "<jaxeager op>", "exec")
    return next(each for each in module.co_consts if isinstance(each, CodeType))


def _attrs_text(row: OpRow) -> str:
    """Return the lines that make the attributes; a ``try`` that passes costs nothing in Python."""
    given = "".join(f"{name}, " for name in row.attrs)
    attrs = "".join(f"{_attr_text(name, each.annotation)}, " for name, each in row.attrs.items())
    return (
        f"    try:\n        attrs = ({attrs})\n"
        f"    except (TypeError, ValueError) as error:\n        raise _refusal(error, ({given}))\n"
    )


def _attr_text(name: str, kind: Function) -> str:
    """Return the expression of one attribute; a value of the kind's own type needs no call."""
    converted = f"_kind_{name}({name})"
    if kind not in UNCHANGED:
        return converted
    return f"{name} if {name}.__class__ is {UNCHANGED[kind]} else {converted}"


_REFUSALS: dict[type[Exception], type[JaxEagerError]] = {
    InvalidTypeError: InvalidTypeError,
    TypeError: InvalidTypeError,
    InvalidArgumentError: InvalidArgumentError,
    ValueError: InvalidArgumentError,
}


def _refusal(
    op: str, attrs: dict[str, inspect.Parameter], error: Exception, given: Items
) -> Exception:
    """Return the error for a value that its kind refuses: it names the op and the parameter."""
    refused = [
        (name, value)
        for (name, parameter), value in zip(attrs.items(), given, strict=True)
        if _refuses(parameter.annotation, value)
    ]
    if type(error) not in _REFUSALS or not refused:
        return error
    (name, value), *_ = refused
    text = getattr(error, "message", f"{name} is {value!r} ({type(value).__name__}): {error}")
    for subject in ("value", "This argument", "axis", "shape"):
        if text.startswith(f"{subject} must"):
            text = name + text[len(subject) :]
    named = _REFUSALS[type(error)](f"{op}: {text}")
    named.__suppress_context__ = True
    return named


def _refuses(kind: Callable[[Any], object], value: object) -> bool:
    try:
        kind(value)
    except (TypeError, ValueError):
        return True
    return False


def _call_text(row: OpRow, has_closure: bool, one_by_one: bool) -> str:
    """Return the call that a public function makes: ``_run(x, attrs)``."""
    operands = ", ".join(operand.name for operand in row.operands)
    attrs = "attrs" if row.attrs else "()"
    scalars = "".join(f"{name}, " for name in row.scalars)
    if not has_closure:
        return f"_run(_plan, ({operands}, ), {attrs}, ({scalars}))"
    if not (one_by_one and shape_of(row)):
        operands = f"({operands}, )"
    if scalars:
        return f"_run({operands}, {attrs}, ({scalars}))"
    return f"_run({operands}, {attrs})" if row.attrs else f"_run({operands})"


def _declared(row: OpRow, keywords: Keywords | None) -> Named:
    """Return the parameters of a row's function with their defaults, REQUIRED if there is none.

    A parameter that has a further name may be omitted: its default is None, and so is the default
    of those after it.
    """
    renamed = () if keywords is None else keywords.renames.values()
    declared: Named
    declared, seen_default = {}, False
    for name, parameter in row.parameters.items():
        default = parameter.default
        if parameter.kind is not parameter.KEYWORD_ONLY:
            is_optional = row.operands[row.slots[name]].is_optional
            default = None if is_optional or name in renamed else REQUIRED
        elif default is REQUIRED and name in renamed:
            default = None
        seen_default = seen_default or default is not REQUIRED
        declared[name] = None if seen_default and default is REQUIRED else default
    more: Named = {}
    if keywords is not None:
        more |= {"out": None} if keywords.out == "positional-out" else {}
        more |= {"inplace": False} if keywords.inplace else {}
    return {**declared, **more, "name": None}


def _required(row: OpRow) -> set[str]:
    return {name for name, default in _declared(row, None).items() if default is REQUIRED}


def _alias_defaults(row: OpRow, declared: Named) -> Named:
    """Return the function's own parameters with their defaults, REQUIRED for required ones."""
    required = _required(row)
    own: Named = {name: REQUIRED if name in required else declared[name] for name in declared}
    return {name: default for name, default in own.items() if name not in ("out", "inplace")}


def _alias_text(row: OpRow, keywords: Keywords, declared: Named) -> str:
    """Return the function's first lines if there are further names: see Note [Keyword aliases]."""
    lines: list[str] = []
    for name, condition in (("out", "out is not None"), ("inplace", "inplace")):
        if name in declared:
            lines += [f"if {condition}:", f"    aliases['{name}'] = {name}"]
    conditions = ["aliases", *(f"{name} is None" for name in row.attrs if name in _required(row))]
    if keywords.swap is not None:
        first = keywords.swap[0]
        conditions += [f"({first} is not None and type({first}) is bool)"]
    own = [name for name in declared if name not in ("out", "inplace")]
    lines += [f"if {' or '.join(conditions)}:"]
    lines += [f"    return _by_keyword(({', '.join(own)}, ), aliases)"]
    return "".join(f"    {line}\n" for line in lines)


def _signature(row: OpRow) -> inspect.Signature:
    """Return the signature for users, which has the required parameters of the row."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    declared = _declared(row, None)
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=default) for name, default in declared.items()]
    )


def _described(row: OpRow, function: Function, name: str, suffix: str = "") -> Function:
    """Give a function its name, documentation and a link to its row."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = "jaxeager"
    function.row = row  # type: ignore[attr-defined]
    parameters = inspect.signature(function).parameters
    is_public = row.public is not None
    function.__doc__ = docstring(row, name, parameters, bool(suffix)) if is_public else row.doc
    return function
