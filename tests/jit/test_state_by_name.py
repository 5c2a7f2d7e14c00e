"""A marked function sees the current value of every name it uses."""

import collections
import dataclasses
import logging
import threading

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn, optimizer
from tests.jit.marked import rows, same_as_op_by_op, whole

LOG = "jaxeager.jit"
NUMBER = 2.0


def layers_in_a_list(mark):
    layers = [nn.Dropout(0.5), nn.BatchNorm1D(3)]

    def forward(x):
        for layer in layers:
            x = layer(x)
        return x

    forward = mark(forward)
    yield forward(rows(1))
    for layer in layers:
        layer.eval()
    yield forward(rows(1))
    yield layers[1]._mean
    layers.append(nn.Linear(3, 3))
    yield forward(rows(2))


class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
        self.adam = optimizer.Adam(0.1, parameters=self.net.parameters())
        self.weight, self.calls = 2.0, 0

    def step(self, x):
        loss = self.net(x).sum() * self.weight
        loss.backward()
        self.adam.step()
        self.adam.clear_grad()
        return loss


def a_trainer_of_the_users(mark):
    trainer = Trainer()
    step = mark(trainer.step)
    for number in range(6):
        trainer.calls += 1  # not named by the step
        if number == 2:
            trainer.net.eval()
        if number == 4:
            trainer.weight = 5.0
        yield step(rows(number))
    yield from trainer.net.parameters()


def helper(x):
    return x * NUMBER


def a_global_of_a_function_that_it_calls(mark):
    global NUMBER
    NUMBER = 2.0
    forward = mark(lambda x: helper(x) + 1)
    yield forward(rows(1))
    NUMBER = 3.0
    yield forward(rows(1))


@dataclasses.dataclass
class Config:
    rate: float = 2.0


class Configured(nn.Layer):
    def __init__(self, config):
        super().__init__()
        self.config, self.shifts = config, [1.0]

    def forward(self, x):
        return x * self.config.rate + self.shifts[0]


def objects_that_are_named_given_and_in_layers(mark):
    config, net = Config(), Configured(Config())
    named, given, net = mark(lambda x: x * config.rate), mark(lambda x, c: x * c.rate), mark(net)
    for rate in (2.0, 3.0):
        config.rate = net.config.rate = net.shifts[0] = rate
        yield named(rows(1))
        yield given(rows(1), config)
        yield net(rows(1))


def a_tensor_of_the_closure_that_is_another_one(mark):
    held = rows(1)
    state = {"tensor": rows(2)}
    forward = mark(lambda x: x * held + state["tensor"])
    yield forward(rows(3))
    held = rows(4)
    yield forward(rows(3))
    state["tensor"] = rows(5)
    yield forward(rows(3))


def an_array_of_the_closure(mark):
    factors = np.ones(3, "float32")
    forward = mark(lambda x: x * paddle.to_tensor(factors))
    yield forward(rows(1))
    factors[0] = 3.0
    yield forward(rows(1))
    factors = np.zeros(3, "float32")
    yield forward(rows(1))


def an_object_that_is_called(mark):
    class Scaled:
        factor = 2.0

        def __call__(self, x):
            return x * self.factor

    scaled = Scaled()
    forward = mark(scaled)
    yield forward(rows(1))
    scaled.factor = 3.0
    yield forward(rows(1))


@pytest.mark.parametrize(
    "make",
    [
        layers_in_a_list, a_trainer_of_the_users, a_global_of_a_function_that_it_calls,
        objects_that_are_named_given_and_in_layers, a_tensor_of_the_closure_that_is_another_one,
        an_array_of_the_closure, an_object_that_is_called,
    ],
)  # fmt: skip
def test_a_change_of_a_named_value_is_noticed(make):
    same_as_op_by_op(make)


def test_a_hook_on_a_gradient():
    def make(mark):
        net = nn.Linear(3, 2)

        @mark
        def both(x):
            net(x).sum().backward()
            return net.weight.grad * 1

        yield both(rows(1))
        net.weight.register_hook(lambda grad: grad * 10)
        net.clear_gradients()
        yield both(rows(1))

    same_as_op_by_op(make)


def test_settings_and_state_of_an_optimizer():
    def make(mark):
        net = nn.Linear(3, 2)
        adam = optimizer.Adam(0.1, parameters=net.parameters())

        @mark
        def train(x):
            loss = net(x).square().mean()
            loss.backward()
            adam.step()
            adam.clear_grad()
            return loss

        train(rows(0))
        state = {
            name: each.numpy() if isinstance(each, paddle.Tensor) else each
            for name, each in adam.state_dict().items()
        }
        yield train(rows(1))
        adam.set_state_dict(state)
        yield train(rows(2))
        adam._groups[0]["grad_clip"] = nn.ClipGradByGlobalNorm(0.01)
        yield train(rows(3))
        net.weight.optimize_attr["learning_rate"] = 0.0
        yield train(rows(4))
        yield from net.parameters()

    same_as_op_by_op(make)


def test_a_learning_rate_that_is_requested_within():
    def make(mark):
        net = nn.Linear(3, 2)
        halving = optimizer.lr.ExponentialDecay(0.1, 0.5)
        sgd = optimizer.SGD(halving, parameters=net.parameters())
        scaled = mark(lambda x: net(x) * sgd.get_lr() + halving())
        for number in range(3):
            yield scaled(rows(number))
            halving.step()

    same_as_op_by_op(make)


class Stateful(nn.Layer):
    """Keeps its last input in an attribute, and counts."""

    def __init__(self):
        super().__init__()
        self.linear, self.before, self.count = nn.Linear(3, 3), None, 0

    def forward(self, x):
        y = self.linear(x).mean(0).detach()
        self.count += 1
        self.before = y if self.before is None else self.before + y
        return self.before * self.count


def test_attributes_of_a_layer():
    def make(mark):
        net = mark(Stateful())
        for number in range(4):
            yield net(rows(number))
            yield net.before
            yield net.count

    same_as_op_by_op(make)


def test_variables_and_modes_that_a_function_sets_are_set_on_each_call():
    def make(mark):
        net, calls = nn.Dropout(0.5), 0

        @mark
        def evaluated(x):
            nonlocal calls
            calls = 7
            net.eval()
            return net(x)

        for _ in range(3):
            net.train()
            calls = 0
            yield evaluated(rows(1))
            yield calls + net.training

    same_as_op_by_op(make)


def test_stop_gradient_set_within():
    def make(mark):
        def penalty(x):
            x.stop_gradient = False
            (slope,) = paddle.grad((x**3).sum(), [x], create_graph=True)
            slope.sum().backward()
            return slope.detach()

        penalty = mark(penalty)
        for number in range(2):
            x = rows(number)
            yield penalty(x)
            yield x.grad
            yield x.stop_gradient

    same_as_op_by_op(make)


def test_too_many_programs(caplog):
    factor = 0
    scaled = whole(lambda x: x * factor)
    for factor in range(20):
        assert scaled(paddle.ones([2])).tolist() == [factor, factor]
    assert len(scaled.program_cache) == 16
    times = whole(lambda x, n: x * n)
    with caplog.at_level(logging.WARNING, LOG):
        for number in range(33):
            times(paddle.ones([2]), number)
    assert "has 32 programs; the last one differs in n: 30, 31. Make numbers" in caplog.text


def test_threads():
    net, found = nn.Linear(3, 3), {}
    forward = paddle.jit.to_static(lambda x: F.relu(net(x)).sum())

    def work(number):
        for size in (2, 3, 4):
            found[number, size] = forward(rows(number)[:size]).item()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (number, size), value in found.items():
        assert value == pytest.approx(F.relu(net(rows(number)[:size])).sum().item(), rel=1e-5)
    assert len(found) == 15


def test_a_container_that_it_changes_itself():
    seen, window = [], collections.deque([1.0], maxlen=2)

    @paddle.jit.to_static(full_graph=True)
    def counted(x):
        seen.append(1)
        window.append(2.0)
        return x * len(window)

    assert [counted(paddle.ones([1])).item() for _ in range(3)] == [2.0, 2.0, 2.0]
    assert len(seen) == 1
