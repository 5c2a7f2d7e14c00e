"""A marked function sees everything that has changed between two calls of it."""

import argparse
import collections
import dataclasses
import fractions
import functools
import types

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn, optimizer
from tests.jit.marked import rows, same_as_op_by_op


def helper(x):
    return x * 2


def five_times(x):
    return x * 5


def around(mark, function, changes, *others):
    """Return the results around each change, of a newly marked function and an earlier one."""
    for change in changes:
        marked = mark(function)
        yield marked(rows(1))
        yield marked(rows(2))
        change()
        yield marked(rows(1))
        yield marked(rows(2))
        for each in others:
            yield each(rows(1))


class Held:
    shift = 1.0

    def __init__(self):
        self.factor, self.before = 2.0, {"a": 1.0}


class OtherwiseHeld(Held):
    shift = 5.0


def what_is_written_between_two_calls(mark):
    """Change everything that a watch knows, each after calls that found it unchanged."""
    held, numbers, window, names, table = Held(), [1.0], collections.deque([1.0]), {"a"}, {"a": 1.0}
    factors = np.ones(3, "float32")

    def scaled(x, by=2.0, *, plus=0.0):
        return x * by + plus

    def total(x):
        x = scaled(x) * held.factor + held.shift + held.before["a"]
        x = x + (held.later if hasattr(held, "later") else 0.0)
        x = x * len(names) + sum(numbers) + window[0]
        if "LATER" in globals():
            x = x + LATER  # noqa: F821 - one of the changes makes it
        x = x + paddle.to_tensor(factors) * table["a"]
        return x / 64  # rounding is that of the large accumulated numbers

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
        lambda: numbers.__setitem__(0, 8.0),
        lambda: window.appendleft(3.0),
        lambda: names.add("b"),
        lambda: table.update(a=4.0),
        lambda: table.update(b=4.0),
        lambda: factors.__setitem__(0, 4.0),
        lambda: globals().update(LATER=3.0),
        lambda: globals().pop("LATER"),
        lambda: setattr(scaled, "__defaults__", (5.0,)),
        lambda: scaled.__kwdefaults__.update(plus=2.0),
        lambda: setattr(scaled, "__kwdefaults__", {"plus": 3.0}),
        change_code,
    ]
    OtherwiseHeld.shift = 5.0
    yield from around(mark, total, changes)


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
    """Replace functions or objects in variables, attributes and classes."""
    global helper
    first = helper
    acts = [F.tanh, lambda x: x * 7, lambda x: x * 8]
    chosen, table, bare = F.relu, {"act": F.relu}, types.SimpleNamespace(rate=1.0)
    rates, slotted, net = types.ModuleType("rates"), Slotted(), mark(Activated())
    rates.__file__, rates.RATE = __file__, 1.0
    Activated.scale, Activated.shifted = 2.0, lambda self, x: x + 1

    def total(x):
        x = x + acts[0](x) + acts[1](x) + acts[2](x)
        return helper(chosen(x) + table["act"](x)) * bare.rate * slotted.rate * rates.RATE

    def of_net(x):
        return net(x) * bare.rate

    def set_helper():
        global helper
        helper = five_times

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
        lambda: choose(acts[1]),  # another variable refers to these already
        lambda: choose(acts[2]),
        lambda: table.update(act=F.tanh),
        lambda: setattr(bare, "rate", 2.0),
        lambda: setattr(slotted, "rate", 5.0),
        lambda: setattr(rates, "RATE", 7.0),
    ]
    of_its_layers = [
        lambda: setattr(net, "activation", F.gelu),
        lambda: setattr(net.inner, "activation", F.sigmoid),
        lambda: setattr(Activated, "scale", 3.0),
        lambda: setattr(Activated, "shifted", lambda self, x: x * 2),
        lambda: setattr(net, "shifted", lambda x: x * 3),
    ]
    try:
        yield from around(mark, total, changes)
        yield from around(mark, of_net, of_its_layers, net)
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

    changes = [
        lambda: setattr(net, "array", np.array([3.0], "float32")),
        lambda: net.array.__setitem__(0, 4.0),
        lambda: setattr(net, "tensor", paddle.to_tensor(3.0)),
        lambda: setattr(net.arguments, "rate", 3.0),
        lambda: setattr(net, "arguments", argparse.Namespace(rate=4.0)),
        lambda: net.nested["a"][0].update(b=3.0),
        lambda: setattr(net, "fraction", fractions.Fraction(3)),
        lambda: setattr(net, "scalar", np.float32(3.0)),
        lambda: net.tensors.__setitem__(0, paddle.to_tensor(3.0)),
    ]
    yield from around(mark, net.forward, changes)


@pytest.mark.parametrize(
    "make",
    [what_is_written_between_two_calls, functions_in_the_place_of_others, attributes_of_a_layer],
)
def test_a_change_between_calls_is_noticed(make):
    same_as_op_by_op(make)


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
