"""Programs with ``while`` and ``for``."""

# ruff: noqa: SIM108

from __future__ import annotations

import jaxeager as paddle
from tests.jit.lowering.programs.table import program

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
