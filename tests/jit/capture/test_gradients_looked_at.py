"""Gradients that a marked function reads, sets or clears are those of each call."""

import pytest

from jaxeager import optimizer
from tests.jit.marked import gradient, same_in_all_ways, vector, weight


def clear_only(mark):
    a = weight()

    @mark
    def s():
        a.clear_grad()

    s()
    yield gradient(a)
    (a * 2).sum().backward()
    s()
    yield gradient(a)
    (a * 5).sum().backward()
    yield gradient(a)


def clear_first(mark):
    a = weight()

    @mark
    def s(x):
        a.clear_grad()
        (a * x).sum().backward()

    s(vector(2.0))
    yield gradient(a)
    s(vector(3.0))
    yield gradient(a)
    (a * 5).sum().backward()
    s(vector(3.0))
    yield gradient(a)


def set_none_inside(mark):
    a = weight()

    @mark
    def s(x):
        (a * x).sum().backward()
        g = a.grad * 1
        a.grad = None
        return g

    yield s(vector(2.0))
    yield s(vector(2.0))
    (a * 5).sum().backward()
    yield s(vector(3.0))
    yield gradient(a)


def read_zeros(mark):
    a = weight()

    @mark
    def s(x):
        return x * 1 if a.grad is None else a.grad * 2 + 10

    yield s(vector())
    (a * 5).sum().backward()
    yield s(vector())
    a.clear_grad()
    yield s(vector())
    a.clear_gradient(False)
    yield s(vector())
    yield gradient(a)


def step_on_zeros(mark):
    a = weight()
    opt = optimizer.Momentum(0.1, 0.9, parameters=[a])

    @mark
    def s():
        opt.step()

    s()
    yield a
    (a * 5).sum().backward()
    s()
    yield a
    opt.clear_grad()
    s()
    yield a
    yield gradient(a)
    opt.clear_grad(set_to_zero=False)
    s()
    yield a


def set_grad_on_plain(mark):
    a = vector(1.0)

    @mark
    def s(x):
        a.grad = x * 2
        return x

    yield s(vector())
    yield gradient(a)
    yield s(vector(3.0))
    yield gradient(a)
    a.grad = None
    yield s(vector(3.0))
    yield gradient(a)


def read_grad_of_plain(mark):
    a = vector(1.0)

    @mark
    def s(x):
        return x if a.grad is None else a.grad * 2

    yield s(vector())
    a.grad = vector(3.0)
    yield s(vector())
    a.grad = vector(5.0)
    yield s(vector())
    a.grad = None
    yield s(vector())


def read_grad_of_arg(mark):
    @mark
    def s(x):
        return x if x.grad is None else x.grad * 2

    a = vector(1.0)
    yield s(a)
    a.grad = vector(3.0)
    yield s(a)
    b = vector(1.0)
    b.grad = vector(5.0)
    yield s(b)
    a.grad = None
    yield s(a)


def opt_clear_only(mark):
    a, b = weight(), weight()
    opt = optimizer.SGD(0.1, parameters=[a, b])

    @mark
    def s():
        opt.clear_grad()

    s()
    yield gradient(a)
    (a * 3).sum().backward()
    s()
    yield gradient(a)
    yield gradient(b)
    (b * 3).sum().backward()
    s()
    yield gradient(b)
    s()
    yield gradient(b)


def closure_grad(mark):
    a = weight()
    (a * 5).sum().backward()
    g = a.grad

    @mark
    def s(x):
        return (a * x).sum() + g * 2

    yield s(vector())
    a.clear_grad()
    yield s(vector())
    (a * 7).sum().backward()
    yield s(vector())


def grad_as_arg(mark):
    a = weight()
    b = weight(3.0)

    @mark
    def s(g, x):
        (a * x).sum().backward()
        return g * 2 + b

    (a * 5).sum().backward()
    yield s(a.grad, vector())
    yield gradient(a)
    yield s(vector(9.0), vector())
    yield gradient(a)
    yield s(a.grad, vector())
    yield gradient(a)


def grad_kept_alias(mark):
    a = weight()

    @mark
    def s(x):
        (a * x).sum().backward()

    (a * 5).sum().backward()
    g = a.grad
    s(vector())
    yield g
    yield gradient(a)
    s(vector())
    yield g
    yield gradient(a)


CASES = [
    clear_only,
    clear_first,
    set_none_inside,
    read_zeros,
    step_on_zeros,
    set_grad_on_plain,
    read_grad_of_plain,
    read_grad_of_arg,
    opt_clear_only,
    closure_grad,
    grad_as_arg,
    grad_kept_alias,
]


# Its argument is the gradient that it adds to.
# Its argument is the gradient that it adds to.
REFUSED = {"grad_as_arg"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_marked_and_op_by_op_are_the_same(case):
    same_in_all_ways(case, REFUSED)
