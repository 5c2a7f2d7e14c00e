"""The names that leaks and holders give: planted leaks, each with its line."""

import atexit
import re
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager.debug.memory.holders import holders_of
from jaxeager.debug.memory.reach import Reach
from jaxeager.debug.memory.written import lines_that_write
from tests.debug.memory import planted_leaks

PROGRAM = Path(planted_leaks.__file__)
LINES = {
    match[1]: number
    for number, text in enumerate(PROGRAM.read_text().splitlines(), 1)
    if (match := re.search(r"LEAK (\w+)$", text))
}
QUICK = ["meters_sum", "kept_exception", "cached", "default_argument", "object_array"]


@pytest.mark.parametrize("name", QUICK)
def test_a_planted_leak_is_named_with_its_line(name):
    found = paddle.debug.leaks(getattr(planted_leaks, name), 2)
    holder = max(found, key=lambda leak: leak.bytes_per_call).holders[0]
    assert holder.line == f"{PROGRAM}:{LINES[name]}"
    assert holder.scope == f"of {planted_leaks.__name__}"
    assert holder.advice in str(found)


@pytest.mark.deep
def test_all_planted_leaks_are_named_with_their_lines():
    done = subprocess.run(
        [sys.executable, PROGRAM], capture_output=True, text=True, timeout=300, check=True
    )
    found = [line.split("|") for line in done.stdout.splitlines()]
    assert [each[0] for each in found] == planted_leaks.NAMES
    assert len(found) == 20
    wrong = [each for each in found if each[2] != f"{PROGRAM}:{LINES[each[0]]}"]
    assert wrong == []
    assert all(advice for *_, advice in found)


def test_growth_is_a_table_by_holder():
    before = paddle.debug.holders()
    kept = [paddle.ones([1237]), paddle.ones([1237])]
    found = paddle.debug.holders(since=before)
    row = next(each for each in found if each.name.startswith("kept in "))
    assert (row.arrays, row.size_bytes) == (2, 2 * 1237 * 4)
    assert "+9896" in str(found)
    assert f"{__file__}:" in row.line
    kept.clear()
    assert not [
        each for each in paddle.debug.holders(since=before) if each.name.startswith("kept in ")
    ]


def test_a_table_without_rows_says_so():
    assert str(type(paddle.debug.holders())()) == "No array is alive."


def test_a_weak_reference_holds_nothing():
    kept = weakref.WeakValueDictionary()
    box = [paddle.ones([1237])]
    kept["x"] = box[0]
    (found,) = holders_of([box[0]._array]).values()
    assert {each.root.split()[0] for each in found} == {"box"}


class AtExit:
    """A function that keeps an array; all are equal, so that one can be unregistered."""

    def __init__(self, kept=None):
        self.kept = kept

    def __eq__(self, other):
        return isinstance(other, AtExit)

    def __hash__(self):
        return 0

    def __call__(self):
        pass


def test_an_array_that_only_c_code_holds_is_reported_as_such():
    try:
        found = paddle.debug.leaks(lambda: atexit.register(AtExit(paddle.ones([1237]))), 2)
    finally:
        atexit.unregister(AtExit())
    ((holder,),) = [each.holders for each in found]
    line = AtExit.__init__.__code__.co_firstlineno + 1
    assert str(holder) == f"a AtExit.kept that C code holds, at {__file__}:{line}"


def test_lines_that_add_count_before_lines_that_set(tmp_path):
    file = tmp_path / "some.py"
    file.write_text("a = []\nb = a\na.append(1)\na[0] = 2\nself.a = 3\nfor c in a:\n    d, e = c\n")
    found = {name: lines_that_write(str(file), name) for name in "abcde"}
    assert found == {"a": [3, 4], "b": [2], "c": [6], "d": [7], "e": [7]}
    assert lines_that_write(str(file), "a", is_attribute=True) == [5]
    assert lines_that_write(str(file), "a", within=(1, 3)) == [3]


def test_a_deep_graph_is_found_among_many_objects():
    x = paddle.ones([3])
    x.stop_gradient = False
    first = y = paddle.tanh(x)
    for _ in range(50):
        y = paddle.tanh(y)
    forest = [[[str(number)], [str(number)]] for number in range(20_000)]
    wanted = id(first._array)
    found = Reach(set()).paths([forest, [y]], {wanted}, most=1, objects=30_000)
    ((position, path),) = found[wanted]
    assert position == 1
    assert path[1] is y
    assert len(path) > 100
