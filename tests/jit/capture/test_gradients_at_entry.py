"""Existing gradients at the start of a marked function take part in it, as op by op."""

import pytest

import jaxeager as paddle
from jaxeager import nn, optimizer
from tests.jit.marked import gradient, same_in_all_ways, vector, weight


def the_case_that_was_reported(mark):
    w = weight()
    opt = optimizer.SGD(0.1, parameters=[w])

    @mark
    def f(x):
        (w * x).sum().backward()
        opt.step()
        opt.clear_grad()

    for _ in range(3):
        f(vector())
    (w * 100).sum().backward()
    f(vector())
    yield w
    yield gradient(w)
    f(vector())
    yield w


def zero_after_clear(mark):
    w = weight()
    opt = optimizer.SGD(0.1, parameters=[w])

    @mark
    def f(x):
        (w * x).sum().backward()
        opt.step()
        opt.clear_grad()

    f(vector())
    yield gradient(w)
    f(vector())
    yield gradient(w)


def clear_to_none(mark):
    w = weight()
    opt = optimizer.SGD(0.1, parameters=[w])

    @mark
    def f(x):
        (w * x).sum().backward()
        opt.step()
        opt.clear_grad(set_to_zero=False)

    f(vector())
    yield gradient(w)
    f(vector())
    yield gradient(w)
    (w * 100).sum().backward()
    f(vector())
    yield w
    yield gradient(w)


def grad_set_by_hand(mark):
    w = weight()
    opt = optimizer.SGD(0.1, parameters=[w])

    @mark
    def f(x):
        (w * x).sum().backward()
        opt.step()
        opt.clear_grad()

    for _ in range(3):
        f(vector())
    w.grad = vector(50.0)
    f(vector())
    yield w
    yield gradient(w)


def accumulate_two(mark):
    w = weight()
    opt = optimizer.SGD(0.1, parameters=[w])

    @mark
    def f(x):
        (w * x).sum().backward()

    @mark
    def s():
        opt.step()
        opt.clear_grad()

    for _ in range(3):
        f(vector())
        yield gradient(w)
        f(vector(2.0))
        yield gradient(w)
        s()
        yield w
        yield gradient(w)


def step_only_grads_absent_then_there(mark):
    a, b = weight(), weight(2.0)
    opt = optimizer.Adam(0.1, parameters=[a, b])

    @mark
    def s():
        opt.step()
        opt.clear_grad(set_to_zero=False)

    (a * 3).sum().backward()
    s()
    yield a
    yield b
    (a * 3 + b * 2).sum().backward()
    s()
    yield a
    yield b
    (b * 2).sum().backward()
    s()
    yield a
    yield b
    s()
    yield a
    yield b


def forward_only(mark):
    a = weight()

    @mark
    def s(x):
        return (a * x).sum()

    for _ in range(4):
        s(vector()).backward()
        yield gradient(a)


def paddle_grad(mark):
    a = weight()

    @mark
    def s(x):
        (g,) = paddle.grad((a * a * x).sum(), [a])
        return g

    yield s(vector())
    (a * 5).sum().backward()
    yield s(vector())
    yield gradient(a)


def penalty(mark):
    a = weight(2.0)
    opt = optimizer.SGD(0.1, parameters=[a])

    @mark
    def s(x):
        y = (a * a * a * x).sum()
        (g,) = paddle.grad(y, [a], create_graph=True)
        (y + (g * g).sum()).backward()
        opt.step()
        opt.clear_grad()

    s(vector(0.1))
    s(vector(0.1))
    (a * 5).sum().backward()
    s(vector(0.1))
    yield a
    yield gradient(a)


def input_grad(mark):
    x = vector()
    x.stop_gradient = False

    @mark
    def s(v):
        (v * v * 3).sum().backward()

    s(x)
    yield gradient(x)
    s(x)
    yield gradient(x)
    x.clear_grad()
    s(x)
    yield gradient(x)
    z = vector(2.0)
    z.stop_gradient = False
    s(z)
    yield gradient(z)
    s(z)
    yield gradient(z)


def two_params_one_graded(mark):
    a, b = weight(), weight(2.0)
    opt = optimizer.SGD(0.1, parameters=[a, b])

    @mark
    def s(
        x,
    ):
        (a * x).sum().backward()
        opt.step()
        opt.clear_grad()

    s(vector())
    s(vector())
    (b * 10).sum().backward()
    s(vector())
    yield a
    yield b
    yield gradient(b)
    s(vector())
    yield b


def scaler(mark):
    a = weight()
    opt = optimizer.SGD(0.1, parameters=[a])
    sc = paddle.amp.GradScaler(init_loss_scaling=4.0, use_dynamic_loss_scaling=False)

    @mark
    def s(x):
        loss = (a * x).sum()
        sc.scale(loss).backward()
        sc.step(opt)
        sc.update()
        opt.clear_grad()

    s(vector())
    s(vector())
    sc.scale((a * 10).sum()).backward()
    s(vector())
    yield a
    yield gradient(a)


def clip(mark):
    a = weight()
    opt = optimizer.SGD(0.1, parameters=[a], grad_clip=nn.ClipGradByGlobalNorm(0.5))

    @mark
    def s(x):
        (a * x).sum().backward()
        opt.step()
        opt.clear_grad()

    s(vector())
    s(vector(0.1))
    (a * 10).sum().backward()
    s(vector(-5.0))
    yield a
    yield gradient(a)


def hook(mark):
    a = weight()
    a.register_hook(lambda g: g * 2)
    opt = optimizer.SGD(0.1, parameters=[a])

    @mark
    def s(x):
        (a * x).sum().backward()
        opt.step()
        opt.clear_grad()

    s(vector())
    s(vector(0.1))
    (a * 10).sum().backward()
    s(vector(-5.0))
    yield a
    yield gradient(a)


def nothing_in_step(mark):
    a = weight()
    opt = optimizer.SGD(0.1, parameters=[a])

    @mark
    def s():
        opt.step()
        opt.clear_grad()

    s()
    yield a
    (a * 5).sum().backward()
    s()
    yield a
    yield gradient(a)


def scaler_only(mark):
    a = weight()
    opt = optimizer.SGD(0.1, parameters=[a])
    sc = paddle.amp.GradScaler(init_loss_scaling=4.0, use_dynamic_loss_scaling=False)

    @mark
    def s():
        sc.step(opt)
        sc.update()
        opt.clear_grad()

    sc.scale((a * 10).sum()).backward()
    s()
    yield a
    yield gradient(a)
    sc.scale((a * 3).sum()).backward()
    s()
    yield a
    yield gradient(a)

    @mark
    def u():
        sc.unscale_(opt)

    for k in (2.0, 3.0):
        sc.scale((a * k).sum()).backward()
        u()
        yield gradient(a)
        sc.step(opt)
        sc.update()
        opt.clear_grad()
        yield a


def hook_late(mark):
    a = weight()
    opt = optimizer.SGD(0.1, parameters=[a])

    @mark
    def s(x):
        (a * x).sum().backward()
        opt.step()
        opt.clear_grad()

    s(vector())
    s(vector())
    h = a.register_hook(lambda g: g * 10)
    s(vector())
    yield a
    h.remove()
    s(vector())
    yield a


CASES = [
    the_case_that_was_reported,
    zero_after_clear,
    clear_to_none,
    grad_set_by_hand,
    accumulate_two,
    step_only_grads_absent_then_there,
    forward_only,
    paddle_grad,
    penalty,
    input_grad,
    two_params_one_graded,
    scaler,
    clip,
    hook,
    nothing_in_step,
    scaler_only,
    hook_late,
]


# A scaler keeps whether it found inf until update() is called.
# A scaler keeps whether it found inf until update() is called.
REFUSED = {"scaler_only"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_marked_and_op_by_op_are_the_same(case):
    same_in_all_ways(case, REFUSED)


def programs_of(step):
    return step.program_cache.concrete_programs()


@pytest.mark.parametrize("set_to_zero", [True, False])
def test_a_training_step_is_one_program(set_to_zero):
    used, unused = weight(), weight()
    adam = optimizer.Adam(0.1, parameters=[used, unused])

    @paddle.jit.to_static(full_graph=True)
    def step(x):
        (used * x).sum().backward()
        adam.step()
        adam.clear_grad(set_to_zero)

    for _ in range(4):
        step(vector())
    assert len(programs_of(step)) == 1


def test_a_forward_is_one_program_with_gradients_and_without():
    w = weight()

    @paddle.jit.to_static(full_graph=True)
    def forward(x):
        return (w * x).sum()

    for _ in range(3):
        forward(vector()).backward()
    w.clear_grad()
    forward(vector())
    assert len(programs_of(forward)) == 1
    assert forward.concrete_program.main_program is not None
