"""The head of an error that ends a program: Paddle's class under the launcher, else its own."""

import subprocess
import sys

import pytest

LIMIT_S = 120


def run(folder, *arguments, launcher=True):
    """Run python in a folder, with the launcher or without."""
    start = ["-m", "jaxeager"] if launcher else []
    return subprocess.run(
        [sys.executable, *start, *arguments],
        cwd=folder, text=True, capture_output=True, timeout=LIMIT_S,
    )  # fmt: skip


HEADS = {
    "paddle.ones([2])[5]": "IndexError: (OutOfRange) ",
    "paddle.ones([2]).reshape([7])": "ValueError: (InvalidArgument) ",
    "x = paddle.ones([2]); x.stop_gradient = False; y = x.exp().sum(); y.backward(); y.backward()":
        "SystemError: (Fatal) ",
    "paddle.add(paddle.ones([2]), object())": "ValueError: (InvalidArgument) ",
}  # fmt: skip


@pytest.mark.parametrize("level", [1, 3])
@pytest.mark.parametrize("code", HEADS)
def test_a_printed_error_begins_with_the_class_that_paddle_raises(tmp_path, code, level):
    program = f"import paddle\n{code}"
    done = run(tmp_path, "-F", f"call_stack_level={level}", "-c", program)
    head = HEADS[code] if level == 1 else HEADS[code].partition(" ")[0]
    assert any(line.startswith(head.rstrip()) for line in done.stderr.splitlines()), done.stderr
    assert "jaxeager.errors." not in done.stderr


def test_without_the_launcher_it_begins_with_the_name_of_the_package(tmp_path):
    code = "import jaxeager as paddle; paddle.ones([2])[5]"
    done = run(tmp_path, "-c", code, launcher=False)
    assert "\njaxeager.errors.OutOfRangeError: (OutOfRange) " in done.stderr


def test_printing_leaves_the_class_as_it_was(tmp_path):
    code = (
        "import sys, paddle\n"
        "try:\n    paddle.ones([2])[5]\n"
        "except IndexError as error:\n    sys.excepthook(type(error), error, error.__traceback__)\n"
        "    print(type(error).__module__, type(error).__qualname__)\n"
    )
    done = run(tmp_path, "-c", code)
    assert "\nIndexError: (OutOfRange) " in done.stderr
    assert done.stdout == "jaxeager.errors OutOfRangeError\n"
