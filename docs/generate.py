"""Writes what is derived from the table for readers: docs/ops.md and the type stubs.

python docs/generate.py        # writes them
python docs/generate.py --check  # fails when they are not what the table says
"""

import inspect
import pathlib
import sys

import jaxeager  # noqa: F401 - registers every row
from jaxeager.ops.row import FUNCTIONAL, METHODS, PUBLIC, ROWS, OpRow

ROOT = pathlib.Path(__file__).resolve().parents[1]


def ops_page() -> str:
    """Returns docs/ops.md: one line per row of the table."""
    rules = [_rule(row) for row in ROWS.values()]
    counts = {kind: rules.count(kind) for kind in ("written", "derived", "none")}
    lines = [
        "# Every op",
        "",
        "Made from the op table by `python docs/generate.py`; do not edit.",
        "",
        f"{len(ROWS)} ops: {counts['written']} with a written VJP rule, {counts['derived']} with "
        f"one derived by `jax.vjp` from what the op saves, {counts['none']} without gradient.",
        "",
        "**saves** are the tensors a node keeps for backward: writing one in place before backward",
        "is an error. *(shape)* means that only shape and dtype are kept, which no write disturbs.",
        "",
    ]
    families: dict[str, list[OpRow]] = {}
    for row in ROWS.values():
        families.setdefault(_family(row), []).append(row)
    for family, rows in sorted(families.items()):
        lines += [
            f"## {family}",
            "",
            "| op | called as | node | saves | rule | derivative | what |",
        ]
        lines += ["|---|---|---|---|---|---|---|"]
        lines += [_line(row) for row in rows]
        lines.append("")
    return "\n".join(lines)


def _family(row: OpRow) -> str:
    return inspect.unwrap(row.forward).__module__.rpartition(".")[2]


def _rule(row: OpRow) -> str:
    if not row.is_differentiable:
        return "none"
    return "derived" if row.is_derived else "written"


def _line(row: OpRow) -> str:
    names = [f"`{name}`" for name in _called_as(row)]
    saves = [f"`{name}`" for name in row.saves] + [f"`{name}` *(shape)*" for name in row.shapes]
    node = row.grad_name if row.is_differentiable else ""
    cells = [
        f"`{row.name}`", " ".join(names), node, " ".join(saves), _rule(row), row.formula, row.doc,
    ]  # fmt: skip
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _called_as(row: OpRow) -> list[str]:
    """Returns every public name that is this row's function or its in-place twin."""
    own = (row.function, row.inplace_function)
    names = [f"paddle.{name}" for name, function in PUBLIC.items() if function in own]
    return names + [f"F.{name}" for name, function in FUNCTIONAL.items() if function in own]


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
    import jaxeager.nn.functional  # noqa: F401 - registers the functional names

    package = ROOT / "jaxeager"
    return {
        ROOT / "docs" / "ops.md": ops_page(),
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
