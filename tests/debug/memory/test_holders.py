"""The names that leaks and holders give: planted leaks, each with its line."""

import atexit
import re
import subprocess
import sys
import weakref
from pathlib import Path
from unittest import mock

import pytest

import jaxeager as paddle
from jaxeager.debug.memory.growth import Holders
from jaxeager.debug.memory.holders import holders_of
from jaxeager.debug.memory.path_text import Places
from jaxeager.debug.memory.reach import Reach, Skipped
from jaxeager.debug.memory.written import lines_that_write
from jaxeager.graph.node import GradNode
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


def test_the_callback_of_a_finalizer_is_named():
    owners = []

    class Owner:
        pass

    def report(loss):
        raise AssertionError(loss)

    def step():
        owners.append(Owner())
        kept.append(weakref.finalize(owners[-1], report, paddle.ones([100]) * 2))

    kept: list = []
    try:
        (holder,) = paddle.debug.leaks(step, 2)[0].holders[:1]
    finally:
        for each in kept:
            each.detach()
    assert "weakref.finalize(..., " in holder.name
    assert "report" in holder.name
    assert holder.line == f"{__file__}:{report.__code__.co_firstlineno}"
    assert holder.advice.startswith("pass numbers to the callback")


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
    assert str(Holders()) == "No array is alive."


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
    (skipped,) = [each for each in path if isinstance(each, Skipped)]
    assert len(path) < 20
    nodes = sum(isinstance(each, GradNode) for each in path)
    assert nodes + skipped.nodes == 51
    assert skipped.objects > 100


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6, 40])
def test_the_nodes_of_a_path_are_counted_whatever_is_left_out(depth):
    x = paddle.ones([3])
    x.stop_gradient = False
    saved = y = paddle.tanh(x)
    for _ in range(depth):
        y = paddle.tanh(y)
    array = saved._array
    del saved
    texts = map(str, holders_of([array])[id(array)])
    assert [text for text in texts if f"; the graph of TanhGradNode, {depth} nodes on:" in text]


def test_a_graph_behind_a_hook_of_a_graph_is_entered_again():
    """The path passes two graphs: each of them may leave something out."""
    inner = x = paddle.ones([2])
    x.stop_gradient = False
    saved = inner = paddle.tanh(inner)
    for _ in range(30):
        inner = paddle.tanh(inner)
    array, held = saved._array, inner
    w = paddle.ones([2])
    w.stop_gradient = False
    outer = first = paddle.sin(w)
    first.register_hook(lambda grad: grad * held)
    for _ in range(30):
        outer = paddle.sin(outer)
    del saved, inner, first
    found = Reach(set()).paths([[outer]], {id(array)}, most=1, objects=100_000)
    ((_, path),) = found[id(array)]
    skipped = [each for each in path if isinstance(each, Skipped)]
    assert len(skipped) == 2
    nodes = sum(isinstance(each, GradNode) for each in path)
    assert nodes + sum(each.nodes for each in skipped) == 62


def test_a_thousand_arrays_in_lists_and_graphs_take_steps_in_proportion():
    """Every list is read once, and no path is longer than its description needs."""
    x = paddle.ones([2])
    x.stop_gradient = False
    kept = [x]
    for _ in range(300):
        kept.append(paddle.tanh(kept[-1]))
    reads = 0
    of = Places.of

    def counted(places, box, child):
        nonlocal reads
        reads += id(box) not in places._known
        return of(places, box, child)

    with mock.patch.object(Places, "of", counted):
        found = holders_of([each._array for each in kept])
    assert len(found) == 301
    assert reads < 30
