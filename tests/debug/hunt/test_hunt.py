"""The hunt: one command finds each planted bug, and names its line."""

import pytest

from tests.debug.hunt.bugs import BUGS, PROGRAMS
from tests.debug.hunt.page import PAGE, rows_of
from tests.debug.hunt.run import find

QUICK = {"log_of_zero"}


@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(bug, id=bug.name, marks=[] if bug.name in QUICK else [pytest.mark.deep])
        for bug in BUGS
    ],
)
def test_the_command_of_a_bug_names_its_place(bug, tmp_path):
    found = find(bug, tmp_path)
    assert found.line, found.output


def test_there_are_thirty_bugs_and_each_program_has_one():
    assert len(BUGS) >= 30
    used = {bug.name for bug in BUGS} | {"make_wheels"}
    assert {each.stem for each in PROGRAMS.glob("*.py")} == used
    for bug in BUGS:
        assert bug.places


def test_the_page_lists_all_bugs():
    """``python -m tests.debug.hunt`` writes it."""
    listed = [row.split(" | ")[0] for row in rows_of(PAGE.read_text())]
    assert listed == [f"| {bug.what}" for bug in BUGS]
