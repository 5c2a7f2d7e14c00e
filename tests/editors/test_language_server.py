"""A language server knows the type of every value of a program, and has text on every name."""

import io
import keyword
import re
import runpy
import tokenize
from pathlib import Path

import pytest

from jaxeager.launcher import stubs
from tests.editors.language_server import LanguageServer

PROGRAM = Path(__file__).parent / "program.py"
SOURCE = PROGRAM.read_text()
OTHERS = {"enumerate", "float", "int", "print", "super", "tuple", "asarray"}  # not of jaxeager


def names():
    """Yield (name, line, column) of all names of the program, lines and columns from 0."""
    for token in tokenize.generate_tokens(io.StringIO(SOURCE).readline):
        if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            yield token.string, token.start[0] - 1, token.start[1]


def place_after(text):
    """Return (line, column) of the place after the first occurrence of a text."""
    before = SOURCE[: SOURCE.index(text) + len(text)]
    return before.count("\n"), len(before) - before.rfind("\n") - 1


def untyped(hover):
    """Return whether the type of a variable or parameter is not known, or only in part."""
    kind, _, rest = hover.partition(" ")
    declared = rest.partition("\n\n")[0].partition(": ")[2]
    members = [each.strip() for each in declared.split("|")]
    return kind in ("(variable)", "(parameter)") and ("Any" in members or "Unknown" in declared)


@pytest.fixture(scope="module")
def hovers():
    """Return (name, line, hover) of every name of the program."""
    pytest.importorskip("pyright")
    with LanguageServer(PROGRAM.parent) as server:
        server.open(PROGRAM)
        return [(name, line + 1, server.hover(PROGRAM, line, at)) for name, line, at in names()]


@pytest.mark.deep
def test_every_value_has_a_type(hovers):
    assert len(hovers) > 200
    assert [each for each in hovers if not each[2] or untyped(each[2])] == []


@pytest.mark.deep
def test_every_function_has_text_and_its_defaults(hovers):
    found = [
        each
        for each in hovers
        if re.match(r"\((function|method|class|property|module)\)|class ", each[2])
        and each[0] not in OTHERS
        and not each[0].startswith("__")
    ]
    assert {"matmul", "gelu", "Linear", "AdamW", "DataLoader", "to_static"} <= {e[0] for e in found}
    for name, line, hover in found:
        signature, _, text = hover.partition("\n\n")
        assert len(text) > 20, (name, line, hover)
        assert "= ..." not in signature, (name, line, hover)
    matmul = next(hover for name, _, hover in found if name == "matmul")
    assert "transpose_y: bool = False" in matmul
    assert "Args:" in matmul
    assert "Tensor(shape=[1, 1]" in matmul  # the result of the example


@pytest.mark.deep
def test_methods_are_offered_after_operators_and_calls():
    pytest.importorskip("pyright")
    with LanguageServer(PROGRAM.parent) as server:
        server.open(PROGRAM)
        for text in ("    loss.", "-scores[:, 0].", "first = parts[0]."):
            found = server.completions(PROGRAM, *place_after(text))
            assert {"backward", "reshape", "shape", "matmul", "register_hook"} <= set(found)


@pytest.mark.deep
def test_import_paddle_has_types_through_the_stub_package(tmp_path):
    pytest.importorskip("pyright")
    assert stubs.run(tmp_path / "typings") == stubs.WRITTEN
    text = SOURCE.replace("import jaxeager as paddle", "import paddle")
    program = tmp_path / "train.py"
    program.write_text(text.replace("jaxeager", "paddle") + MORE)
    with LanguageServer(tmp_path) as server:
        server.open(program)
        lines = program.read_text().splitlines()
        for name, kind in TYPES.items():
            line = max(at for at, each in enumerate(lines) if each.startswith(f"{name} ="))
            assert server.hover(program, line, 0).startswith(f"(variable) {name}: {kind}")
        line = next(at for at, each in enumerate(lines) if "paddle.matmul" in each)
        hover = server.hover(program, line, lines[line].index("matmul"))
        assert "transpose_x: bool = False" in hover
        assert "Multiply two matrices" in hover


MORE = """
image = paddle.vision.models.resnet18(num_classes=10)
pooled = F.relu(F.max_pool2d(paddle.ones([1, 1, 4, 4]), 2))
from paddle.optimizer.lr import LinearWarmup
warm = LinearWarmup(0.1, 5, 0.0, 0.1)
from paddle.nn.layer.common import Linear
old = Linear(2, 3)(paddle.ones([1, 2]))
"""
TYPES = {
    "net": "Classifier",
    "weight": "Parameter",
    "answer": "Tensor",
    "image": "ResNet",
    "pooled": "Tensor",
    "warm": "LinearWarmup",
    "old": "Tensor",
}


def test_a_folder_of_another_origin_is_left_alone(tmp_path, capsys):
    (tmp_path / "paddle").mkdir()
    assert stubs.run(tmp_path) == stubs.REFUSED
    assert "name another folder" in capsys.readouterr().out
    assert list((tmp_path / "paddle").iterdir()) == []


def test_the_stub_package_has_a_line_for_each_public_module(tmp_path):
    for _ in range(2):  # made again over its own files
        assert stubs.run(tmp_path) == stubs.WRITTEN
    text = (tmp_path / "paddle" / "nn" / "functional" / "__init__.pyi").read_text()
    assert text == stubs.HEAD + "from jaxeager.nn.functional import *\n"
    assert (tmp_path / "paddle" / "base" / "framework" / "__init__.pyi").exists()
    assert not (tmp_path / "paddle" / "kernels").exists()


def test_the_program_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = runpy.run_path(str(PROGRAM))
    assert found["answer"].shape == [32, 2]
    assert isinstance(found["batch"], found["paddle"].Tensor)
    assert isinstance(found["number"], float)


def test_a_type_that_is_not_known_is_found():
    assert untyped("(variable) x: Any")
    assert untyped("(variable) x: Tensor | Any")
    assert untyped("(variable) x: list[Unknown]")
    assert not untyped("(variable) x: dict[str, Any]")
    assert not untyped("(function) def f() -> Any")
