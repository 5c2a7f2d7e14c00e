"""Code that cannot be part of a program is refused, with the line and the reason, on request."""

# ruff: noqa: SIM108

import re
import sys

import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.static import InputSpec

HERE = re.escape(__file__)


def full(function, *given):
    return paddle.jit.to_static(function, full_graph=True)(*map(paddle.to_tensor, given))


def set_in_one_branch(x):
    if x.mean() > 0:
        y = x * 2
    return y


FIRST = set_in_one_branch.__code__.co_firstlineno


def none_or_a_tensor(x):
    y = None
    if x.sum() > 0:
        y = x
    return x if y is None else y


def other_dtypes(x):
    if x.sum() > 0:
        y = paddle.ones([2])
    else:
        y = paddle.ones([2], "int64")
    return y


def returns_other_shapes(x):
    if x.sum() > 0:
        return paddle.ones([2])
    return paddle.ones([3])


def returns_nothing_at_times(x):  # noqa: RET503
    if x.mean() > 0:
        return x * 2


def grows(x):
    while x.sum() < 50:
        x = paddle.concat([x, paddle.ones([1])])
    return x


def appends(x):
    kept = []
    while x.sum() < 50:
        kept.append(x)
        x = x + 1
    return kept


def appends_in_one_branch(x):
    kept = [x]
    if x.sum() > 0:
        kept.append(x)
    return kept[-1]


def set_in_the_loop(x):
    while x.sum() < 10:
        y = x + 1
        x = y + 1
    return y


def asserts(x):
    assert x.sum() > 0, "negative"
    return x


def raises(x):
    if x.sum() > 100:
        raise ValueError("too large")
    return x


def many(x):
    if x > 0:
        return x
    return -x


def generates(x):
    def each():
        if x.sum() > 0:
            yield x
        yield x * 2

    return sum(each())


def returns_in_finally(x):
    try:
        pass
    finally:
        if x.sum() > 0:
            return x  # noqa: B012
    return -x


def filters(x):
    return sum([each for each in x if each > 0])


def own_variables(x):
    if x.sum() > 0:
        x = locals()["x"] * 2
    return x


@paddle.jit.not_to_static
def _left(x):
    if x.sum() > 0:
        return x
    return -x


def calls_what_is_left(x):
    return _left(x)


def picks_by_a_mask(x):
    return x[x > 0]


def indexes_a_list(x):
    steps, i = [1, 2, 3], 0
    while x.sum() < 10:
        x = x + steps[i]
        i += 1
    return x


COUNT = 0


def _count():
    global COUNT
    COUNT += 1


def counts_in_a_call(x):
    if x.sum() > 0:
        _count()
    return x


class _Kept:
    def add(self, x):
        self.last = x


def keeps_in_a_call(x, kept=_Kept()):  # noqa: B008
    if x.sum() > 0:
        kept.add(x * 2)
    return x


def sets_an_attribute_of_an_item(x):
    items = [_Kept()]
    if x.sum() > 0:
        items[0].last = x
    return x


def rebinds_and_writes(x):
    y = x * 1
    while y.sum() < 10:
        y[0] = 5.0
        y = y * 2
    return y


def loops_over_a_range_in_a_list(x):
    return sum(list(range(int(x.sum()))))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            set_in_one_branch,
            rf"`y` is float32\[2\] or not set.*{HERE}:{FIRST + 1}: .* at {HERE}:{FIRST + 3}",
        ),
        (none_or_a_tensor, r"`y` is float32\[2\] or None"),
        (other_dtypes, r"`y` is float32\[2\] or int64\[2\]"),
        (returns_other_shapes, rf"the return value is float32\[2\] or float32\[3\].*{HERE}:\d+"),
        (returns_nothing_at_times, r"the return value is float32\[2\] or None"),
        (grows, r"`x` changes in the loop .*: it is float32\[2\] before and float32\[3\] after"),
        (appends, r"`kept` changes in the loop .*a list of 0 items before and a list of 1"),
        (appends_in_one_branch, r"`kept` is a list of 2 or 1 items"),
        (set_in_the_loop, r"`y` is set only in the loop .*Give it a value before"),
        (asserts, rf"a program cannot raise. It is at {HERE}"),
        (raises, rf"it raises ValueError: too large in a branch.* It is at {HERE}"),
        (generates, rf"It is at {HERE}.*because it is a generator"),
        (returns_in_finally, "a `return` where a program cannot follow it"),
        (filters, "the number of items of a comprehension cannot depend on a tensor"),
        (own_variables, "it inspects its own variables"),
        (calls_what_is_left, "marked by not_to_static"),
        (picks_by_a_mask, rf"It is at {HERE}.*paddle.where, masked_fill or `x\[mask\] = value`"),
        (indexes_a_list, rf"reads the value of a tensor.*{HERE}"),
        (counts_in_a_call, "changes the global variable COUNT"),
        (keeps_in_a_call, r"changes kept\.last"),
        (sets_an_attribute_of_an_item, "it sets an attribute of an object that has no name"),
        (rebinds_and_writes, "writes into a tensor and binds its variable to another one"),
        (loops_over_a_range_in_a_list, "loops over the range of a tensor where a program cannot"),
    ],
)
@pytest.mark.filterwarnings("ignore:What is saved is a function")
def test_code_that_cannot_be_part_of_a_program_is_refused(function, message, tmp_path):
    with pytest.raises(paddle.errors.UnimplementedError, match=message):
        full(function, [1.0, 2.0])
    with pytest.raises(paddle.errors.UnimplementedError, match=message):
        paddle.jit.save(function, f"{tmp_path}/net", [InputSpec([2])])
    assert list(tmp_path.iterdir()) == []


def test_a_condition_has_one_element():
    with pytest.raises(ValueError, match=r"one element, but received bool\[2\]"):
        full(many, [1.0, 2.0])


def test_a_refused_call_leaves_lists_and_attributes_as_they_were():
    class Net(nn.Layer):
        def forward(self, x, kept):
            if x.sum() > 0:
                kept.append(x)
                self.last = x
            return x

    net, kept = Net(), []
    marked = paddle.jit.to_static(net.forward, full_graph=True)
    message = r"self.last` is float32\[2\] or not set"
    with pytest.raises(paddle.errors.UnimplementedError, match=message):
        marked(paddle.ones([2]), kept)
    assert kept == []
    assert not hasattr(net, "last")


def test_nothing_is_refused_that_python_decides():
    """Generators, raise, assert, a return in finally: unchanged while no tensor is tested."""

    def each(x):
        for place in range(3):
            if place != 1:
                yield x * place

    def forward(x, mode="sum"):
        assert mode in ("sum", "mean")
        try:
            if mode != "sum":
                raise ValueError(mode)
        except ValueError:
            return x * 100
        finally:
            if mode == "other":
                return None  # noqa: B012
        found = [y for y in each(x) if mode]
        assert locals()["mode"] == "sum"
        return sum(found)

    marked = paddle.jit.to_static(forward, full_graph=True)
    x = paddle.ones([2])
    assert marked(x).tolist() == [2.0, 2.0]
    assert marked(x, "mean").tolist() == [100.0, 100.0]


def test_without_a_source_it_says_so():
    scope = {}
    text = "def forward(x):\n    if x.sum() > 0:\n        return x\n    return -x"
    exec(compile(text, "<made>", "exec"), scope)  # Python 3.13 has lines of a "<string>"
    with pytest.raises(paddle.errors.UnimplementedError, match="its source is not available"):
        full(scope["forward"], [1.0, 2.0])


def test_a_traceback_has_the_lines_of_the_source():
    def forward(x):
        if x.sum() > 0:
            return x.reshape([7])
        return x

    line = forward.__code__.co_firstlineno + 2
    with pytest.raises(ValueError, match="reshape") as caught:
        full(forward, [1.0, 2.0])
    lines = [(each.path and str(each.path), each.lineno + 1) for each in caught.traceback]
    assert (__file__, line) in lines


def test_ignored_modules_are_left():
    forward = _left_in_a_module()
    assert full(forward, [-1.0, -2.0]).tolist() == [1.0, 2.0]
    paddle.jit.ignore_module([sys.modules[__name__]])
    try:
        with pytest.raises(paddle.errors.UnimplementedError, match="its module is ignored"):
            full(forward, [1.0, 2.0])
    finally:
        from jaxeager.jit.lowering import calls

        calls._ignored.discard(__name__)


def _left_in_a_module():
    def forward(x):
        if x.sum() > 0:
            return x
        return -x

    return forward


def test_op_by_op_nothing_is_converted():
    paddle.jit.enable_to_static(False)
    try:
        marked = paddle.jit.to_static(set_in_one_branch, full_graph=True)
        assert marked(paddle.ones([2])).tolist() == [2.0, 2.0]
        with pytest.raises(UnboundLocalError):
            marked(-paddle.ones([2]))
    finally:
        paddle.jit.enable_to_static(True)


def test_without_the_whole_graph_python_takes_the_branch():
    marked = paddle.jit.to_static(set_in_one_branch)
    assert marked(paddle.ones([2])).tolist() == [2.0, 2.0]
    with pytest.raises(UnboundLocalError):
        marked(-paddle.ones([2]))
