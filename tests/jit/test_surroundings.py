"""What a program depends on beside its arguments: whatever the function reaches by a name."""

import argparse
import collections
import dataclasses
import fractions
import functools
import logging
import threading
import types

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn, optimizer
from jaxeager.jit import surroundings

LOG = "jaxeager.jit"
NUMBER = 2.0


def rows(number: int) -> paddle.Tensor:
    return paddle.to_tensor(np.random.default_rng(number).normal(size=(4, 3)).astype("float32"))


def same_as_op_by_op(make) -> None:
    """Compares the tensors that ``make(mark)`` yields, marked and as it is."""
    found = []
    for mark in (lambda function: function, paddle.jit.to_static):
        paddle.seed(11)
        found.append([np.asarray(each) for each in make(mark)])
    assert len(found[0]) == len(found[1])
    for wanted, got in zip(*found, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6 * max(1, np.abs(wanted).max()))


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
        trainer.calls += 1  # nothing that the step names
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


class Held:
    shift = 1.0

    def __init__(self):
        self.factor, self.before = 2.0, {"a": 1.0}


class OtherwiseHeld(Held):
    shift = 5.0


def what_is_written_between_two_calls(mark):
    """Everything that a watch knows, each changed after calls that found it unchanged."""
    held, numbers, window, names, table = Held(), [1.0], collections.deque([1.0]), {"a"}, {"a": 1.0}
    factors = np.ones(3, "float32")

    def scaled(x, by=2.0, *, plus=0.0):
        return x * by + plus

    def total(x):
        x = scaled(x) * held.factor + held.shift + held.before["a"]
        x = x + (held.later if hasattr(held, "later") else 0.0)
        x = x * len(names) + sum(numbers) + window[0] + (LATER if "LATER" in globals() else 0.0)  # noqa: F821
        return x + paddle.to_tensor(factors) * table["a"]

    def factor_of(place, value):
        place[0] = value

    def change_code():
        scaled.__code__ = (lambda x, by=2.0, *, plus=0.0: x - by + plus).__code__

    changes = [
        lambda: setattr(held, "factor", 3.0),
        lambda: setattr(held, "later", 4.0),
        lambda: held.before.update(a=6.0),
        lambda: setattr(held, "__class__", OtherwiseHeld),
        lambda: setattr(OtherwiseHeld, "shift", 7.0),
        lambda: setattr(held, "__dict__", {"factor": 9.0, "before": {"a": 2.0}}),
        lambda: numbers.append(2.0),
        lambda: factor_of(numbers, 8.0),
        lambda: window.appendleft(3.0),
        lambda: names.add("b"),
        lambda: table.update(a=4.0),
        lambda: table.update(b=4.0),
        lambda: factor_of(factors, 4.0),
        lambda: globals().update(LATER=3.0),
        lambda: globals().pop("LATER"),
        lambda: setattr(scaled, "__defaults__", (5.0,)),
        lambda: scaled.__kwdefaults__.update(plus=2.0),
        lambda: setattr(scaled, "__kwdefaults__", {"plus": 3.0}),
        change_code,
    ]
    OtherwiseHeld.shift = 5.0
    for change in changes:
        marked = mark(total)
        yield marked(rows(1))
        yield marked(rows(2))
        change()
        yield marked(rows(1))
        yield marked(rows(2))


class Activated(nn.Layer):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.activation = F.relu
        self.inner = nn.TransformerEncoderLayer(3, 1, 3, dropout=0.0)

    def forward(self, x):
        x = self.activation(x) * self.scale + self.shifted(x)
        return self.inner(x.unsqueeze(0)).squeeze(0)

    def shifted(self, x):
        return x + 1


@dataclasses.dataclass(slots=True)
class Slotted:
    rate: float = 2.0


def functions_in_the_place_of_others(mark):
    """Variables, attributes and classes that have other functions or objects from then on."""
    global helper
    first = helper
    acts = [F.tanh, lambda x: x * 7, lambda x: x * 8]
    chosen, table, bare = F.relu, {"act": F.relu}, types.SimpleNamespace(rate=1.0)
    rates, slotted, net = types.ModuleType("rates"), Slotted(), mark(Activated())
    rates.__file__, rates.RATE = __file__, 1.0
    Activated.scale, Activated.shifted = 2.0, lambda self, x: x + 1

    def total(x):
        x = x + acts[0](x) + acts[1](x) + acts[2](x)
        return helper(chosen(x) + table["act"](x)) * bare.rate * slotted.rate * rates.RATE + net(x)

    def set_helper():
        global helper
        helper = lambda x: x * 5  # noqa: E731

    def choose(function):
        nonlocal chosen
        chosen = function

    changes = [
        set_helper,
        lambda: choose(F.sigmoid),
        lambda: choose(functools.partial(F.leaky_relu, negative_slope=0.5)),
        lambda: choose(functools.partial(F.leaky_relu, negative_slope=0.25)),
        lambda: choose(lambda x: x * 2),
        lambda: choose(lambda x: x * 3),
        lambda: choose(nn.Tanh()),
        lambda: choose(acts[1]),  # of these another variable knows already
        lambda: choose(acts[2]),
        lambda: table.update(act=F.tanh),
        lambda: setattr(bare, "rate", 2.0),
        lambda: setattr(slotted, "rate", 5.0),
        lambda: setattr(rates, "RATE", 7.0),
        lambda: setattr(net, "activation", F.gelu),
        lambda: setattr(net.inner, "activation", F.sigmoid),
        lambda: setattr(Activated, "scale", 3.0),
        lambda: setattr(Activated, "shifted", lambda self, x: x * 2),
        lambda: setattr(net, "shifted", lambda x: x * 3),
    ]
    try:
        for change in changes:
            both = mark(total)
            yield both(rows(1))
            yield both(rows(2))
            change()
            yield both(rows(1))
            yield net(rows(1))
    finally:
        helper = first


class Attributed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.array, self.tensor = np.array([2.0], "float32"), paddle.to_tensor(2.0)
        self.arguments, self.nested = argparse.Namespace(rate=2.0), {"a": [{"b": 2.0}]}
        self.fraction, self.scalar = fractions.Fraction(2), np.float32(2.0)
        self.tensors, self.linear = [paddle.to_tensor(2.0)], nn.Linear(3, 3)

    def forward(self, x):
        x = x * paddle.to_tensor(self.array) * self.tensor * self.arguments.rate
        x = x * self.nested["a"][0]["b"] * float(self.fraction) * float(self.scalar)
        return x * self.tensors[0] + self.linear(x)


def attributes_of_a_layer(mark):
    net = Attributed()

    def set_item(place, key, value):
        place[key] = value

    changes = [
        lambda: setattr(net, "array", np.array([3.0], "float32")),
        lambda: set_item(net.array, 0, 4.0),
        lambda: setattr(net, "tensor", paddle.to_tensor(3.0)),
        lambda: setattr(net.arguments, "rate", 3.0),
        lambda: setattr(net, "arguments", argparse.Namespace(rate=4.0)),
        lambda: set_item(net.nested["a"][0], "b", 3.0),
        lambda: setattr(net, "fraction", fractions.Fraction(3)),
        lambda: setattr(net, "scalar", np.float32(3.0)),
        lambda: set_item(net.tensors, 0, paddle.to_tensor(3.0)),
    ]
    for change in changes:
        marked = mark(net.forward)
        yield marked(rows(1))
        yield marked(rows(2))
        change()
        yield marked(rows(1))


def test_another_optimizer_in_a_variable():
    def make(mark):
        net = nn.Linear(3, 2)
        chosen = optimizer.SGD(0.1, parameters=net.parameters())

        @mark
        def train(x):
            net(x).sum().backward()
            chosen.step()
            chosen.clear_grad()

        for number in range(4):
            train(rows(number))
            yield net.weight * 1
            chosen = optimizer.Momentum(0.1 * number, parameters=net.parameters())

    same_as_op_by_op(make)


def test_a_call_looks_again_only_when_something_has_changed(monkeypatch):
    looks = []
    look = surroundings.Surroundings._look
    monkeypatch.setattr(
        surroundings.Surroundings, "_look", lambda *given: looks.append(1) or look(*given)
    )
    trainer = Trainer()
    step = paddle.jit.to_static(trainer.step)
    for _ in range(3):
        step(rows(1))
    looks.clear()
    for _ in range(5):
        step(rows(1))
    assert not looks
    trainer.weight = 7.0
    step(rows(1))
    assert looks


@pytest.mark.parametrize(
    "make",
    [
        what_is_written_between_two_calls, functions_in_the_place_of_others, attributes_of_a_layer,
        layers_in_a_list,
        a_trainer_of_the_users, a_global_of_a_function_that_it_calls,
        objects_that_are_named_given_and_in_layers, a_tensor_of_the_closure_that_is_another_one,
        an_array_of_the_closure, an_object_that_is_called,
    ],
)  # fmt: skip
def test_what_changes_is_noticed(make):
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


def test_a_learning_rate_that_is_asked_for_within():
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
    """Keeps what came before in an attribute, and counts."""

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


def test_what_it_sets_is_set_on_each_call():
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
    scaled = paddle.jit.to_static(lambda x: x * factor)
    with caplog.at_level(logging.WARNING, LOG):
        for factor in range(20):
            assert scaled(paddle.ones([2])).tolist() == [factor, factor]
    assert "on 16 calls with like arguments something else was different" in caplog.text
    assert len(scaled.program_cache) == 0
    times = paddle.jit.to_static(lambda x, n: x * n)
    with caplog.at_level(logging.WARNING, LOG):
        for number in range(33):
            times(paddle.ones([2]), number)
    assert "has 32 programs; numbers that change on each call want to be tensors" in caplog.text


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
