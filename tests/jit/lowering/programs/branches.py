"""Programs with ``if`` and with operators on conditions."""

# ruff: noqa: SIM108, RET504

from __future__ import annotations

import jaxeager as paddle
from tests.jit.lowering.programs.table import program

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
