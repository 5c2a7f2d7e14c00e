"""Small programs with ``if`` and ``while`` on tensors, each with its inputs.

Each has the same meaning op by op, as one program (``full_graph``), and saved and loaded.
"""

# ruff: noqa: SIM108, RET504

from __future__ import annotations

import contextlib
import functools

import jaxeager as paddle
from jaxeager import nn

PROGRAMS: dict = {}


def program(*inputs, saves=True):
    """Add a program; each input is a list of numbers, or a tuple of such lists."""

    def add(function):
        PROGRAMS[function.__name__] = function, inputs or ([1.0, 2.0], [-1.0, -3.0]), saves
        return function

    return add


# ---- if


@program()
def if_else(x):
    if x.mean() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


@program()
def if_alone(x):
    y = x
    if x.mean() > 0:
        y = x * 2
    return y


@program([5.0, 2.0], [1.0, 2.0], [-1.0, -2.0])
def elif_chain(x):
    if x.sum() > 5:
        y = x * 3
    elif x.sum() > 0:
        y = x * 2
    else:
        y = x
    return y


@program([5.0, 2.0], [1.0, 2.0], [-1.0, -2.0], [-5.0, 3.0])
def nested(x):
    if x.sum() > 0:
        y = x + 1
        if x.max() > 3:
            y = y * 10
        else:
            y = y * 20
    else:
        if x.min() < -3:
            y = -x
        else:
            y = x * x
    return y * 2


@program()
def early_return(x):
    if x.mean() > 0:
        return x * 2
    return x - 1


@program([5.0, 2.0], [1.0, 2.0], [-1.0, -2.0])
def early_returns(x):
    if x.mean() > 0:
        if x.sum() > 5:
            return x
        x = x + 1
    return x - 1


@program([5.0, 2.0], [1.0, 2.0], [-1.0, -2.0])
def guards(x):
    if x.sum() > 5:
        return x * 5
    y = x + 1
    if x.sum() < 0:
        return y * 3
    y = y * y
    return y


@program()
def set_before_in_one_branch(x):
    scale = 1
    if x.sum() > 0:
        scale = 3
    return x * scale


@program()
def numbers_of_branches(x):
    if x.sum() > 0:
        k, offset = 1, 0.5
    else:
        k, offset = 2, 1.5
    return x * k + offset


@program()
def a_variable_of_one_branch(x):
    if x.sum() > 0:
        half = x / 2
        x = half + 1
    return x


@program()
def temporaries_of_other_shapes(x):
    if x.sum() > 0:
        t = paddle.concat([x, x])
        y = t[:2] * 2
    else:
        t = x.sum()
        y = x + t
    return y


@program()
def none_before(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    else:
        found = -x
    return found


@program()
def same_object_in_both(x):
    name = "a"
    if x.sum() > 0:
        x = x * 2
        name = "b"
    else:
        name = "b"
    return x if name == "b" else x * 0


@program()
def tuple_swap(x):
    a, b = x, x * 10
    if x.sum() > 0:
        a, b = b, a
    return a - b


@program()
def returns_a_tuple(x):
    if x.sum() > 0:
        return x, x * 2
    return -x, x + 1


@program(saves=False)
def returns_a_dict(x):
    if x.sum() > 0:
        return {"a": x, "b": (x * 2,)}
    return {"a": -x, "b": (x * 3,)}


@program()
def del_in_branch(x):
    if x.sum() > 0:
        y = x * 2
        x = y + 1
        del y
    return x


@program()
def one_element(x):
    flag = x.sum().reshape([1, 1])
    if flag:
        x = x + 1
    return x


@program(([1.0, 2.0], [3.0, 4.0]), ([1.0, -2.0], [-3.0, 4.0]))
def two_inputs(x, y):
    if x.sum() > y.sum():
        x, y = y, x
    if y.min() < 0:
        y = y.abs()
    return x * y


@program()
def python_condition(x, mode="double", factor=2):
    if mode == "double":
        if x.sum() > 0:
            return x * factor
        return x / factor
    raise ValueError(mode)


@program()
def a_mask_and_where(x):
    y = x * 1
    y[y < 0] = 0.5
    y = y.masked_fill(y > 1.5, 9.0)
    if y.max() > 8:
        y = paddle.where(y > 8, x, y)
    return y


@program()
def written_in_place(x):
    y = x * 1
    other = y
    if x.sum() > 0:
        y[0] = 5.0
        y.add_(paddle.ones([2]))
    else:
        y[1] = x[0] * 3
    return y + other


@program()
def written_argument(x):
    y = x + 0
    if x.sum() > 0:
        y.multiply_(x)
    return y


# ---- operators


@program([1.0, 2.0], [-1.0, 9.0], [-4.0, -5.0], [0.5, 0.5])
def operators(x):
    if (x.sum() > 0 and x.max() < 5) or not x.min() > -3:
        x = x + 1
    return x


@program([1.0, 2.0], [3.0, 9.0], [-4.0, -5.0])
def chained(x):
    if 0 < x.sum() < 5:
        x = x * 2
    if 0 < x.sum() != 6 <= 20:
        x = x + 1
    return x


@program()
def ternary(x):
    return (x if x.sum() > 0 else -x) * (2 if x.max() > 1 else 3)


@program()
def nested_ternary(x):
    return x + 1 if x.sum() > 2 else (x * 2 if x.sum() > 0 else -x)


@program()
def operands_as_values(x):
    y = x.sum() and x.max()
    z = x.min() or x.sum()
    return y + z


@program([0.0, 0.0], [1.0, 2.0])
def operands_as_zeros(x):
    return (x.sum() and x.max() * 3) + (x.sum() or x.max() + 7)


@program()
def short_circuit_of_python(x, bias=None):
    if bias is not None and bias.sum() > 0:
        x = x + bias
    if bias is None or bias.sum() > 0:
        x = x * 2
    return x


@program()
def bool_and_int(x):
    if bool(x.sum() > 0):
        x = x * 2
    total = x
    for step in range(int(x.abs().sum())):
        total = total + step
    return total


@program()
def all_any(x):
    if (x > 0).all():
        return x * 2
    if not (x < -1).any():
        return x
    return -x


# ---- while


@program()
def while_value(x):
    while x.sum() < 10:
        x = x + 2
    return x


@program()
def while_count(x):
    i = 0
    while x.sum() < 10:
        x = x * 1 + 2
        i += 1
    return x * i


@program()
def while_break(x):
    i = 0
    while x.sum() < 10:
        x = x + 2
        i += 1
        if x.max() > 4:
            break
        x = x + 0.5
    return x + i


@program()
def while_continue(x):
    i = 0
    while x.sum() < 10:
        i += 1
        x = x + 1
        if x.max() > 4:
            continue
        x = x + 1
    return x + i


@program()
def while_true(x):
    while True:
        x = x + 3
        if x.max() > 4:
            break
    return x


@program()
def while_true_return(x):
    while True:
        x = x + 3
        if x.max() > 4:
            return x


@program([20.0, 1.0], [1.0, 2.0], [1.0, 1.0])
def while_else(x):
    while x.sum() < 10:
        x = x + 3
        if x.sum() > 8.5:
            break
    else:
        x = x * 2
    return x


@program([1.0, 2.0], [11.0, 20.0], [-9.0, 0.0])
def while_return(x):
    while x.sum() < 10:
        x = x + 3
        if x.max() > 4:
            return x * 100
    return x


@program([1.0, 2.0], [30.0, 1.0])
def while_in_if(x):
    if x.sum() < 20:
        n = 0
        while x.sum() < 20:
            x = x + 1
            n = n + 1
        y = x * n
    else:
        y = x
    return y


@program()
def if_in_while(x):
    even = paddle.zeros([])
    i = 0
    while i < 5 and x.max() < 100:
        if i % 2 == 0:
            even = even + i
        else:
            x = x * 2
        i = i + 1
    return x + even


@program()
def while_in_while(x):
    i = 0
    total = paddle.zeros([])
    while i < x.abs().max():
        j = 0
        while j < i + x.abs().sum():
            if j > 4:
                break
            total = total + i * j
            j += 1
        i += 1
    return total


@program()
def temporaries_in_a_loop(x):
    while x.sum() < 10:
        y = x + 1
        x = y + 1
    return x


@program()
def temporaries_of_another_shape(x):
    t = x
    while x.sum() < 10:
        t = paddle.concat([x, x])
        x = x + t.mean().abs() + 1
    return x


@program()
def python_number_that_stays(x):
    scale, name = 2, "n"
    while x.sum() < 10:
        scale = 2
        x = x + scale
        name = "n"
    return x * scale if name == "n" else x


@program()
def float_number(x):
    total = 0.0
    while x.sum() < 10:
        total += 0.5
        x = x + 1
    return x + total


@program()
def number_becomes_a_tensor(x):
    total = 0
    i = 0
    while i < x.abs().sum():
        total = total + x.sum()
        i += 1
    return x * total


@program()
def loop_in_place(x):
    out = paddle.zeros([8])
    alias = out
    i = paddle.to_tensor(0)
    while i < 3:
        out[i] = x.sum() + i
        i = i + 1
    return out + alias


@program()
def attributes_of_a_tuple(x):
    state = (x, x * 0)
    while state[0].sum() < 10:
        state = (state[0] + 1, state[1] + state[0])
    return state[1]


@program()
def list_of_state(x):
    state = [x, x * 0]
    while state[0].sum() < 10:
        state[1] = state[1] + state[0]
        state[0] = state[0] + 1
    return state[1]


@program()
def new_list_of_state(x):
    state = [x, x * 0]
    while state[0].sum() < 10:
        a, b = state
        state = [a + 1, a + b]
    return state[0] * state[1]


@program()
def walrus(x):
    while (total := x.sum()) < 10:
        x = x + total.abs() + 1
    if (largest := x.max()) > 12:
        x = x - largest
    return x


# ---- for


@program()
def for_range_of_a_tensor(x):
    n = x.astype("int64").abs().sum() + 2
    total = x
    for i in range(n):
        total = total + i
    return total


@program([1.0, 7.0], [2.0, 3.0], [9.0, 2.0])
def for_range_with_steps(x):
    start, stop = x.astype("int64")[0], x.astype("int64")[1]
    total = x * 0
    for i in range(stop, start, -2):
        total = total + i
    for i in range(start, 8, 3):
        total = total - i * 10
    return total


@program()
def for_break(x):
    for i in range(4):
        x = x + i
        if x.sum() > 5:
            break
    return x


@program()
def for_continue_and_else(x):
    for i in range(4):
        if x.sum() > i:
            continue
        x = x + 1
        if x.sum() > 1:
            break
    else:
        x = x * 100
    return x


@program()
def for_return(x):
    for scale in (2, 3.0, 4):
        if (x * scale).sum() > 7:
            return x * scale
    return -x


@program()
def for_rows(x):
    total = paddle.zeros([])
    for place, row in enumerate(x):
        if row > 0:
            total = total + row * place
        else:
            total = total - row
    return total


@program()
def for_range_of_a_tensor_with_break(x):
    n = x.astype("int64").abs().sum() + 2
    for i in range(n):
        x = x + i
        if x.sum() > 6:
            break
    return x


@program()
def comprehension(x):
    return sum([row if row > 0 else -row for row in x])


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
