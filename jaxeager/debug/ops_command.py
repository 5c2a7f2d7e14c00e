"""``python -m jaxeager ops``: the table of ops and their derivatives, or all about some of them."""

from __future__ import annotations

import difflib
import fnmatch
import inspect
import shutil
import sys
from collections.abc import Callable

from jaxeager.debug.common.paths import shorter_path
from jaxeager.ops.register import FUNCTIONAL, METHODS, PUBLIC
from jaxeager.ops.row import ROWS, OpRow

FOUND, UNKNOWN = 0, 2  # exit statuses


def add_command(commands, name: str) -> None:
    """Add the command to a parser.

    Args:
        commands: what ``add_subparsers`` returned.
        name: of the command.
    """
    parser = commands.add_parser(
        name,
        help="the table of ops, or one op: its derivative, what it saves, where its code is",
        description="Prints a line per op: its name, its derivative, and what its node saves. With "
        "names or patterns, prints all that the table has about these ops.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help='an op, or a pattern: "softmax*"')
    parser.set_defaults(run=lambda chosen: run(chosen.names))


def run(names: list[str]) -> int:
    """Print the table, or the entries of some ops; return the exit status."""
    if not names:
        print(table())
        return FOUND
    status = FOUND
    for name in names:
        rows = rows_of(name)
        if not rows:
            near = difflib.get_close_matches(name, {*ROWS, *PUBLIC, *FUNCTIONAL, *METHODS}, 3)
            hint = f" Similar names: {', '.join(near)}." if near else ""
            print(f"{name}: not an op of the table.{hint}", file=sys.stderr)
            status = UNKNOWN
        for row in rows:
            print(f"{entry(row)}\n")
    return status


def rows_of(name: str) -> list[OpRow]:
    """Return the rows of a name or pattern: of a row, a node, or a public function.

    Example:
        >>> from jaxeager.debug.ops_command import rows_of
        >>> rows_of("TanhGradNode"), rows_of("F.softmax"), rows_of("cumsu?")
        ([OpRow(tanh)], [OpRow(softmax)], [OpRow(cumsum)])
    """
    name = name.removeprefix("paddle.").removeprefix("nn.functional.").removeprefix("F.")
    name = name.removeprefix("Tensor.")
    functions = [names[name] for names in (PUBLIC, FUNCTIONAL, METHODS) if name in names]
    return [
        row
        for row in ROWS.values()
        if fnmatch.fnmatchcase(row.name, name)
        or row.name == name.removesuffix("_")
        or row.grad_name == name
        or any(function in (row.function, row.inplace_function) for function in functions)
    ]


def table() -> str:
    """Return a line per op: name, derivative, what its node saves."""
    width = shutil.get_terminal_size((120, 24)).columns
    rows = sorted(ROWS.values(), key=lambda row: row.name)
    wide = max(len(row.name) for row in rows)
    lines = [f"{'op':{wide}}  derivative"]
    for row in rows:
        saved = f"   [saves {', '.join(saves)}]" if (saves := saved_by(row)) else ""
        text = f"{row.name:{wide}}  {_derivative(row)}{saved}"
        lines.append(text if len(text) <= width else f"{text[: width - 3]}...")
    lines.append(f"{len(rows)} ops; python -m jaxeager ops NAME prints all about one")
    return "\n".join(lines)


def _derivative(row: OpRow) -> str:
    return row.formula if row.is_differentiable else "no gradient"


def saved_by(row: OpRow) -> list[str]:
    """Return what a row's node saves, and of what it keeps the shape alone."""
    return [*row.saves, *[f"shape of {name}" for name in row.shapes]]


def entry(row: OpRow) -> str:
    """Return the lines about one op."""
    lines = [f"{row.name}: {row.doc}", *[f"  {each}" for each in called_as(row)]]
    lines.append(f"  dtypes      {', '.join(row.dtypes)}")
    if row.is_differentiable:
        rule = "derived from the forward by jax.vjp" if row.is_derived else "written"
        lines += [
            f"  node        {row.grad_name}, saves {', '.join(saved_by(row)) or 'nothing'}",
            f"  derivative  {row.formula}",
        ]
        if row.boundary:
            lines.append(f"              at the boundary: {row.boundary}")
        lines.append(f"  VJP rule    {rule}{'' if row.is_derived else place_of(row.vjp)}")
    else:
        lines.append("  derivative  no gradient")
    lines.append(f"  forward     {row.forward.__name__}{place_of(row.forward)}")
    if row.example:
        lines.append(f"  example     {row.example}")
    return "\n".join(lines)


def functions_of(row: OpRow) -> list[tuple[str, Callable]]:
    """Return each public name that is a row's function or its in-place twin, and which."""
    own = (row.function, row.inplace_function)
    tables = (("paddle.", PUBLIC), ("F.", FUNCTIONAL), ("Tensor.", METHODS))
    return [
        (f"{prefix}{name}", each)
        for prefix, names in tables
        for name, each in names.items()
        if each in own
    ]


def called_as(row: OpRow) -> list[str]:
    """Return how a row's function, and its in-place twin, are called."""
    found = [f"{name}{inspect.signature(each)}" for name, each in functions_of(row)]
    return found or ["recorded by other functions"]


def place_of(function: Callable) -> str:
    """Return the place of a function's code, " (file:line)"; " of jax.numpy" if it is JAX's own."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or not function.__module__.startswith("jaxeager"):
        return f" of {function.__module__}"
    return f" ({shorter_path(code.co_filename)}:{code.co_firstlineno})"
