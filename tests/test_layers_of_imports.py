"""Imports inside the package run downward only, file by file.

Three things are checked. No file imports one of a higher floor: at its top, inside a function, or
by a name in a string. No files import one another in a circle. And a computed name is imported only
if ``COMPUTED`` lists its possible values. An import under ``if TYPE_CHECKING`` does not count.

The face, ``jaxeager/__init__.py``, exposes names to users and defines nothing. The ecosystem is
written on it, so it is below the ecosystem, and its own imports are not checked.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.support.processes import printed_by

PACKAGE = Path(__file__).resolve().parent.parent / "jaxeager"

# From the ground up: rooms, or files and rooms within them, which precede their containers.
FLOORS = [
    {"core.ports"},
    {"errors"},
    {"core"},
    {"kernels"},
    {"arrays"},
    {"graph"},
    {"ops.rules"},
    {"ops"},
    {"tensor", "public"},
    {"debug.common"},
    {"debug.calls", "debug.vlog"},
    {"debug.stacks"},
    {"debug.gradients"},
    {
        "debug.checks", "debug.checksums", "debug.graphs", "debug.hangs", "debug.memory",
        "debug.numbers",
    },
    {
        "debug.accuracy", "debug.alignment", "debug.explorer", "debug.lockstep",
        "debug.replays", "debug.time", "debug.training",
    },
    {"debug"},
    {"jaxeager"},
    # The ecosystem, in Paddle's own names.
    {
        "amp", "audio", "autograd", "callbacks", "device", "distributed", "distribution",
        "einops_backend", "fft", "framework", "geometric", "hapi", "hub", "incubate", "inference",
        "interop", "io", "jax_bridge", "jit", "launcher", "legacy", "linalg", "metric", "nn",
        "notebook", "onnx", "optimizer", "profiler", "quantization", "random", "regularizer",
        "signal", "sparse", "special", "static", "text", "utils", "version", "vision",
    },
    {
        "compat", "debug.bisect", "debug.sizes", "launcher.coverage", "launcher.known_names",
        "launcher.launch", "launcher.missing_names", "launcher.paddle_names", "launcher.processes",
        "launcher.sources",
    },
    {
        "module_aliases", "wiring", "launcher.stubs", "__main__", "distributed.launch.__main__",
        "distributed.launch.rank",
    },
]  # fmt: skip
FLOOR_OF = {name: number for number, names in enumerate(FLOORS) for name in names}

# Files that import a name they compute, and the room it is in.
COMPUTED = {
    "debug": "debug",
    "debug.accuracy.replay": "debug.accuracy",  # a separate process: the library it is for
    "launcher.known_names": "jaxeager",  # names of Paddle that a source or an error has
    "launcher.missing_names": "jaxeager",  # a module that a program reads as an attribute
    "launcher.finder": "jaxeager",  # the module that an import of Paddle's names
    "legacy.base.framework": "debug.vlog",
    "module_aliases": "jaxeager",  # modules of its tables
    "distributed.fleet.meta_parallel.layer_spec": "jaxeager",  # named by a LayerSpec
    "framework": "jaxeager",  # names that are in other rooms too
    "interop.packages": "jaxeager",  # packages of others
    "io.fork_main": "jaxeager",  # named by a pickle for a worker
    "io.light": "io",
    "nn.functional": "nn.functional",
    "ops": "ops",
    "profiler.profiler": "jaxeager",  # named by a file of configuration
    "tensor": "tensor",
    "utils": "jaxeager",  # its own modules, and debug tools
    "utils.requirements": "jaxeager",  # requested by a user
    "vision": "vision",
    "vision.pillow": "jaxeager",  # parts of PIL
    "io.archives": "jaxeager",  # modules of the standard library
    "vision.transforms": "vision.transforms",
    "wiring": "jaxeager",
}


# ---- reading


def is_type_checking(test):
    """Return whether the condition of an ``if`` is TYPE_CHECKING."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def called_as(call):
    """Return the last name of a call's function."""
    called = call.func
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


class File:
    """The imports of one file of the package.

    Attributes:
        name: dotted, without the package; "jaxeager" for the face.
        imports: (line, dotted name within the package) of every import that runs, those of
            ``import_module("jaxeager.debug.vlog")`` among them.
        tools: the same for the tables of tools: "debug.vlog:log".
        mentions: the same for every other string that has the form of a module's name.
        computed: lines that import a computed name.
    """

    def __init__(self, path, package):
        self.path, self.package = path, package.name
        parts = path.relative_to(package).with_suffix("").parts
        self.is_package = parts[-1] == "__init__"
        self.parts = parts[:-1] if self.is_package else parts
        self.name = ".".join(self.parts) or package.name
        self.imports, self.tools, self.mentions, self.computed = [], [], [], []
        self._read(ast.parse(path.read_text(encoding="utf-8")))

    def _read(self, tree):
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.If) and is_type_checking(node.test):
                waiting.extend(node.orelse)
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imports += [(node.lineno, name) for name in self._imported(node)]
            elif isinstance(node, ast.Call) and called_as(node) in ("import_module", "__import__"):
                self._read_import_call(node)
            elif isinstance(node, ast.Call) and called_as(node) == "getLogger":
                continue
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self._read_string(node)
            waiting.extend(ast.iter_child_nodes(node))

    def _imported(self, node):
        """Yield the names within the package in an import statement, "" for the face."""
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            here = (self.package, *self.parts)
            here = here if self.is_package else here[:-1]
            base = list(here[: len(here) - node.level + 1]) if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{origin}.{alias.name}" for alias in node.names]
        for name in names:
            first, _, rest = name.partition(".")
            if first == self.package:
                yield rest

    def _read_import_call(self, node):
        name = getattr(node.args[0], "value", None)
        if not isinstance(name, str):
            self.computed.append(node.lineno)
        elif name.startswith(f"{self.package}."):
            self.imports.append((node.lineno, name.partition(".")[2]))

    def _read_string(self, node):
        text = node.value
        if re.fullmatch(rf"{self.package}(\.\w+)+", text):
            self.mentions.append((node.lineno, text.partition(".")[2]))
        elif re.fullmatch(r"\w+(\.\w+)+:\w+", text):
            self.tools.append((node.lineno, text.partition(":")[0]))


class Tree:
    """All files of a package, by name."""

    def __init__(self, package):
        files = [File(path, package) for path in sorted(package.rglob("*.py"))]
        self.face = package.name
        self.files = {file.name: file for file in files}

    def target(self, name):
        """Return the file that has a name, the face for names of the face."""
        while name and name not in self.files:
            name = name.rpartition(".")[0]
        return name or self.face

    def arrows(self, file):
        """Yield (line, file that is imported)."""
        if file.name == self.face:
            return
        for line, name in file.imports:
            yield line, self.target(name)
        for line, name in file.tools:
            if name in self.files:
                yield line, name

    def mentioned(self, file):
        """Yield (line, file that is named in a string)."""
        for line, name in file.mentions if file.name != self.face else ():
            if name in self.files:
                yield line, name


def floor_of(name):
    """Return the floor of a file: that of its innermost room with one, None if there is none."""
    while name and name not in FLOOR_OF:
        name = name.rpartition(".")[0]
    return FLOOR_OF.get(name)


# ---- the checks


def arrows_up(tree):
    """Return a line of text per import that runs up, and per file that has no floor."""
    found = []
    for file in tree.files.values():
        if floor_of(file.name) is None:
            found.append(f"{file.name} has no floor in {Path(__file__).name}")
            continue
        for line, target in (*tree.arrows(file), *tree.mentioned(file)):
            above = floor_of(target)
            if above is not None and above > floor_of(file.name):
                found.append(f"{file.name}:{line} imports {target}, which is above it")
    return found


def circles(tree):
    """Return the sets of files that import one another, directly or through others."""
    arrows = {name: {t for _, t in tree.arrows(f)} - {name} for name, f in tree.files.items()}
    found, waiting = [], set(arrows)
    reach = {name: reachable(name, arrows) for name in arrows}
    while waiting:
        name = waiting.pop()
        circle = {other for other in reach[name] if name in reach[other]}
        if circle:
            found.append(circle)
            waiting -= circle
    return found


def reachable(name, arrows):
    """Return every file that can be reached from one by at least one arrow."""
    seen, waiting = set(), list(arrows[name])
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            waiting.extend(arrows[each])
    return seen


@pytest.fixture(scope="module")
def tree():
    return Tree(PACKAGE)


def test_no_import_runs_up(tree):
    assert arrows_up(tree) == []


def test_no_files_import_one_another_in_a_circle(tree):
    assert [sorted(each) for each in circles(tree)] == []


def test_names_are_computed_only_in_listed_files(tree):
    computing = {file.name for file in tree.files.values() if file.computed}
    assert computing - {tree.face} == COMPUTED.keys()
    up = [n for n, room in COMPUTED.items() if floor_of(room) > floor_of(n)]
    assert up == []


def test_the_face_defines_nothing(tree):
    body = ast.parse(tree.files[tree.face].path.read_text(encoding="utf-8")).body
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    assert [each.name for each in body if isinstance(each, kinds)] == ["__getattr__", "__dir__"]


def test_every_room_of_the_tree_is_read(tree):
    rooms = {name.partition(".")[0] for name in tree.files}
    assert {
        "errors",
        "core",
        "kernels",
        "arrays",
        "graph",
        "ops",
        "tensor",
        "debug",
        "nn",
        "jaxeager",
    } <= rooms


# ---- the test of the test


def tree_of(folder, files):
    for where, source in files.items():
        path = folder / "jaxeager" / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return Tree(folder / "jaxeager")


AROUND = {
    "__init__.py": "", "tensor/tensor.py": "", "graph/engine.py": "", "ops/row.py": "",
    "debug/common/naming.py": "", "debug/stacks/stacks.py": "", "errors.py": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("where", "source", "runs_up"),
    [
        ("graph/node.py", "from jaxeager.ops.row import op", True),
        ("graph/node.py", "def late():\n    from jaxeager.tensor import tensor", True),
        ("graph/node.py", "from ..tensor.tensor import Tensor", True),
        ("graph/node.py", "from jaxeager.errors import FatalError", False),
        ("graph/node.py", "tool = import_module('jaxeager.debug.common.naming')", True),
        ("graph/node.py", "TOOL = 'debug.common.naming:set_enabled'", True),
        ("graph/node.py", "ROOMS = ('jaxeager.key_stream', 'ratio:text')", False),
        ("ops/elementwise/math.py", "import jaxeager as paddle", True),
        ("ops/elementwise/math.py", "import jaxeager.debug.common.naming", True),
        ("ops/elementwise/math.py", "from jaxeager.graph import engine", False),
        ("ops/rules/axes.py", "from jaxeager.ops import row", True),
        ("debug/common/text.py", "from jaxeager.debug.stacks import stacks", True),
        ("debug/stacks/files.py", "from jaxeager.debug.common import naming", False),
        ("graph/node.py", "if TYPE_CHECKING:\n    from jaxeager.ops.row import OpRow", False),
        ("nn/layer.py", "import jaxeager as paddle", False),
        ("attic/layer.py", "", True),
    ],
)
def test_an_arrow_up_is_found(tmp_path, where, source, runs_up):
    assert bool(arrows_up(tree_of(tmp_path, {**AROUND, where: source}))) is runs_up


def test_a_circle_is_found(tmp_path):
    files = {
        "graph/node.py": "from jaxeager.graph.edge import Edge",
        "graph/edge.py": "def late():\n    from jaxeager.graph import hook",
        "graph/hook.py": "node = import_module('jaxeager.graph.node')",
        "graph/leaf.py": "from jaxeager.graph.node import Node",
    }
    assert circles(tree_of(tmp_path, {**AROUND, **files})) == [
        {"graph.node", "graph.edge", "graph.hook"}
    ]


def test_a_computed_name_is_found(tmp_path):
    source = "import_module('json')\nimport_module(name)"
    assert tree_of(tmp_path, {"graph/node.py": source}).files["graph.node"].computed == [2]


def test_no_import_starts_a_backend():
    """A program may choose its devices after any import."""
    program = (
        "import importlib, pkgutil, jaxeager\n"
        "from jax._src import xla_bridge\n"
        "for room in ('amp', 'debug', 'distributed', 'jit', 'launcher', 'vision'):\n"
        "    package = importlib.import_module(f'jaxeager.{room}')\n"
        "    for each in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        try:\n"
        "            importlib.import_module(each.name)\n"
        "        except ImportError:\n"
        "            pass  # of an extra\n"
        "        assert not xla_bridge._backends, each.name\n"
    )
    printed_by(program)
