"""The functions that are converted, and that a converted one is the same function."""

# ruff: noqa: SIM108

from __future__ import annotations

import gc
import types
import weakref

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.jit.lowering import functions, lowered
from jaxeager.jit.lowering.calls import helpers
from jaxeager.static import InputSpec

X = [1.0, -3.0]


def converted(function):
    made = lowered(function)
    assert made is not function
    return made


def doubled(x, times):
    """Double a tensor several times: it calls itself by its global name."""
    if times == 0:
        return x
    if x.sum() > 100:
        return x
    return doubled(x * 2, times - 1)


def test_a_global_function_calls_itself():
    x = paddle.to_tensor([1.0, 2.0])
    assert converted(doubled)(x, 2).tolist() == [4.0, 8.0]
    assert paddle.jit.to_static(doubled, full_graph=True)(x, 3).tolist() == [8.0, 16.0]
    assert doubled.__globals__["doubled"] is doubled


def test_a_local_function_calls_itself():
    def halved(x, times):
        return x if times == 0 else halved(x / 2, times - 1)

    x = paddle.to_tensor([4.0])
    assert paddle.jit.to_static(halved, full_graph=True)(x, 2).tolist() == [1.0]


def test_defaults_annotations_and_names_are_the_original_ones():
    def forward(x: int, /, y=2, *rest, z: float = 3.0, **more) -> str:
        """Says."""
        return [x, y, rest, z, more]

    made = converted(forward)
    assert made(1) == [1, 2, (), 3.0, {}]
    assert made(1, 5, 6, z=7, a=8) == [1, 5, (6,), 7, {"a": 8}]
    assert made.__name__ == "forward"
    assert made.__qualname__ == forward.__qualname__
    assert made.__code__.co_filename == __file__
    assert made.__code__.co_firstlineno == forward.__code__.co_firstlineno


def test_variables_around_it_are_shared_both_ways():
    count = 0
    late: list

    def forward(step):
        nonlocal count
        if step:
            count += step
        return count, late

    made = converted(forward)
    late = [1]
    assert made(2) == (2, [1])
    count = 5
    assert made(1) == (6, [1])
    assert count == 6


def test_globals_are_set():
    made = converted(_sets_a_global)
    assert made(3) == 3
    assert _SET == 3


_SET = 0


def _sets_a_global(value):
    if value:
        global _SET
        _SET = value
    return _SET


def test_names_of_a_class_and_super():
    class Base:
        def run(self, x):
            return [x]

    class Other(Base):
        def __init__(self):
            self.__hidden = 1

        def run(self, x):
            if x:
                self.__hidden = super().run(x)
            return self.__hidden, __class__

    made = converted(Other().run)
    assert made(3) == ([3], Other)
    assert made.__self__._Other__hidden == [3]


def test_lambdas_of_one_line():
    first, second = (lambda x: x if x > 0 else -x), (lambda x: x if x < 0 else -x)
    assert converted(first)(-2) == 2
    assert converted(second)(2) == -2
    nested = lambda x: (lambda x: x + 1 if x else 0)(x - 1)  # noqa: E731
    assert converted(nested)(3) == 3
    assert converted(nested)(1) == 0


def test_exceptions_and_laziness_are_pythons():
    told = []

    def say(value):
        told.append(value)
        return value

    def forward(x):
        try:
            if (say(x) == 1 and say("a")) or not say("b"):
                return say("left")
            first, *_ = x if say("if") else [1 / 0]
            if 0 < first < 5 < 1 / 0:
                pass
        except (TypeError, ZeroDivisionError) as error:
            return type(error).__name__
        else:
            return "else"
        finally:
            say("end")

    made = converted(forward)
    for given in (1, 2, [9], [3]):
        told.clear()
        wanted = forward(given), list(told)
        told.clear()
        assert (made(given), told) == wanted


def test_loops_of_python_are_as_they_are():
    def forward(n):
        found = []
        for i in range(n):
            if i == 2:
                continue
            for j in "ab":
                if j == "b" and i > 3:
                    break
                found.append((i, j))
            else:
                found.append("all")
            if i == 5:
                return found, i
        else:
            found.append("end")
        while n := n - 1:
            if n == 1:
                break
        while True:
            n += 1
            if n > 4:
                return found, n, j

    made = converted(forward)
    for n in (1, 3, 5, 8):
        assert made(n) == forward(n)


def test_library_functions_and_classes_stay():
    class Made:
        pass

    for each in (len, dict, Made, np.ones, paddle.ones, re_search(), nn.Linear(2, 2).forward):
        assert lowered(each) is each


def re_search():
    import re

    return re.search


def test_a_converted_function_is_freed_with_its_code():
    def make():
        scope = {}
        code = compile("def forward(x):\n    return x", __file__, "exec")
        exec(code, scope)
        return scope["forward"]

    function = make()
    assert lowered(function) is function  # its source differs
    number, gone = id(function.__code__), weakref.ref(function.__code__)
    assert number in functions._made
    del function
    gc.collect()
    assert gone() is None
    assert number not in functions._made


def test_converted_code_runs_without_a_program():
    def forward(x):
        if x.sum() > 0:
            return x
        return -x

    made = functions.with_flow(forward, helpers)
    assert isinstance(made, types.FunctionType)
    assert made(paddle.to_tensor(X)).tolist() == [-1.0, 3.0]
    assert functions.with_flow(made, helpers) is made


def test_hooks_run_around_a_converted_forward():
    class Net(nn.Layer):
        def forward(self, x):
            if x.sum() > 0:
                return x
            return -x

    net = Net()
    net.register_forward_pre_hook(lambda layer, given: (given[0] - 1,))
    net.register_forward_post_hook(lambda layer, given, found: found * 10)
    paddle.jit.to_static(net, full_graph=True)
    assert net(paddle.to_tensor([1.5, 2.0])).tolist() == [5.0, 10.0]
    assert net(paddle.to_tensor([0.0, 1.0])).tolist() == [10.0, 0.0]


def test_marked_functions_within_one_another():
    @paddle.jit.to_static
    def inner(x):
        if x.sum() > 0:
            return x
        return -x

    marked = paddle.jit.to_static(lambda x: inner(x) * 2, full_graph=True)
    assert marked(paddle.to_tensor(X)).tolist() == [-2.0, 6.0]


def test_training_through_branches_and_loops():
    found = []
    for full_graph in (None, True):
        paddle.seed(3)
        net = nn.Linear(2, 2)
        adam = paddle.optimizer.Adam(0.1, parameters=net.parameters())

        def step(x, net=net, adam=adam):
            y = net(x)
            while y.square().sum() > 1:
                y = y / 2
            loss = y.sum() if y.mean() > 0 else y.square().sum()
            loss.backward()
            adam.step()
            adam.clear_grad()
            return loss

        run = step if full_graph is None else paddle.jit.to_static(step, full_graph=True)
        for number in range(4):
            found.append(run(paddle.full([3, 2], number - 1.5)).item())
        found += [*net.weight.numpy().ravel()]
    np.testing.assert_allclose(found[len(found) // 2 :], found[: len(found) // 2], rtol=1e-4)


def test_a_loop_of_many_rounds_has_its_gradient():
    def forward(x):
        i = 0
        while i < 40 + x.astype("int64"):
            x = paddle.sin(x) * 1.05
            i += 1
        return x

    slopes = []
    for function in (forward, paddle.jit.to_static(forward, full_graph=True)):
        x = paddle.to_tensor(0.9, stop_gradient=False)
        function(x).backward()
        slopes.append(x.grad.item())
    np.testing.assert_allclose(slopes[1], slopes[0], rtol=1e-4)


def test_random_draws_differ_from_round_to_round():
    def forward(x):
        rows = paddle.zeros([4, 3])
        i = 0
        while i < x:
            rows[i] = paddle.rand([3])
            i += 1
        return rows

    marked = paddle.jit.to_static(forward, full_graph=True)
    paddle.seed(1)
    first = marked(paddle.to_tensor(3)).numpy()
    again = marked(paddle.to_tensor(3)).numpy()
    assert len(np.unique(np.concatenate([first[:3], again[:3]]))) == 18
    assert not first[3].any()
    paddle.seed(1)
    np.testing.assert_array_equal(marked(paddle.to_tensor(3)).numpy(), first)


def test_no_draw_is_taken_for_a_loop_that_draws_none():
    def forward(x):
        while x.sum() < 10:
            x = x + 1
        return x + paddle.rand([2])

    found = []
    for function in (forward, paddle.jit.to_static(forward, full_graph=True)):
        paddle.seed(1)
        found.append(function(paddle.ones([2])).numpy())
    np.testing.assert_array_equal(found[1], found[0])


@pytest.mark.filterwarnings("ignore:What is saved is a function")
def test_random_draws_in_what_is_saved(tmp_path):
    def forward(x):
        if x.sum() > 0:
            y = paddle.rand([2])
        else:
            y = paddle.rand([2]) + 10
        while y.sum() < 5:
            y = y + paddle.rand([2])
        return y

    paddle.jit.save(forward, f"{tmp_path}/net", [InputSpec([2])])
    loaded = paddle.jit.load(f"{tmp_path}/net")
    one, two = loaded(paddle.ones([2])).numpy(), loaded(paddle.ones([2])).numpy()
    assert (one != two).all()
    assert 5 <= one.sum() < 7
    assert loaded(-paddle.ones([2])).numpy().min() >= 10


@pytest.mark.filterwarnings("ignore:What is saved is a function")
def test_rows_of_a_size_that_is_open(tmp_path):
    def forward(x):
        total = paddle.zeros([2])
        for row in x:
            if row.sum() > 0:
                total = total + row
        for i in range(x.shape[0]):
            total = total + i
        return total

    paddle.jit.save(forward, f"{tmp_path}/net", [InputSpec([None, 2])])
    loaded = paddle.jit.load(f"{tmp_path}/net")
    for count in (1, 4):
        x = paddle.to_tensor(np.random.default_rng(count).normal(size=(count, 2)), "float32")
        np.testing.assert_allclose(loaded(x), forward(x), rtol=1e-5)


def test_buffers_keep_the_values_that_branches_and_loops_write():
    class Count(nn.Layer):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1D(2)
            self.register_buffer("rounds", paddle.zeros([]))

        def forward(self, x):
            if x.sum() > 0:
                x = self.norm(x)
                self.rounds.add_(paddle.ones([]))
            while x.sum() < 10:
                x = x + 1
                self.rounds += 1
            return x * self.rounds

    found = []
    for full_graph in (None, True):
        net = Count()
        run = net if full_graph is None else paddle.jit.to_static(net, full_graph=True)
        for number in (1, -1, 2):
            x = paddle.arange(6, dtype="float32").reshape([3, 2]) * number
            found += [run(x).numpy(), net.rounds.item(), net.norm._mean.numpy()]
    for wanted, got in zip(found[:9], found[9:], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_draws_in_a_branch_are_those_of_the_ops():
    def forward(x):
        if x.sum() > 0:
            x = nn.functional.dropout(x, 0.5)
        return x

    found = []
    for function in (forward, paddle.jit.to_static(forward, full_graph=True)):
        paddle.seed(5)
        found += [function(paddle.ones([100])).numpy() for _ in range(2)]
    np.testing.assert_array_equal(found[2:], found[:2])
