"""The first rows of long tables and lists."""

import pytest

from jaxeager.debug.common.first_rows import first_lines, first_texts


@pytest.mark.parametrize(
    ("most", "lines"),
    [
        (None, ["1", "2", "3"]),
        (4, ["1", "2", "3"]),
        (3, ["1", "2", "3"]),
        (2, ["1", "2", "... and 1 more"]),
        (0, ["... and 3 more"]),
    ],
)
def test_lines(most, lines):
    assert first_lines([1, 2, 3], most, str) == lines


def test_only_shown_rows_are_written():
    written = []
    first_lines([1, 2, 3], 1, lambda row: written.append(row) or "")
    assert written == [1]


def test_the_last_line_has_a_noun_and_a_start():
    assert first_lines("abc", 1, str, "files", "    ") == ["a", "    and 2 more files"]


def test_texts():
    assert first_texts([], 2) == ""
    assert first_texts(["a", "b"], 2) == "a, b"
    assert first_texts(["a", "b", "c", "d"], 2) == "a, b and 2 more"
