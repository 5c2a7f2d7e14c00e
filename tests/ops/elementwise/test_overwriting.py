"""Writes of values without history: the old values have no influence, so their gradient is 0."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support.leaves import leaf
from tests.support.often import every
from tests.support.views import grad_of, made

TWINS = [row for row in ROWS.values() if row.inplace]
OTHER = np.float32([7.0, 8.0, 9.0])

# Writes of three elements that do not use the old value, and are not a row's own twin.
WRITES = {
    "set_value": lambda y: y.set_value(OTHER),
    "set_value of a tensor": lambda y: y.set_value(paddle.to_tensor(OTHER)),
    "copy_": lambda y: y.copy_(paddle.to_tensor(OTHER)),
    "copy_ of a leaf": lambda y: y.copy_(leaf(OTHER)),
    "assign a tensor": lambda y: paddle.assign(paddle.to_tensor(OTHER), output=y),
    "assign an array": lambda y: paddle.assign(OTHER, output=y),
    "out": lambda y: paddle.add(paddle.to_tensor(OTHER), paddle.to_tensor(OTHER), out=y),
    "out without gradient": lambda y: paddle.floor(paddle.to_tensor(OTHER), out=y),
    "div_ rounded down": lambda y: y.divide_(leaf([1.0, 2.0, 3.0]), rounding_mode="floor"),
    "div_ rounded": lambda y: y.divide_(paddle.full([3], 2.0), rounding_mode="trunc"),
    "x[:] = 5": lambda y: y.__setitem__(slice(None), 5.0),
    "x[...] = tensor": lambda y: y.__setitem__(..., paddle.to_tensor(OTHER)),
    "x[mask] = 5": lambda y: y.__setitem__(paddle.ones([3], "bool"), 5.0),
    "fill_": lambda y: y.fill_(2.0),
    "masked_fill_": lambda y: y.masked_fill_(paddle.ones([3], "bool"), 2.0),
    "masked_scatter_": lambda y: y.masked_scatter_(
        paddle.ones([3], "bool"), paddle.to_tensor(OTHER)
    ),
    "index_fill_": lambda y: y.index_fill_(paddle.to_tensor([0, 1, 2]), 0, 2.0),
    "put_along_axis_": lambda y: y.put_along_axis_(
        paddle.to_tensor([0, 1, 2]), paddle.to_tensor(OTHER), 0
    ),
    "where_": lambda y: paddle.where_(paddle.zeros([3], "bool"), y, paddle.to_tensor(OTHER)),
    "uniform_": lambda y: y.uniform_(),
    "normal_": lambda y: y.normal_(),
    "log_normal_": lambda y: y.log_normal_(),
    "exponential_": lambda y: y.exponential_(),
    "cauchy_": lambda y: y.cauchy_(),
    "geometric_": lambda y: y.geometric_(0.5),
    "bernoulli_": lambda y: y.bernoulli_(0.5),
    "random_": lambda y: y.random_(0, 5),
}


def _operand(value):
    if isinstance(value, list):
        return [_operand(each) for each in value]
    return paddle.to_tensor(value) if isinstance(value, np.ndarray) else value


def _gradient(compute, arrays, attrs):
    """Return the value, and the gradient of the first operand."""
    x = paddle.to_tensor(arrays[0], stop_gradient=False)
    out = compute(paddle.assign(x), *map(_operand, arrays[1:]), **attrs)
    if not out.stop_gradient:
        seed = np.linspace(0.5, 1.5, out.size).reshape(out.shape)
        out.backward(paddle.to_tensor(seed.astype(out.numpy().dtype)))
    gradient = None if x.grad is None else x.grad.numpy()
    return out.numpy(), np.zeros_like(arrays[0]) if gradient is None else gradient


def _floats(row):
    """Return a sample whose first operand may be float32 and whose result fits into it."""
    for sample in row.samples():
        inputs = [
            a.astype("float32") if isinstance(a, np.ndarray) and a.dtype == "float64" else a
            for a in sample.inputs
        ]
        first = inputs[0]
        if isinstance(first, np.ndarray) and first.size > 1 and first.dtype == "float32":
            return inputs, sample.attrs
    return None


@pytest.mark.parametrize("row", every(2, TWINS), ids=lambda row: row.name)
def test_the_gradient_is_that_of_the_function(row):
    """An op in place has the value, and the gradient upstream, of its function."""
    found = _floats(row)
    if found is None:
        first = next(row.samples()).inputs[0]
        assert first.dtype.kind in "bi"
        assert row.vjp is NONDIFF
        inputs, attrs = [first, *next(row.samples()).inputs[1:]], next(row.samples()).attrs
    else:
        inputs, attrs = found
    value, gradient = _gradient(row.inplace_function, inputs, attrs)
    expected, wanted = _gradient(row.function, inputs, attrs)
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6)


INDEX = np.array([2, 0])
COMPOSITES = {
    "clamp": lambda f, y: f(y, 1.5, 2.5),
    "frac": lambda f, y: f(y),
    "hypot": lambda f, y: f(y, paddle.full([3], 4.0)),
    "index_fill": lambda f, y: f(y, paddle.to_tensor(INDEX), 0, 5.0),
    "ldexp": lambda f, y: f(y, paddle.to_tensor([1, 2, 3])),
    "masked_scatter": lambda f, y: f(
        y, paddle.to_tensor([True, False, True]), paddle.full([3], 4.0)
    ),
    "multigammaln": lambda f, y: f(y, 2),
    "nan_to_num": lambda f, y: f(y),
    "scatter_add": lambda f, y: f(y, 0, paddle.to_tensor(INDEX), paddle.full([2], 4.0)),
    "t": lambda f, y: f(y),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_the_gradient_of_a_composite_is_that_of_its_function(name):
    found = []
    for each in (name, f"{name}_"):
        x, y = made([1.1, 2.2, 3.3])
        out = COMPOSITES[name](getattr(paddle.Tensor, each), y)
        (out * out).sum().backward()
        found.append((out.tolist(), grad_of(x)))
    assert found[0] == found[1]


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_nothing_of_the_old_value_is_left(write):
    x, y = made([1.0, 2.0, 3.0])
    write(y)
    assert not y.stop_gradient
    (y * 3.0).sum().backward()
    assert grad_of(x) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_a_write_through_a_view_is_one_of_its_elements(write):
    x, y = made([1.0, 2.0, 3.0, 4.0])
    other = y[2:]
    write(y[:3])
    (y.sum() + other.sum()).backward()
    assert grad_of(x) == [0.0, 0.0, 0.0, 4.0]


def test_views_follow_a_base_that_is_written():
    x, y = made([1.0, 2.0, 3.0])
    v = y[1:]
    y.set_value(OTHER)
    v.sum().backward()
    assert v.tolist() == [8.0, 9.0]
    assert grad_of(x) == [0.0, 0.0, 0.0]


def test_a_result_computed_before_the_write_keeps_its_gradient():
    x, y = made([1.0, 2.0, 3.0])
    square = y * y
    y.set_value(OTHER)
    (square + y).sum().backward()
    assert grad_of(x) == [8.0, 16.0, 24.0]


def test_a_leaf_stays_a_leaf_and_so_do_its_views():
    x = leaf([1.0, 2.0, 3.0])
    v = x[1:]
    x.set_value(OTHER)
    v.set_value(np.float32([5.0, 6.0]))
    x[:1].copy_(paddle.to_tensor([4.0]))
    assert x.tolist() == [4.0, 5.0, 6.0]
    assert x.is_leaf
    (v * 2.0).sum().backward()
    assert grad_of(x) == [0.0, 2.0, 2.0]


@pytest.mark.parametrize("write", ["set_value", "floor_divide_"])
def test_a_write_outside_the_graph_leaves_the_history(write):
    """Under no_grad, through detach() and by data= the history stays."""
    x, y = made([1.0, 2.0, 3.0])
    value = OTHER if write == "set_value" else paddle.to_tensor(OTHER)
    with paddle.no_grad():
        getattr(y, write)(value)
    getattr(y.detach(), write)(value)
    y.data = paddle.to_tensor(OTHER)
    y.sum().backward()
    assert grad_of(x) == [2.0, 2.0, 2.0]


def test_a_constant_stays_a_constant():
    y = paddle.zeros([3])
    y.set_value(leaf(OTHER))
    y.copy_(leaf(OTHER))
    assert y.stop_gradient
    assert y.grad_fn is None


def test_a_state_that_is_set_in_a_loop_keeps_no_chain():
    _x, y = made([1.0, 2.0, 3.0])
    before = y.grad_fn
    for step in range(5):
        y.set_value(OTHER * step)
    assert y.grad_fn.name() == "OverwriteGradNode"
    assert y.grad_fn.next_functions[0].name() == before.name()


def test_comparisons_in_place_make_bools_and_the_gradient_keeps_its_dtype():
    x, y = made([1.0, 2.0, 3.0])
    y.less_than_(paddle.full([3], 5.0))
    assert y.dtype == paddle.bool
    (y.cast("float32") * 3.0).sum().backward()
    assert x.grad.dtype == paddle.float32
    assert grad_of(x) == [0.0, 0.0, 0.0]


def test_increment_is_a_sum():
    x, y = made([3.0])
    paddle.increment(y, 2.0)
    (y * y).sum().backward()
    assert grad_of(x) == [32.0]


def test_second_derivatives():
    x = leaf([1.0, 2.0, 3.0])
    y = x * x
    y.floor_divide_(2.0)
    (first,) = paddle.grad((y * x).sum(), [x], create_graph=True)
    assert first.tolist() == y.tolist()
    (second,) = paddle.grad(first.sum(), [x], allow_unused=True)
    assert second is None or second.tolist() == [0.0, 0.0, 0.0]
