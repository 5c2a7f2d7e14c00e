"""The comparisons of a whole graph on each call, and how FLAGS_check_static finds the others."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn, optimizer
from tests.jit.marked import rows, same_as_op_by_op, whole

RATE = 2.0


@pytest.fixture
def every_call():
    paddle.set_flags({"FLAGS_check_static": 1})
    yield
    paddle.set_flags({"FLAGS_check_static": 0})


def doubled(x):
    return x * 2


# ---- comparisons on each call


def numbers_that_it_names(mark):
    global RATE
    factor = RATE = 2.0

    def scaled(x, by=3.0, *, plus=1.0):
        return x * factor * RATE * by + plus

    marked = mark(scaled)
    for number in (2.0, 3.0, 2.0, 2, True):
        factor = number
        yield marked(rows(1))
        RATE = RATE + 1.0
        yield marked(rows(1))
    scaled.__defaults__ = (7.0,)
    scaled.__kwdefaults__ = {"plus": 4.0}
    yield marked(rows(1))


def what_else_it_names(mark):
    held, change, layer = rows(2), doubled, nn.Linear(3, 3)
    forward = mark(lambda x: change(layer(x)) + held)
    yield forward(rows(1))
    held = rows(3)
    yield forward(rows(1))
    change = paddle.tanh
    yield forward(rows(1))
    layer = nn.Linear(3, 3)
    yield forward(rows(1))
    held.set_value(rows(4))
    yield forward(rows(1))


def layers_that_it_calls(mark):
    layers = [nn.Dropout(0.5), nn.BatchNorm1D(3)]

    def forward(x):
        for layer in layers:
            x = layer(x)
        return x

    forward = mark(forward)
    yield forward(rows(1))
    layers[0].eval()
    yield forward(rows(1))
    layers[1].weight.set_value(rows(2)[0])
    yield forward(rows(1))
    layers[1].weight = paddle.create_parameter([3], "float32")
    yield forward(rows(1))
    handle = layers[1].register_forward_post_hook(lambda layer, given, out: out * 2)
    yield forward(rows(1))
    handle.remove()
    yield forward(rows(1))
    yield layers[1]._mean


def settings_of_an_optimizer(mark):
    net = nn.Linear(3, 2)
    adam = optimizer.AdamW(0.1, parameters=net.parameters())

    @mark
    def step(x):
        net(x).square().mean().backward()
        adam.step()
        adam.clear_grad()

    for number in range(4):
        step(rows(number))
        if number == 1:
            adam.set_lr(0.01)
        if number == 2:
            net.bias.stop_gradient = True
        yield net.weight
        yield net.bias


def modes(mark):
    net = nn.Linear(3, 2)
    forward = mark(lambda x: net(x) @ paddle.ones([2, 2]))
    yield forward(rows(1))
    with paddle.no_grad():
        yield np.array(forward(rows(1)).stop_gradient)
    with paddle.amp.auto_cast(dtype="bfloat16"):
        yield forward(rows(1)).astype("float32")
    yield np.array(forward(rows(1)).stop_gradient)


def attributes_that_it_counts(mark):
    class Counting(nn.Layer):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x * self.calls

    net = mark(Counting())
    for _ in range(3):
        yield net(rows(1))
        yield np.array(net.calls)


COMPARED = (
    numbers_that_it_names, what_else_it_names, layers_that_it_calls, settings_of_an_optimizer,
    modes, attributes_that_it_counts,
)  # fmt: skip


@pytest.mark.parametrize("make", COMPARED, ids=lambda make: make.__name__)
def test_a_change_that_is_compared_is_another_program(make):
    same_as_op_by_op(make, whole)


@pytest.mark.parametrize("make", COMPARED, ids=lambda make: make.__name__)
def test_no_program_that_fits_is_reported(make, every_call):
    same_as_op_by_op(make, whole)


# ---- state that is not compared


def a_dict():
    table = {"scale": 2.0}
    return lambda x: x * table["scale"], lambda: table.update(scale=5.0), "scale"


def an_attribute():
    class Settings:
        shift = 1.0

    settings = Settings()
    return lambda x: x + settings.shift, lambda: setattr(settings, "shift", 3.0), "scale"


def another_op():
    table = {"op": paddle.tanh}
    return lambda x: table["op"](x) + 1, lambda: table.update(op=paddle.exp), "exp"


def one_op_more():
    table = {"on": False}

    def forward(x):
        return paddle.exp(x) * 2 if table["on"] else paddle.exp(x)

    return forward, lambda: table.update(on=True), "scale"


def another_tensor():
    table = {"tensor": paddle.ones([3])}
    return lambda x: x * table["tensor"], lambda: table.update(tensor=rows(5)[0]), "multiply"


def another_tensor_to_write():
    table = {"tensor": paddle.ones([3])}

    def forward(x):
        table["tensor"].add_(x[0])
        return x * 2

    return forward, lambda: table.update(tensor=table["tensor"].clone()), "add"


def another_array():
    shift = np.zeros(3, "float32")
    return lambda x: x + paddle.to_tensor(shift), lambda: shift.fill(2.0), "constant"


def another_hook():
    w, factors = paddle.create_parameter([3], "float32"), [1.0]
    w.register_hook(lambda grad: grad * factors[0])

    def step(x):
        (w * x).sum().backward()
        gradient = w.grad * 1
        w.clear_grad()
        return gradient

    return step, lambda: factors.append(factors.pop() * 5.0), "scale"


def another_result():
    table = {"pair": False}

    def forward(x):
        y = x * 2
        return (y, y) if table["pair"] else y

    return forward, lambda: table.update(pair=True), "it returns or writes something else"


@pytest.mark.parametrize(
    "make",
    [
        a_dict, an_attribute, another_op, one_op_more, another_tensor, another_tensor_to_write,
        another_array, another_hook, another_result,
    ],
    ids=lambda make: make.__name__,
)  # fmt: skip
def test_stale_state_is_reported(make, every_call):
    function, change, what = make()
    marked = whole(function)
    marked(rows(1)), marked(rows(2))
    change()
    with pytest.raises(
        RuntimeError, match=rf"would no longer do what its program does: .*{what}"
    ) as told:
        marked(rows(1))
    if make is not another_result:
        assert f"{__file__}:" in str(told.value)
    assert len(marked.program_cache) == 1


def test_every_third_call_is_checked():
    calls, table = [], {"scale": 2.0}

    def scaled(x):
        calls.append(1)
        return x * table["scale"]

    marked = whole(scaled)
    paddle.set_flags({"FLAGS_check_static": 3})
    try:
        for _ in range(7):
            marked(rows(1))
    finally:
        paddle.set_flags({"FLAGS_check_static": 0})
    assert len(calls) == 1 + 2


def test_a_check_draws_no_random_numbers(every_call):
    def make(mark):
        net = mark(nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)))
        for number in range(3):
            yield net(rows(number))
            yield paddle.rand([2])

    same_as_op_by_op(make, whole)
