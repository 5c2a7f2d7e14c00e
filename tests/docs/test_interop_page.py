"""Every program of docs/interop.md prints the documented output."""

import contextlib
import io
import re
import runpy

import pytest

import jaxeager as paddle
from tests.docs.blocks import blocks_of

PAIRS = [
    (first.head, first.text, second.text)
    for first, second in zip(blocks_of("interop.md"), blocks_of("interop.md")[1:], strict=False)
    if (first.language, second.language) == ("python", "text")
]


def test_the_page_has_programs():
    assert len(PAIRS) == 5


@pytest.mark.parametrize(("head", "program", "printed"), PAIRS, ids=[head for head, *_ in PAIRS])
def test_a_program_prints_what_the_page_shows(head, program, printed, tmp_path):
    for name in re.findall(r"^(?:from|import) (flax|optax|grain|equinox)", program, re.MULTILINE):
        pytest.importorskip(name, reason="this needs pip install 'jaxeager[interop]'")
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    out = io.StringIO()
    with contextlib.redirect_stdout(out), paddle.utils.unique_name.guard():
        runpy.run_path(str(script))
    assert out.getvalue() == printed
