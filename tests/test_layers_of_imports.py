"""Imports inside the package run downward only.

The rooms, from the ground up. A room may import from its own floor and from floors below; an import
under ``if TYPE_CHECKING`` does not count, one inside a function does.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "jaxeager"

FLOORS = [
    {
        "_setup", "errors", "dtypes", "forked", "kernel_memory", "memory_limit", "places", "flags",
        "random", "arrays", "size", "tracing", "user_lines",
    },
    {"graph"},
    {"ops"},
    {
        "backward", "tensor", "tensor_autograd", "tensor_layout", "tensor_sources", "tensor_sparse",
        "tensor_types", "tensor_values", "printing", "operators", "public",
    },
    {"debug"},
    # The ecosystem, in Paddle's own names. It may use the public face, which is why the face
    # ("jaxeager" itself) is not above it.
    {
        "amp", "audio", "autograd", "base", "callbacks", "device", "distributed", "distribution",
        "fft", "geometric", "hapi", "incubate", "io", "framework", "framework_io", "jit", "linalg",
        "metric", "nn", "optimizer", "profiler", "regularizer", "restricted_pickle", "signal",
        "sparse", "special", "static", "text", "utils", "version", "vision", "jaxeager",
    },
    {"compat", "__main__"},
]  # fmt: skip
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def room_of(module):
    """Returns the room of a dotted module name: "graph" for jaxeager.graph.node."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "jaxeager"


def module_name(path, package):
    """Returns the dotted name of a source file of the package."""
    parts = [package.name, *path.relative_to(package).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_type_checking(test):
    """Says whether the condition of an ``if`` is TYPE_CHECKING."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def imported_modules(source, module, is_package):
    """Yields (line, dotted name) of each import of the source that runs."""
    here = module.split(".") if is_package else module.split(".")[:-1]
    waiting = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and is_type_checking(node.test):
            waiting.extend(node.orelse)
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{origin}.{alias.name}"
        waiting.extend(ast.iter_child_nodes(node))


def arrows_up(package, floor_of):
    """Returns a line of text per import that runs up, and per room that has no floor."""
    found = []
    for path in sorted(package.rglob("*.py")):
        module = module_name(path, package)
        room = room_of(module)
        if room not in floor_of:
            found.append(f"{module}: the room {room!r} has no floor in {Path(__file__).name}")
            continue
        source = path.read_text(encoding="utf-8")
        for line, imported in imported_modules(source, module, path.name == "__init__.py"):
            if imported.split(".")[0] != package.name:
                continue
            target = room_of(imported)
            # "from jaxeager import x": the face, unless x is a room.
            target = target if target in floor_of else "jaxeager"
            if floor_of[target] > floor_of[room]:
                found.append(f"{path.name}:{line}: {module} imports {imported}, which is above it")
    return found


def test_no_import_runs_up():
    assert arrows_up(PACKAGE, FLOOR_OF) == []


def test_every_room_of_the_tree_is_looked_at():
    rooms = {room_of(module_name(path, PACKAGE)) for path in PACKAGE.rglob("*.py")}
    assert {"errors", "graph", "ops", "tensor", "debug", "nn", "jaxeager"} <= rooms


@pytest.mark.parametrize(
    ("where", "source", "runs_up"),
    [
        ("graph/node.py", "from jaxeager.ops.row import op", True),
        ("graph/node.py", "def late():\n    from jaxeager import tensor", True),
        ("graph/node.py", "from ..tensor import Tensor", True),
        ("graph/node.py", "from jaxeager.errors import FatalError", False),
        ("ops/elementwise/math.py", "import jaxeager as paddle", True),
        ("ops/elementwise/math.py", "import jaxeager.debug", True),
        ("ops/elementwise/math.py", "from jaxeager.graph import engine", False),
        ("graph/node.py", "if TYPE_CHECKING:\n    from jaxeager.tensor import Tensor", False),
        ("nn/layer.py", "import jaxeager as paddle", False),
        ("attic/layer.py", "", True),
    ],
)
def test_an_arrow_up_is_found(tmp_path, where, source, runs_up):
    path = tmp_path / "jaxeager" / where
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert bool(arrows_up(tmp_path / "jaxeager", FLOOR_OF)) is runs_up
