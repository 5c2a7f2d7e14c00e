"""Programs with lists, dicts, functions and Layers in branches and loops."""

from __future__ import annotations

import contextlib
import functools

import jaxeager as paddle
from jaxeager import nn
from tests.jit.lowering.programs.table import program

# ---- lists and dicts


@program()
def append_in_branches(x):
    kept = []
    if x.sum() > 0:
        kept.append(x)
    else:
        kept.append(-x)
    return kept[0]


@program()
def dict_in_branches(x):
    kept = {"a": x}
    same = kept
    if x.sum() > 0:
        kept["a"] = x * 2
    else:
        kept["a"] = x * 3
    return same["a"]


@program()
def list_by_for(x):
    kept = []
    for i in range(3):
        if x.sum() > i:
            kept.append(x + i)
        else:
            kept.append(x - i)
    return paddle.concat(kept)


# ---- functions


def _positive(y):
    if y.sum() > 0:
        return y
    return -y


@program()
def calls_a_function(x):
    return _positive(x) * _positive(x - 2)


@program()
def inner_function(x):
    def inner(y, factor=2):
        if y.sum() > 0:
            return y * factor
        return -y

    return inner(x) + inner(x - 3, factor=3)


@program()
def inner_lambda(x):
    pick = lambda y: y if y.sum() > 0 else -y  # noqa: E731
    return pick(x)


@program()
def nonlocal_variable(x):
    total = x

    def double():
        nonlocal total
        if total.sum() > 0:
            total = total * 2

    double()
    double()
    return total


@program()
def nonlocal_called_in_a_branch(x):
    total = x

    def double():
        nonlocal total
        total = total * 2

    if x.sum() > 0:
        double()
    return total


@program()
def recursion(x):
    def down(y, n):
        if n == 0:
            return y
        if y.sum() > 3:
            y = y - 1
        return down(y, n - 1)

    return down(x * 3, 3)


def _decorator(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) + 1

    return wrapper


@_decorator
def _decorated(x):
    if x.sum() > 0:
        return x * 2
    return x


@program()
def decorated_function(x):
    return _decorated(x)


@program()
def partial_function(x):
    return functools.partial(_positive)(x)


@program()
def with_statement(x):
    with contextlib.nullcontext():
        if x.sum() > 0:
            return x * 2
    return -x


@program()
def try_statement(x):
    try:
        if x.sum() > 0:
            return x * 2
    except KeyError:
        return x
    finally:
        x = x + 1
    return -x


@program()
def match_statement(x, kind=1):
    match kind:
        case 1:
            if x.sum() > 0:
                x = x * 2
        case _:
            x = -x
    return x


# ---- Layers


class _Base(nn.Layer):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return -x


class _Gate(_Base):
    def __init__(self):
        super().__init__()
        self.__kept = 1.5
        self.scale = self.create_parameter([1], default_initializer=nn.initializer.Constant(3.0))
        self.seen = None

    def forward(self, x):
        if x.sum() > 0:
            self.seen = super().forward(x) * self.scale
        else:
            self.seen = x * self.__kept
        return self.seen

    def __call__(self, x):
        found = super().__call__(x)
        self.seen = None
        return found


class _Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(_Base(), _Gate(), nn.ReLU())
        self.more = nn.LayerList([_Base(), _Base()])
        self.register_buffer("steps", paddle.zeros([]))

    def forward(self, x):
        x = self.body(x)
        for layer in self.more:
            x = layer(x - 1)
        while x.sum() < 5:
            x = x + 1
        return x

    @paddle.no_grad()
    def unrecorded(self, x):
        if x.sum() > 0:
            return x * 2
        return x


_net = _Net()


@program(saves=False)
def layers(x):
    return _net(x) + _net.unrecorded(x)
