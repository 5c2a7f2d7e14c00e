"""The Python of every page compiles, and its names exist; programs without other tests run.

Pages whose programs have separate tests, including their output, are not run here.
"""

import ast
import builtins
import subprocess
import sys
import textwrap

import pytest

import jaxeager as paddle
from tests.docs.blocks import DOCS, blocks_of

# Names that a fragment leaves to its reader: the model, the data and the step.
READERS = {
    "accuracy.md": {"mine", "ours", "theirs", "x"},
    "compiling.md": {"END", "step"},
    "distributed.md": {"label", "net"},
    "explorer.md": {"model", "tower"},
    "gradient-report.md": {"loader", "model", "optimizer"},
    "graphs.md": {"Scale", "model", "x", "z1"},
    "gradients.md": {"loss_of", "model", "x"},
    "logs.md": {"block", "loss", "w", "x", "y"},
    "memory.md": {"lengths", "long_sequence", "loss_of", "model", "texts"},
    "nan-and-precision.md": {"adam", "labels", "net"},
    "profiler.md": {"batches", "loader", "train_step"},
    "saving.md": {"images"},
}
CALLED = {
    "paddle": paddle, "jaxeager": paddle, "nn": paddle.nn, "F": paddle.nn.functional,
    "debug": paddle.debug, "dist": paddle.distributed,
}  # fmt: skip
PAGES = sorted(
    path.name
    for path in DOCS.glob("*.md")
    if any(each.language == "python" for each in blocks_of(path.name))
)


def python_of(page):
    """Return the trees of the Python blocks of a page."""
    return [ast.parse(textwrap.dedent(b.text)) for b in blocks_of(page) if b.language == "python"]


def names_of(tree):
    """Return the names that a block defines, and those that it uses."""
    given, taken = set(), set()
    for each in ast.walk(tree):
        if isinstance(each, ast.Name):
            (taken if isinstance(each.ctx, ast.Load) else given).add(each.id)
        elif isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            given.add(each.name)
        elif isinstance(each, ast.arg):
            given.add(each.arg)
        elif isinstance(each, ast.alias):
            given.add((each.asname or each.name).partition(".")[0])
        elif isinstance(each, ast.ExceptHandler) and each.name:
            given.add(each.name)
    return given, taken


def modules_of(tree):
    """Return the public modules that a block imports under other names."""
    found = {}
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom) and str(each.module).split(".")[0] in CALLED:
            whole = _resolved(paddle, str(each.module).split(".")[1:])
            found |= {a.asname or a.name: _resolved(whole, [a.name]) for a in each.names}
        elif isinstance(each, ast.Import):
            for alias in each.names:
                first, *rest = alias.name.split(".")
                if first in CALLED and alias.asname:
                    found[alias.asname] = _resolved(paddle, rest)
    return found


def _resolved(whole, names):
    for name in names:
        whole = getattr(whole, name)
    return whole


@pytest.mark.parametrize("page", PAGES)
def test_every_name_is_there(page):
    given, missing, modules = {*CALLED, *dir(builtins)}, set(), dict(CALLED)
    for tree in python_of(page):
        gives, takes = names_of(tree)
        given |= gives
        missing |= takes - given
        modules |= modules_of(tree)
        for each in ast.walk(tree):
            text = ast.unparse(each) if isinstance(each, ast.Attribute) else ""
            first, *rest = text.split(".")
            if first in modules and all(map(str.isidentifier, rest)):
                _resolved(modules[first], rest)
    assert missing == READERS.get(page, set())


@pytest.mark.deep
@pytest.mark.parametrize(
    ("page", "number"),
    [("drop-in.md", 0), ("lockstep.md", 0), ("memory.md", 0), ("profiler.md", 2)],
)
def test_a_program_runs(page, number, tmp_path):
    program = [each.text for each in blocks_of(page) if each.language == "python"][number]
    (tmp_path / "train.py").write_text(program)
    subprocess.run(
        [sys.executable, "-m", "jaxeager", "train.py"], cwd=tmp_path, check=True,
        capture_output=True, timeout=300,
    )  # fmt: skip
