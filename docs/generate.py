"""Writes what is derived: docs/ops.md and the type stubs, docs/coverage.md, docs/paddle-faults.md.

python docs/generate.py        # writes them
python docs/generate.py --check  # fails when they are not what the table says
"""

import inspect
import pathlib
import sys
from collections.abc import Callable
from importlib import import_module

from paddle_coverage import coverage_page

import jaxeager  # noqa: F401 - registers every row
from jaxeager.ops.row import FUNCTIONAL, METHODS, PUBLIC, ROWS, OpRow

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the parity programs are under tests/

HEAD = """# Every op

Made from the op table by `python docs/generate.py`; do not edit.

{counts}

**Saves** names the tensors a node keeps for backward: writing one in place before backward is an
error. *(shape)* means that only shape and dtype are kept, which no write disturbs. **dtypes** are
those the tests run, forward and backward. **At the boundary** says what the gradient is at kinks,
ties, poles and ends of the domain, and what Paddle's is where it differs;
`tests/parity/programs/boundary_gradients.py` runs these on both.

| room | what it holds | files |
|---|---|---|
{contents}
"""


def ops_page() -> str:
    """Returns docs/ops.md: a few lines per row of the table."""
    rooms: dict[str, dict[str, list[OpRow]]] = {}
    for row in ROWS.values():
        room, family = _place(row)
        rooms.setdefault(room, {}).setdefault(family, []).append(row)
    contents = [_contents(room, rooms[room]) for room in sorted(rooms)]
    lines = [*HEAD.format(counts=_counts(), contents="\n".join(contents)).splitlines(), ""]
    for room, families in sorted(rooms.items()):
        for family, rows in sorted(families.items()):
            lines += [f"## {room}: {family}", ""]
            for row in rows:
                lines += _entry(row)
    return "\n".join(lines)


def _contents(room: str, families: dict[str, list[OpRow]]) -> str:
    """Returns the line about one room of jaxeager/ops in the table of contents."""
    doc = inspect.getdoc(import_module(f"jaxeager.ops.{room}"))
    links = [f"[{name}](#{room}-{name}) ({len(families[name])})" for name in sorted(families)]
    return f"| `{room}` | {doc} | {', '.join(links)} |"


def _counts() -> str:
    rules = [_rule(row) for row in ROWS.values()]
    counts = {kind: rules.count(kind) for kind in ("written", "derived", "none")}
    return (
        f"{len(ROWS)} ops: {counts['written']} with a written VJP rule, {counts['derived']} with "
        f"one derived by `jax.vjp` from what the op saves, {counts['none']} without gradient."
    )


def _place(row: OpRow) -> tuple[str, str]:
    """Returns a row's room and file. Its forward may be JAX's own; then its rule is not."""
    modules = [inspect.unwrap(each).__module__ for each in (row.forward, row.vjp)]
    module = next(each for each in modules if each.startswith("jaxeager.ops."))
    room, family = module.removeprefix("jaxeager.ops.").split(".")
    return room, family


def _rule(row: OpRow) -> str:
    if not row.is_differentiable:
        return "none"
    return "derived" if row.is_derived else "written"


def _entry(row: OpRow) -> list[str]:
    """Returns the lines about one row."""
    lines = [f"### {row.name}", "", row.doc, ""]
    called = [f"`{name}{inspect.signature(function)}`" for name, function in _called_as(row)]
    lines.append(f"- {' '.join(called)}" if called else "- recorded by other functions")
    lines.append(f"- dtypes: {', '.join(row.dtypes)}")
    if row.is_differentiable:
        saves = [f"`{name}`" for name in row.saves] + [f"`{n}` *(shape)*" for n in row.shapes]
        kept = ", ".join(saves) if saves else "nothing"
        lines.append(f"- {row.grad_name}, saves {kept}; {_rule(row)}: {_plain(row.formula)}")
        if row.boundary:
            lines.append(f"- at the boundary: {_plain(row.boundary)}")
    else:
        lines.append("- no gradient")
    return [*lines, ""]


def _plain(text: str) -> str:
    """Returns text in which Markdown finds no marks."""
    return "".join("\\" + letter if letter in "*_|<" else letter for letter in text)


def _called_as(row: OpRow) -> list[tuple[str, Callable]]:
    """Returns every public name that is this row's function or its in-place twin, and which."""
    own = (row.function, row.inplace_function)
    found = [(f"paddle.{name}", each) for name, each in PUBLIC.items() if each in own]
    return found + [(f"F.{name}", each) for name, each in FUNCTIONAL.items() if each in own]


def stub(functions: dict, first: str) -> str:
    """Returns stub lines for public functions, with the signatures they have."""
    lines = []
    for name, function in sorted(functions.items()):
        parameters = list(inspect.signature(function).parameters.values())
        texts = [_parameter(p, first if i == 0 else "") for i, p in enumerate(parameters)]
        lines.append(f"def {name}({', '.join(texts)}) -> Any: ...")
    return "\n".join(lines)


def _parameter(parameter: inspect.Parameter, first: str) -> str:
    name = first or parameter.name
    prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if prefix:
        return f"{prefix}{parameter.name}: Any"
    has_default = parameter.default is not parameter.empty
    if name == "self":
        return "self"
    return f"{name}: Any{' = ...' if has_default else ''}"


def methods_stub() -> str:
    """Returns ops/methods.pyi: what Tensor has from the table and the operators."""
    from jaxeager.operators import OPERATORS

    body = stub({**METHODS, **OPERATORS}, first="self").replace("def ", "    def ")
    return (
        "# Made by `python docs/generate.py`; do not edit.\n"
        "from typing import Any\n\n"
        f"class TableMethods:\n{body}\n"
    )


def names_stub(functions: dict) -> str:
    """Returns the stub of a table of public functions."""
    return (
        "# Made by `python docs/generate.py`; do not edit.\n"
        f"from typing import Any\n\n{stub(functions, first='')}\n"
    )


def files() -> dict[pathlib.Path, str]:
    """Returns every derived file with its text."""
    from paddle_faults import faults_page

    import jaxeager.nn.functional  # noqa: F401 - registers the functional names

    package = ROOT / "jaxeager"
    return {
        ROOT / "docs" / "ops.md": ops_page(),
        ROOT / "docs" / "coverage.md": coverage_page(),
        ROOT / "docs" / "paddle-faults.md": faults_page(),
        package / "ops" / "methods.pyi": methods_stub(),
        package / "public.pyi": names_stub(PUBLIC),
        package / "nn" / "functional" / "__init__.pyi": names_stub(FUNCTIONAL),
    }


def main(arguments: list[str]) -> int:
    """Writes the files, or with --check says which are stale; returns the exit status."""
    stale = [path for path, text in files().items() if not _is(path, text)]
    for path in stale:
        print(("stale: " if "--check" in arguments else "wrote: ") + str(path.relative_to(ROOT)))
        if "--check" not in arguments:
            path.write_text(files()[path])
    return 1 if stale and "--check" in arguments else 0


def _is(path: pathlib.Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
