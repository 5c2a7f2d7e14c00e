"""The text that Python prints for an uncaught error."""

import re
import subprocess
import sys
import traceback

import pytest

import jaxeager as paddle
from jaxeager import errors
from jaxeager.core import tracebacks
from tests.support.here import on_a_cpu
from tests.support.refusals import raised

PROGRAM = """
import jaxeager as paddle

def hook(grad):
    return 1 / 0

x = paddle.ones([2])
x.stop_gradient = False
y = x * 2
{what}
"""
LINES = {
    "op": "paddle.matmul(paddle.ones([2, 3]), y.reshape([1, 2]))",
    "index": "paddle.gather(y, paddle.to_tensor([7]))",
    "hook": "y.register_hook(hook); y.sum().backward()",
    "layer": "paddle.nn.Linear(3, 3)(y)",
}


def printed(what, tmp_path, *options):
    """Return the stderr of a program that ends with an error."""
    (tmp_path / "train.py").write_text(PROGRAM.format(what=LINES[what]))
    run = subprocess.run(
        [sys.executable, "-m", "jaxeager", *options, "train.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 1
    return run.stderr


@pytest.mark.parametrize("what", [pytest.param("op", marks=pytest.mark.deep), "hook"])
def test_the_programs_lines_alone_are_printed(what, tmp_path):
    text = printed(what, tmp_path)
    assert LINES[what] in text
    assert "/jaxeager/" not in text
    assert "/jax/" not in text
    assert "frames inside jaxeager and JAX are not shown: FLAGS_call_stack_level=2]" in text
    assert ("return 1 / 0" in text) == (what == "hook")


def test_level_2_prints_all(tmp_path):
    text = printed("op", tmp_path, "-F", "call_stack_level=2")
    assert "ops/call/running.py" in text
    assert "are not shown" not in text
    assert "\n0   jaxeager.ops." in text
    assert "runpy" not in text  # nor how the launcher got to run the program
    assert "launch" not in text


MISTAKES = """
import sys
{imported}

class Light:
    colour = 1

def name(): number = 1; return numberx
def attribute(): return Light().color
def module(): return sys.stdot
def imported(): from collections import OrderedDct
def cause():
    try: name()
    except NameError as error: raise KeyError("x") from error
def context():
    try: 1 / 0
    except ZeroDivisionError: attribute()
def group(): raise ExceptionGroup("many", [ImportError("a"), ValueError("b")])
def note(): error = ValueError("x"); error.add_note("mine"); raise error
def deep(): deep()
def spelled(): compile("a b", "f.py", "exec")

for each in (name, attribute, module, imported, cause, context, group, note, deep, spelled):
    try: each()
    except Exception: sys.excepthook(*sys.exc_info())
name()
"""


def test_suggestions_of_python_are_printed(tmp_path):
    printed = []
    for imported in ("import jaxeager", "import decimal"):
        (tmp_path / "train.py").write_text(MISTAKES.format(imported=imported))
        run = subprocess.run([sys.executable, tmp_path / "train.py"], capture_output=True)
        printed.append(run.stderr)
    assert printed[0] == printed[1]
    for name in ("number", "colour", "stdout"):
        assert f"Did you mean: '{name}'".encode() in printed[0]


@pytest.mark.parametrize("what", ["index", "layer"])
def test_the_text_of_an_error(what):
    with on_a_cpu():  # elsewhere an index is checked later
        y = paddle.ones([2])
        error = raised(lambda: eval(LINES[what], {"paddle": paddle, "y": y}))
    before = error.__traceback__
    error.add_note("For simplicity, JAX has removed its internal frames")
    text = tracebacks.short_text(error, before)
    assert len(error.__notes__) == 1  # as before
    assert "jaxeager/ops" not in text
    assert type(error).__name__ in text
    assert error.__traceback__ is before


def test_the_cause_of_an_error_is_shortened_too_and_keeps_its_own_notes():
    def fail():
        try:
            paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
        except ValueError as error:
            error.add_note("a note of mine")
            raise KeyError("outer") from error

    error = raised(fail)
    text = tracebacks.short_text(error, error.__traceback__)
    assert text.count("direct cause") == 1  # another error says what the ValueError says
    assert "a note of mine" in text
    assert "For simplicity, JAX" not in text
    assert "/jaxeager/ops" not in text


def test_an_excepthook_of_the_user_stays(monkeypatch):
    def mine(kind, value, trace):
        """Print nothing."""

    monkeypatch.setattr(sys, "excepthook", mine)
    tracebacks.install()
    assert sys.excepthook is mine
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    tracebacks.install()
    assert sys.excepthook is tracebacks.print_short


def test_ctrl_c_is_printed_whole(capsys):
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        tracebacks.print_short(KeyboardInterrupt, error, error.__traceback__)
    assert "test_tracebacks.py" in capsys.readouterr().err


class Shell:
    """The parts of IPython's shell that show errors."""

    def __init__(self):
        self.shown = ""
        self.InteractiveTB = self

    def structured_traceback(self, kind, value, trace, tb_offset=None):
        return traceback.format_exception(kind, value, trace)

    def _showtraceback(self, kind, value, lines):
        self.shown = "".join(lines)


@pytest.mark.parametrize("level", [1, 2])
def test_notebooks_show_the_programs_lines_too(level):
    shell = Shell()
    paddle.set_flags({"FLAGS_call_stack_level": level})
    try:
        with pytest.raises(ValueError, match="matmul") as caught:
            paddle.ones([2]) @ paddle.ones([3])
        error = caught.value
        whole, cause = error.__traceback__, error.__cause__
        tracebacks._print_in_ipython(shell, type(error), error, whole)
        assert (error.__traceback__, error.__cause__) == (whole, cause)
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    assert "paddle.ones([2]) @ paddle.ones([3])" in shell.shown
    assert ("/jaxeager/" in shell.shown) == (level == 2)
    assert ("are not shown" in shell.shown) == (level == 1)
    assert ("direct cause" in shell.shown) == (level == 2)  # its text is in the error's


def test_a_cause_that_says_more_is_shown():
    try:
        try:
            raise OSError("no room left")
        except OSError as cause:
            raise ValueError("no file") from cause
    except ValueError as error:
        text = tracebacks.short_text(error, error.__traceback__)
    assert "no room left" in text


PROGRAM_OF_CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import jaxeager as paddle")
shell.run_cell("def f(x):\\n    return x @ paddle.ones([3])\\nf(paddle.ones([2]))")
"""


def test_ipython_itself():
    pytest.importorskip("IPython")
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM_OF_CELLS], capture_output=True, text=True, timeout=120
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", run.stdout)
    assert "return x @ paddle.ones([3])" in text
    assert "frames inside jaxeager and JAX are not shown" in text
    assert "site-packages" not in text
    assert len(text.splitlines()) < 25


def test_a_class_keeps_its_name_while_an_error_is_printed(monkeypatch):
    """Another thread may raise an error of the class in the meantime."""
    monkeypatch.setattr(tracebacks, "_has_paddles_names", True)
    error = errors.PermissionDeniedError("no")
    error.__cause__ = errors.InvalidAxisError("axis")
    kinds = type(error), type(error.__cause__)
    names = [(kind.__module__, kind.__qualname__) for kind in kinds]
    with tracebacks._named_as_in_paddle(error):
        text = "".join(traceback.format_exception(error))
        assert [(kind.__module__, kind.__qualname__) for kind in kinds] == names
        assert isinstance(error, errors.PermissionDeniedError)
    assert "RuntimeError: (PermissionDenied) no" in text
    assert "IndexError: " in text or "ValueError: " in text
    assert "jaxeager.errors" not in text
    assert (type(error), type(error.__cause__)) == kinds
