"""Every program of docs/gradients.md prints the documented output."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager.debug.common import naming
from tests.support.here import on_a_cpu

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gradients.md"
PROGRAMS = re.findall(
    r"^## (.+?)\n\n```python\n(import .*?)```\n\n```text\n(.*?)```",
    PAGE.read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)


def test_all_parts_have_a_program():
    heads = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [head for head, _, _ in PROGRAMS] == heads[:-1]


@pytest.mark.parametrize(("head", "program", "printed"), PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_a_program_prints_what_the_page_shows(head, program, printed, tmp_path, monkeypatch):
    script = tmp_path / "train.py"
    script.write_text(program, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    naming.reset()
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), on_a_cpu():  # for which the page has every digit
            runpy.run_path(str(script))
    finally:
        flags = {
            "FLAGS_nan_birth": False,
            "FLAGS_call_stack_level": 1,
            "FLAGS_inplace_saved": "error",
        }
        paddle.set_flags(flags)
    assert out.getvalue() == printed
