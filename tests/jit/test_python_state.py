"""A marked function sees the current value of everything its Python reads, like its source.

The kinds are those that made functions stale that were captured by default (November 2026).
"""

import copy
import enum
import importlib.util
import os
import random
import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn, optimizer
from tests.jit.marked import gradient, rows, same_as_op_by_op, weight
from tests.support.often import only


def a_dict_that_it_writes(mark):
    state = {"calls": 0, "scale": 2.0}

    @mark
    def f(x):
        state["calls"] += 1
        return x * state["scale"]

    for number in range(6):
        state["scale"] += number
        yield f(rows(1))
        yield np.array(state["calls"])


def members_of_an_enum(mark):
    class Mode(enum.IntEnum):
        A = 1
        B = 2

    class Holder:
        mode = Mode.A

    holder = Holder()
    f = mark(lambda x: x * int(holder.mode))
    yield f(rows(1))
    holder.mode = Mode.B
    yield f(rows(1))


class Special:
    """An object all of whose values come from special methods."""

    def __init__(self):
        self.n = 2.0

    def __getitem__(self, key):
        return self.n + key

    def __rmul__(self, other):
        return other * self.n

    def __len__(self):
        return int(self.n)

    def __iter__(self):
        return iter([self.n, self.n + 1])

    def __enter__(self):
        return self.n

    def __exit__(self, *exc):
        return False

    def __call__(self, x):
        return x * self.n

    def __contains__(self, value):
        return value == self.n

    def __float__(self):
        return float(self.n)

    def __getattr__(self, name):
        if name.startswith("times"):
            return vars(self)["n"] * 7
        raise AttributeError(name)


def special_methods(mark):
    s = Special()

    @mark
    def f(x):
        with s as entered:
            y = x * s[1] * entered + x * s * len(s)
        for each in s:
            y = y + each
        return s(y) + float(s) + s.times + (1.0 if 2.0 in s else 5.0)

    for n in (2.0, 3.0, 2.0):
        s.n = n
        yield f(rows(1))


def what_a_hook_reads(mark):
    w, factor = weight(), [1.0]
    w.register_hook(lambda grad: grad * factor[0])

    @mark
    def f(x):
        (w * x).sum().backward()
        grad = w.grad * 1
        w.clear_grad()
        return grad

    for factor[0] in (1.0, 5.0, 3.0):
        yield f(rows(1))


def what_a_backward_of_the_users_reads(mark):
    factor = [1.0]

    class Scaled(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * factor[0]

    f = mark(lambda x: Scaled.apply(x).sum())
    for factor[0] in (1.0, 5.0, 3.0):
        x = rows(1)
        x.stop_gradient = False
        f(x).backward()
        yield gradient(x)


def a_module_that_is_loaded_by_file(mark, tmp_path):
    (tmp_path / "plugin.py").write_text(
        "rate = 2.0\nclass Config:\n    shift = 1.0\n"
        "def apply(x, config):\n    return x * rate + config.shift\n"
    )
    spec = importlib.util.spec_from_file_location("plugin_by_file", tmp_path / "plugin.py")
    assert spec is not None
    assert spec.loader is not None
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    config = plugin.Config()
    f = mark(lambda x: plugin.apply(x, config))
    yield f(rows(1))
    plugin.rate, config.shift = 5.0, 3.0
    yield f(rows(1))


def copies_of_a_layer(mark):
    net = mark(nn.Dropout(0.5))
    other = copy.copy(net)
    other.training = False
    yield net(rows(1))
    yield other(rows(1))
    linear = mark(nn.Linear(3, 2))
    deep = copy.deepcopy(linear)
    deep.weight.set_value(deep.weight * 2)
    yield deep(rows(1))
    yield linear(rows(1))


def an_iterator_and_attributes_by_name(mark):
    numbers, state, names = iter(range(1, 100)), Special(), ["n"]

    @mark
    def f(x):
        for name in names:
            setattr(state, name, getattr(state, name) + 1)
        return x * next(numbers) + state.n

    for _ in range(6):
        yield f(rows(1))


def results_that_are_views_of_each_other(mark):
    @mark
    def f(x):
        y = x * 2
        return y, y[0], y.reshape([-1])

    for _ in range(5):
        y, first, flat = f(rows(1))
        first.add_(paddle.ones([3]))
        yield y
        flat[3] = 7.0
        yield y
        yield first


def what_belongs_to_threads_and_the_process(mark):
    local = threading.local()
    local.factor = 2.0

    @mark
    def f(x):
        flag = paddle.get_flags("FLAGS_call_stack_frames")["FLAGS_call_stack_frames"]
        return x * local.factor + float(os.environ.get("JX_STATE_TEST", "0")) + len(str(flag))

    before = paddle.get_flags("FLAGS_call_stack_frames")
    try:
        yield f(rows(1))
        local.factor = 3.0
        os.environ["JX_STATE_TEST"] = "4"
        yield f(rows(1))
        paddle.set_flags({"FLAGS_call_stack_frames": "user"})
        yield f(rows(1))
    finally:
        os.environ.pop("JX_STATE_TEST", None)
        paddle.set_flags(before)


def attributes_far_away(mark):
    class Node:
        pass

    top = at = Node()
    for name in ("cfg", "opt", "sched", "warm", "inner", "last"):
        setattr(at, name, Node())
        at = getattr(at, name)
    at.k = 2.0
    f = mark(lambda x: x * top.cfg.opt.sched.warm.inner.last.k)
    yield f(rows(1))
    at.k = 5.0
    yield f(rows(1))


def a_view_before_a_branch(mark):
    @mark
    def f(x):
        y = x[0:1]
        if x.sum() > 0:
            y.add_(paddle.ones([1, 3]))
        return x

    for number in range(6):
        yield f(rows(number) + 1)
        yield f(rows(number) - 1)


def a_view_that_is_written_in_a_branch(mark):
    @mark
    def f(x):
        y = x * 2
        z = y[0]
        if x.sum() > 0:
            y[0] = 9.0
        return z + y.sum()

    for number in range(4):
        yield f(rows(number) + 1)
        yield f(rows(number) - 1)


def what_branches_and_loops_change(mark):
    class Counter:
        hits = 0

    held, kept = [Counter()], []

    def add(x):
        kept.append(float(x.sum()))
        return x - 1

    @mark
    def f(x):
        if x.sum() > 0:
            held[0].hits += 1
        while x.sum() > 0:
            x = add(x)
        return x * held[0].hits

    for number in range(4):
        yield f(rows(number))
        yield np.array(kept)


KINDS = (
    a_dict_that_it_writes, members_of_an_enum, special_methods, what_a_hook_reads,
    what_a_backward_of_the_users_reads, copies_of_a_layer, an_iterator_and_attributes_by_name,
    results_that_are_views_of_each_other, what_belongs_to_threads_and_the_process,
    attributes_far_away, a_view_before_a_branch, a_view_that_is_written_in_a_branch,
    what_branches_and_loops_change,
)  # fmt: skip


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_a_marked_function_gives_the_results_of_op_by_op(make):
    same_as_op_by_op(make)


def test_a_module_that_is_loaded_by_file(tmp_path):
    same_as_op_by_op(lambda mark: a_module_that_is_loaded_by_file(mark, tmp_path))


# ---- random programs whose Python state changes between calls


class Holder:
    """An object with some state."""

    def __init__(self):
        self.factor, self.items, self.table = 1.5, [1.0, 2.0], {"a": 0.5}


def program_of(seed: int):
    """Return a program: a training step of random parts, and random changes between its calls."""

    def make(mark):
        choose = random.Random(seed)
        paddle.seed(seed)
        net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.3), nn.Linear(4, 3))
        kind = choose.choice([optimizer.SGD, optimizer.Adam, optimizer.Momentum])
        opt = kind(0.05, parameters=net.parameters())
        holder, kept, factors = Holder(), [], [1.0]
        net[0].weight.register_hook(lambda grad: grad * factors[0])
        parts = {
            "attribute": lambda x: x * holder.factor,
            "list": lambda x: x + sum(holder.items) - len(holder.items),
            "dict": lambda x: x * sum(holder.table.values()),
            "kept": lambda x: x + kept[-1] if kept else x,
            "branch": lambda x: x * 2 if holder.factor > 1.5 else paddle.tanh(x),
            "value": lambda x: x / (1 + abs(float(x.mean()))),
            "view": lambda x: paddle.concat([x[0:1] * holder.items[0], x[1:]]),
            "draw": lambda x: x + paddle.rand([3]),
            "net": net,
        }
        chosen = [choose.choice(list(parts)) for _ in range(choose.randint(2, 5))]
        steps = choose.random() < 0.7

        @mark
        def f(x):
            for name in chosen:
                x = parts[name](x)
            # Bounded: a training that diverges to weights of 1e11 multiplies roundings as well.
            loss = paddle.tanh(x).square().mean()
            if choose_kept:
                kept.append(loss.detach() * 0.1)
            holder.table["calls"] = holder.table.get("calls", 0.0) + 0.01
            if steps:
                (loss + paddle.tanh(net(x)).mean()).backward()
                opt.step()
                opt.clear_grad()
            return loss

        choose_kept = choose.random() < 0.5
        for number in range(8):
            yield f(rows(number)).detach()
            change = choose.choice(["factor", "append", "table", "hook", "mode", "rate", "nothing"])
            if change == "factor":
                holder.factor = choose.choice([1.0, 1.5, 2.0])
            elif change == "append":
                holder.items.append(choose.random())
            elif change == "table":
                holder.table["a"] = choose.random()
            elif change == "hook":
                factors[0] = choose.random()
            elif change == "mode":
                net.train() if choose.random() < 0.5 else net.eval()
            elif change == "rate":
                opt.set_lr(choose.choice([0.01, 0.05]))
        yield from [each.numpy() for each in net.parameters()]
        yield np.array(holder.table["calls"])

    return make


@pytest.mark.parametrize("seed", only(range(5), range(10)))
def test_a_random_program(seed):
    same_as_op_by_op(program_of(seed))


@pytest.mark.deep
@pytest.mark.parametrize("first", range(100, 600, 50))
def test_many_random_programs(first):
    for seed in range(first, first + 50):
        same_as_op_by_op(program_of(seed))
