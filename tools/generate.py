"""Write the derived files: the results of examples, the type stubs, docs/coverage.md, models.md,
docstring-examples.md and paddle-faults.md.

The pages of all ops, which are long, are made only for the site (docs/site/make_site.py).

python tools/generate.py        # writes them
python tools/generate.py --check  # fails when they are not up to date
"""

import builtins
import inspect
import math
import os
import pathlib
import re
import sys
import textwrap
from collections.abc import Callable
from importlib import import_module

from docstring_examples import docstrings_page
from example_results import is_same, results_text
from paddle_coverage import coverage_page
from paddle_models import models_page

import jaxeager  # noqa: F401 - registers every row
from jaxeager.debug.ops_command import functions_of
from jaxeager.ops.register import FUNCTIONAL, METHODS, PUBLIC
from jaxeager.ops.row import ROWS, OpRow
from jaxeager.ops.rules import attrs

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "jaxeager" / "ops" / "call" / "example_results.json"
sys.path.insert(0, str(ROOT))  # the parity programs are under tests/

HEAD = """# Every op

Made from the op table.

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


def ops_pages() -> dict[str, str]:
    """Return the pages of all ops by name: a table of rooms, then a page per room."""
    rooms: dict[str, dict[str, list[OpRow]]] = {}
    for row in ROWS.values():
        room, family = place_of(row)
        rooms.setdefault(room, {}).setdefault(family, []).append(row)
    contents = [_contents(room, rooms[room]) for room in sorted(rooms)]
    pages = {"ops": HEAD.format(counts=_counts(), contents="\n".join(contents))}
    return pages | {f"ops-{room}": _room_page(room, rooms[room]) for room in sorted(rooms)}


def _contents(room: str, families: dict[str, list[OpRow]]) -> str:
    """Return the line about one room of jaxeager/ops in the table of contents."""
    page = f"ops-{room}.md"
    links = [f"[{name}]({page}#{_slug(name)}) ({len(families[name])})" for name in sorted(families)]
    return f"| [{room}]({page}) | {_doc_of(room)} | {', '.join(links)} |"


def _slug(heading: str) -> str:
    return heading.replace(" ", "-")


def _doc_of(room: str) -> str | None:
    return inspect.getdoc(import_module(f"jaxeager.ops.{room}"))


def _room_page(room: str, families: dict[str, list[OpRow]]) -> str:
    """Return the page of one room: a few lines per row of the table."""
    lines = [f"# Ops: {room}", "", f"{_doc_of(room)} [The other ops](ops.md).", ""]
    for family, rows in sorted(families.items()):
        lines += [f"## {family}", ""]
        for row in rows:
            lines += _entry(row)
    return "\n".join(lines)


def _counts() -> str:
    rules = [_rule(row) for row in ROWS.values()]
    counts = {kind: rules.count(kind) for kind in ("written", "derived", "none")}
    return (
        f"{len(ROWS)} ops: {counts['written']} with a written VJP rule, {counts['derived']} with "
        f"one derived by `jax.vjp` from what the op saves, {counts['none']} without gradient."
    )


def place_of(row: OpRow) -> tuple[str, str]:
    """Return a row's room and file: those of its rule if its forward is JAX's own."""
    modules = [inspect.unwrap(each).__module__ for each in (row.forward, row.vjp)]
    module = next(each for each in modules if each.startswith("jaxeager.ops."))
    room, family = module.removeprefix("jaxeager.ops.").split(".")
    return room, family


def _rule(row: OpRow) -> str:
    if not row.is_differentiable:
        return "none"
    return "derived" if row.is_derived else "written"


def _entry(row: OpRow) -> list[str]:
    """Return the lines about one row."""
    lines = [f"### {row.name}", "", row.doc, ""]
    called = [_linked(name, inspect.signature(function)) for name, function in _called_as(row)]
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


def _linked(name: str, signature: inspect.Signature) -> str:
    """Return a call that leads to the function's description, with its example."""
    room, _, own = name.partition(".")
    home = {"paddle": "jaxeager", "F": "jaxeager.nn.functional"}[room]
    return f"{{py:obj}}`{name}{signature} <{home}.{own}>`"


def _plain(text: str) -> str:
    """Return text without Markdown markup."""
    return "".join("\\" + letter if letter in "*_|<" else letter for letter in text)


def _called_as(row: OpRow) -> list[tuple[str, Callable]]:
    """Return every public name that is this row's function or its in-place twin, and which."""
    return [each for each in functions_of(row) if not each[0].startswith("Tensor.")]


# The types allowed for an attribute of each kind, and for the parameters of every function.
KINDS = {
    attrs.as_bool: "bool",
    attrs.as_plain_int: "int",
    attrs.as_float: "float",
    str: "str",
    attrs.as_optional_float: "float | None",
    attrs.as_axis: "int | None",
    attrs.as_one_axis: "int",
    attrs.as_whole_axis: "int | None",
    attrs.as_whole: "int",
    attrs.as_axes: "int | Sequence[int] | None",
    attrs.as_int: "int",
    attrs.as_ints: "int | Sequence[int]",
    attrs.as_shape: "ShapeLike",
    attrs.as_dtype: "DTypeLike | None",
}
COMMON = {
    "name": "str | None",
    "out": "Tensor | None",
    "dtype": "DTypeLike | None",
    "device": "PlaceLike | None",
    "requires_grad": "bool",
    "pin_memory": "bool",
    "inplace": "bool",
    "approximate": "bool | str",
}
IMPORTS = """# Made by `python tools/generate.py`; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxeager.core.types import (
    DTypeLike,
    Number,
    ParamAttrLike,
    PlaceLike,
    ShapeLike,
    TensorLike,
)
from jaxeager.ops.indexing.search import TopKRetType
from jaxeager.tensor import Tensor
"""
# Types that a stub can use; a function of the same name, such as paddle.complex, hides a builtin.
KNOWN = set(re.findall(r"\w+", IMPORTS)) | set(dir(builtins)) - {*PUBLIC, *FUNCTIONAL}


def stub(functions: dict, first: str) -> str:
    """Return stub lines for public functions, with the signatures they have.

    Functions from a row have the types of the row; functions written by hand have their own.
    """
    rows = {id(each): row for row in ROWS.values() for each in _functions(row)}
    lines = []
    for name, function in sorted(functions.items()):
        types = _row_types(rows[id(function)]) if id(function) in rows else _own_types(function)
        parameters = list(inspect.signature(function).parameters.values())
        texts = [_parameter(p, types, first if i == 0 else "") for i, p in enumerate(parameters)]
        lines.append(f"def {name}({', '.join(texts)}) -> {types.get('return', 'Any')}:")
        lines.append(textwrap.indent(_docstring(function), "    ") + "\n    ...")
    return "\n".join(lines)


def _docstring(function: Callable) -> str:
    """Return the docstring of a function as it stands in a stub."""
    text = inspect.getdoc(function) or ""
    mark = "r" if "\\" in text else ""
    return f'{mark}"""{text}"""' if "\n" not in text else f'{mark}"""{text}\n"""'


def _functions(row: OpRow) -> tuple:
    return tuple(each for each in (row.function, row.inplace_function) if each is not None)


def _row_types(row: OpRow) -> dict[str, str]:
    """Return the types of a row's parameters and result by name."""
    types = dict(COMMON)
    for operand in row.operands:
        takes_numbers = row.promote and operand.slot > 0
        kind = "Sequence[Tensor]" if operand.is_list else "Tensor"
        types[operand.name] = (
            kind
            + (" | Number" if takes_numbers and not operand.is_list else "")
            + (" | None" if operand.is_optional else "")
        )
    types |= dict.fromkeys(row.scalars, "Number | Tensor")
    types |= {name: KINDS.get(p.annotation, "Any") for name, p in row.attrs.items()}
    count = len(row.outputs)
    several = f"tuple[{', '.join(['Tensor'] * count)}]" if count > 1 else "Tensor"
    types["return"] = "list[Tensor]" if row.returns_list else several
    return types


def _own_types(function: Callable) -> dict[str, str]:
    """Return the annotations of a function by name, as far as the stub can use them."""
    signature = inspect.signature(inspect.unwrap(function))
    found = {name: p.annotation for name, p in signature.parameters.items()}
    found["return"] = signature.return_annotation
    texts = {
        name: each if isinstance(each, str) else _last_names(inspect.formatannotation(each))
        for name, each in found.items()
        if each is not inspect.Parameter.empty
    }
    texts = {name: text for name, text in texts.items() if set(re.findall(r"\w+", text)) <= KNOWN}
    # A call without the flag that asks for more returns a Tensor; one with it unpacks the result.
    if re.fullmatch(r"Tensor \| (tuple|list)\[.*\]", texts.get("return", "")):
        texts["return"] = "Tensor"
    return {**COMMON, **texts}


def _last_names(annotation: str) -> str:
    """Return an annotation without the modules of its names."""
    return re.sub(r"jaxeager(\.\w+)*\.(\w+)", r"\2", annotation)


def _default(parameter: inspect.Parameter) -> str:
    """Return the default of a parameter, as its text if that is a constant."""
    value = parameter.default
    if value is parameter.empty:
        return ""
    return f" = {value!r}" if _is_constant(value) else " = ..."


def _is_constant(value: object) -> bool:
    """Return whether the ``repr`` of a default is its text."""
    if isinstance(value, (list, tuple)):
        return all(_is_constant(each) for each in value)
    finite = type(value) is float and math.isfinite(value)
    return value is None or finite or type(value) in (bool, int, str)


def _parameter(parameter: inspect.Parameter, types: dict[str, str], first: str) -> str:
    name = first or parameter.name
    if name == "self":
        return "self"
    prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = _default(parameter)
    kind = types.get(parameter.name, "Any")
    if parameter.default is None and kind != "Any" and not kind.endswith("None"):
        kind += " | None"
    return f"{prefix}{parameter.name}: {kind}{default}"


def methods_stub() -> str:
    """Return tensor/methods.pyi: the methods of Tensor from the table and the operators."""
    from jaxeager.tensor.operators import OPERATORS

    methods = stub(METHODS, first="self")
    operators = [_operator_stub(name) for name in sorted(OPERATORS)]
    body = textwrap.indent("\n".join([*operators, methods]), "    ")
    return f"{IMPORTS}\nclass TableMethods:\n{body}\n"


def _operator_stub(name: str) -> str:
    """Return the stub of an operator, which returns a Tensor."""
    if name == "__setitem__":
        return f"def {name}(self, item: Any, value: Any) -> None: ..."
    if name in ("__abs__", "__invert__", "__neg__", "__pos__"):
        return f"def {name}(self) -> Tensor: ..."
    if name == "__getitem__":
        return f"def {name}(self, item: Any) -> Tensor: ..."
    if name in ("__eq__", "__ne__"):  # those of object return a bool
        return f"def {name}(self, y: Any) -> Tensor: ...  # type: ignore[override]"
    return f"def {name}(self, y: Tensor | Number | np.ndarray | np.generic) -> Tensor: ..."


def names_stub(functions: dict) -> str:
    """Return the stub of a table of public functions."""
    return f"{IMPORTS}\n{stub(functions, first='')}\n"


def files() -> dict[pathlib.Path, str]:
    """Return every derived file with its text."""
    from paddle_faults import faults_page

    import jaxeager.nn.functional  # noqa: F401 - registers the functional names

    package = ROOT / "jaxeager"
    return {
        ROOT / "docs" / "coverage.md": coverage_page(),
        ROOT / "docs" / "models.md": models_page(),
        ROOT / "docs" / "docstring-examples.md": docstrings_page(),
        ROOT / "docs" / "paddle-faults.md": faults_page(),
        package / "tensor" / "methods.pyi": methods_stub(),
        package / "public.pyi": names_stub(PUBLIC),
        package / "nn" / "functional" / "__init__.pyi": names_stub(FUNCTIONAL),
    }


def main(arguments: list[str]) -> int:
    """Write the files, or with --check print the stale ones; return the exit status."""
    results = results_text()
    if not RESULTS.exists() or not is_same(RESULTS.read_text(), results):
        print(f"stale: {RESULTS.relative_to(ROOT)}")
        if "--check" in arguments:
            return 1
        RESULTS.write_text(results)
        os.execv(sys.executable, [sys.executable, *sys.argv])  # the docstrings have changed
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
