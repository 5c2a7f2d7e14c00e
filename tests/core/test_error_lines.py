"""The first line of an error's text."""

import pytest

from jaxeager.core.error_lines import first_line, named_first_line
from jaxeager.errors import NonFiniteError
from jaxeager.kernels import tracing


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one", "one"),
        ("one \ntwo", "one"),
        ("\n  one\r\ntwo", "one"),
    ],
)
def test_the_first_line_that_is_not_blank(text, line):
    assert first_line(ValueError(text)) == line
    assert named_first_line(ValueError(text)) == f"ValueError: {line}"


@pytest.mark.parametrize("error", [ValueError(), ValueError(""), ValueError(" \n")])
def test_without_text_it_is_the_type(error):
    assert first_line(error) == named_first_line(error) == "ValueError"


def test_an_error_of_a_kernel_without_text():
    failed = tracing.failure("log", FloatingPointError())
    assert isinstance(failed, NonFiniteError)
    assert failed.message.startswith("log: FloatingPointError. JAX's own")
