"""The programs of docs/compiling.md and lazy.md print the documented output, within rounding."""

import contextlib
import io
import itertools
import re
import runpy

import pytest

import jaxeager as paddle
from jaxeager.debug.common import naming
from jaxeager.tensor import tensor
from tests.docs.blocks import blocks_of
from tests.support.here import on_a_cpu

BLOCKS = [*blocks_of("compiling.md"), *blocks_of("lazy.md")]
PAIRS = [
    (first.text, second.text)
    for first, second in itertools.pairwise(BLOCKS)
    if (first.language, second.language) == ("python", "")
]
NUMBER = r"-?\d+\.\d+"


def test_the_pages_have_programs():
    assert len(PAIRS) == 5


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_a_program_prints_what_its_page_shows(number, tmp_path, caplog, monkeypatch):
    program, printed = PAIRS[number]
    script = tmp_path / "train.py"
    beginning = "" if "import jaxeager" in program else "\nimport jaxeager as paddle\n"
    script.write_text(beginning + program, encoding="utf-8")
    naming.reset()
    paddle.lazy_report(clear=True)
    monkeypatch.setattr(tensor, "_counters", {})  # of eager_tmp_0
    out = io.StringIO()
    with contextlib.redirect_stdout(out), paddle.utils.unique_name.guard(), on_a_cpu():
        runpy.run_path(str(script))
    logged = "".join(f"{message}\n" for message in caplog.messages)
    found = logged.replace(f"{tmp_path}/", "") + out.getvalue()
    assert re.sub(NUMBER, "#", found) == re.sub(NUMBER, "#", printed)
    for here, there in zip(*(re.findall(NUMBER, text) for text in (found, printed)), strict=True):
        last_place = 10.0 ** -len(there.partition(".")[2])  # processors round differently
        assert float(here) == pytest.approx(float(there), rel=1e-5, abs=1.01 * last_place)
