"""The inputs of a whole graph, its distinctions, and its state for gradients of gradients."""

import functools
from contextlib import nullcontext as no_error

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn, optimizer
from tests.jit.marked import gradient, rows, same_as_op_by_op, vector, weight, whole
from tests.support.leaves import leaf

# ---- tensors that lazy mode has made


def results_of_marked_functions(mark):
    lazy, f = paddle.jit.to_static(lambda x: x * 2), mark(lambda x: x + 1)
    for number in range(6):
        yield f(lazy(paddle.ones([1]) * number))


def weights_that_a_marked_step_moves(mark):
    net = nn.Linear(2, 1)
    sgd = optimizer.SGD(0.1, parameters=net.parameters())

    @paddle.jit.to_static
    def train(x):
        loss = net(x).square().sum()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        return loss

    evaluate = mark(lambda x: net(x))
    for _ in range(6):
        yield train(paddle.ones([1, 2]))
        yield evaluate(paddle.ones([1, 2]))


def writes_in_lazy_mode(mark):
    w = paddle.zeros([1])
    f = mark(lambda: w.add_(paddle.ones([1])).sum() * 1)
    for _ in range(4):
        with paddle.lazy():
            w.add_(paddle.full([1], 10.0))
        yield f()


def gradients_of_marked_functions(mark):
    w = weight(3.0)
    loss, f = paddle.jit.to_static(lambda x: (w * x).sum()), mark(lambda x: x * w.grad)
    for number in range(1, 4):
        loss(vector(float(number))).backward()
        yield f(vector(1.0))


def a_pending_tensor_in_a_branch(mark):
    w = paddle.zeros([1])
    f = mark(lambda x: paddle.static.nn.cond(x.sum() > 0, lambda: x * w, lambda: x - w))
    for _ in range(4):
        with paddle.lazy():
            w.add_(paddle.full([1], 2.0))
        yield f(vector(3.0))


# ---- arguments that the function uses by itself as well


def a_gradient_of_the_one_or_the_other(mark):
    w, net = leaf(), nn.Linear(2, 2)
    x = paddle.ones([1, 2])
    yield mark(lambda x: paddle.grad((x * x).sum() + (w * 3).sum(), [w])[0])(w)
    yield mark(lambda x: paddle.grad((x * x).sum() + (w * 3).sum(), [x])[0])(w)
    yield mark(lambda p, x: paddle.grad(net(x).square().sum(), [p])[0])(net.weight, x)
    yield from mark(lambda ps, x: paddle.grad(net(x).square().sum(), ps))(net.parameters(), x)


def the_same_object_or_another(mark):
    w = leaf()
    f = mark(lambda x: x * 2 if x is w else x * 3)
    for x in (w, leaf(), w):
        yield f(x)


def it_draws_once(mark):
    w = leaf()
    f = mark(lambda p, x: (p * x).sum() * w.sum() + paddle.rand([]))
    yield f(w, leaf())
    yield paddle.rand([])


# ---- gradients of gradients are those of the state that the program was captured in


class Counting(nn.Layer):
    def __init__(self):
        super().__init__()
        self.n = 0

    def forward(self, x):
        self.n += 1
        return (x**3 * self.n).sum()


def a_number_that_it_counts(mark):
    net = Counting()
    f = mark(net.forward)
    for _ in range(3):
        x = leaf()
        y = f(x)
        (slope,) = paddle.grad(y, [x], create_graph=True)
        yield slope
        yield paddle.grad(slope.sum(), [x])[0]
        yield np.array(net.n)


def a_variable_that_is_another_then(mark):
    factor, w = 2.0, leaf()
    f = mark(lambda: (w**3 * factor).sum())
    y = f()
    if mark is whole:
        factor = 5.0
    (slope,) = paddle.grad(y, [w], create_graph=True)
    yield slope
    yield paddle.grad(slope.sum(), [w])[0]


def mixed_precision_around_the_forward(mark):
    net, x = nn.Linear(2, 2), paddle.ones([1, 2])
    f = mark(lambda x: net(x).square().sum())
    with paddle.amp.auto_cast(dtype="bfloat16"):
        y = f(x)
    yield paddle.grad(y, [net.weight], create_graph=True)[0]


def through_an_index(mark):
    for function in (lambda x: (x[0] * x).sum(), lambda x: sum(x[:1] * 2) * paddle.split(x, 2)[1]):
        x = leaf()
        (slope,) = paddle.grad(mark(function)(x), [x], create_graph=True)
        yield slope
        yield paddle.grad(slope.sum(), [x])[0]


def through_a_branch_with_gradients_there(mark):
    w = leaf()
    f = mark(
        lambda x: paddle.static.nn.cond(
            x.sum() > 0, lambda: (x * x * w).sum(), lambda: x.sum() * w.sum()
        )
    )
    for _ in range(3):
        x = leaf()
        (slope,) = paddle.grad(f(x), [x], create_graph=True)
        slope.sum().backward()
        yield gradient(w)


# ---- tensors without a gradient


def an_output_alone(mark):
    w, v = leaf(), leaf()
    adam = optimizer.AdamW(0.1, parameters=[w, v], weight_decay=0.5)
    f = mark(lambda x: (x * w, x * v))
    for _ in range(2):
        f(paddle.ones([2]))[0].sum().backward()
        yield gradient(v)
        adam.step()
        yield v


# ---- arguments and attributes that are alike and not the same


def equal_objects(mark):
    f = mark(lambda x, s: x * (1 if isinstance(next(iter(s)), bool) else 10))
    yield f(leaf(), frozenset([True]))
    yield f(leaf(), frozenset([1]))
    f = mark(lambda x, s: x[s])
    for at in (slice(0, 1), slice(1, 2), slice(0, 1)):
        yield f(leaf(), at)


def layers_and_lists_within(mark):
    class Scaled(nn.Layer):
        def __init__(self):
            super().__init__()
            self.scale, self.table = 2.0, [1, [2, 5.0]]

    net = Scaled()
    f = mark(lambda x, nets: x * nets[0].scale * nets[0].table[1][1])
    yield f(leaf(), [net])
    net.scale = 3.0
    yield f(leaf(), [net])
    net.table[1][1] = 7.0
    net.train()  # the comparisons are made again when a Layer has changed
    yield f(leaf(), [net])


def a_wrapper(mark):
    factor = 2.0

    def scaled(function):
        @functools.wraps(function)
        def inner(x):
            return function(x) * factor

        return inner

    f = mark(scaled(lambda x: x + 1))
    yield f(leaf())
    factor = 5.0
    yield f(leaf())


# ---- writes and hooks


def set_value_with_a_view(mark):
    w = paddle.ones([2])
    view, part = w.detach(), w[0:1]
    mark(lambda x: w.set_value(x) or x * 1)(paddle.zeros([2]))
    yield from (w, view, part)


def a_hook_for_one_backward(mark):
    w = leaf()

    @mark
    def step(x):
        handle = w.register_hook(lambda grad: grad * 2)
        loss = (w * x).sum()
        loss.backward()
        handle.remove()
        return loss

    for number in range(3):
        yield step(rows(number)[0][:2])
        yield gradient(w)


RIGHT = (
    results_of_marked_functions, weights_that_a_marked_step_moves, writes_in_lazy_mode,
    gradients_of_marked_functions, a_pending_tensor_in_a_branch,
    a_gradient_of_the_one_or_the_other, the_same_object_or_another, it_draws_once,
    a_number_that_it_counts, a_variable_that_is_another_then, mixed_precision_around_the_forward,
    through_an_index, through_a_branch_with_gradients_there, an_output_alone, equal_objects,
    layers_and_lists_within, a_wrapper, set_value_with_a_view, a_hook_for_one_backward,
)  # fmt: skip


@pytest.mark.parametrize("make", RIGHT, ids=lambda make: make.__name__)
def test_a_whole_graph_gives_the_results_of_its_ops(make):
    same_as_op_by_op(make, whole)


def test_a_change_before_the_second_gradient_is_refused():
    table, w = {"k": 2.0}, leaf()
    y = whole(lambda: (w**3 * table["k"]).sum())()
    table["k"] = 5.0
    with pytest.raises(NotImplementedError, match=r"after something that it reads has changed"):
        paddle.grad(y, [w], create_graph=True)


def test_a_hook_that_stays_is_refused():
    w = leaf()
    f = whole(lambda x: (w.register_hook(lambda grad: grad * 2), (x * w).sum())[1])
    with pytest.raises(NotImplementedError, match="it registers or removes a hook on"):
        f(leaf())


def test_an_iterator_is_refused():
    with pytest.raises(
        NotImplementedError, match="a list_iterator, which is empty after the first"
    ):
        whole(lambda x, numbers: x * sum(numbers))(leaf(), iter([1, 2]))


def test_a_gradient_that_is_used_has_no_second_gradient():
    w = leaf()
    f = whole(lambda x: (x * x * w).sum() if w.grad is None else (x * x * w * w.grad).sum())
    for _ in range(2):
        x = leaf()
        with pytest.raises(NotImplementedError) if w.grad is not None else no_error():
            (slope,) = paddle.grad(f(x), [x], create_graph=True)
            slope.sum().backward()


def test_gradients_that_are_there_do_not_end_the_checks():
    net, table = nn.Linear(2, 2), {"k": 2.0}
    f = whole(lambda x: net(x) * table["k"])
    paddle.set_flags({"FLAGS_check_static": 1})
    try:
        f(paddle.ones([1, 2])).sum().backward()
        f(paddle.ones([1, 2]))
        table["k"] = 5.0
        with pytest.raises(RuntimeError, match="replaces scale"):
            f(paddle.ones([1, 2]))
    finally:
        paddle.set_flags({"FLAGS_check_static": 0})


def test_an_array_that_is_returned_is_checked():
    table = {"k": 2.0}
    f = whole(lambda x: (x * 1, np.full(3000, table["k"])))
    paddle.set_flags({"FLAGS_check_static": 1})
    try:
        f(leaf()), f(leaf())
        table["k"] = 5.0
        with pytest.raises(RuntimeError, match="it returns or writes something else"):
            f(leaf())
    finally:
        paddle.set_flags({"FLAGS_check_static": 0})


step = 0


def test_a_global_of_an_attributes_name_is_no_dependency(monkeypatch):
    net = nn.Linear(2, 1)
    sgd = optimizer.SGD(0.1, parameters=net.parameters())

    def train(x):
        net(x).square().sum().backward()
        sgd.step()
        sgd.clear_grad()

    train = whole(train)
    for number in range(3):
        monkeypatch.setitem(globals(), "step", number)
        train(paddle.ones([1, 2]))
    assert len(train.program_cache.concrete_programs()) == 1
