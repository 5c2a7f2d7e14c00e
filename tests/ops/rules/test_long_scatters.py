"""Scattered sums of more terms than float32 counts: see Note [Long scatters]."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.ops.rules import long_scatters

COUNT = long_scatters.COUNTED + 64  # ones: their sum is a float32


def scattered(x, places, terms):
    return x.at[places].add(terms)


def into(dtype):
    return jnp.zeros(1, dtype), jnp.zeros(8, int), jnp.ones(8, dtype)


@pytest.mark.parametrize(
    ("dtype", "wide"),
    [("float32", "f64"), ("complex64", "c128"), ("float64", "f64"), ("int32", "i32")],
)
def test_the_wider_dtype_of_a_kind_adds(monkeypatch, dtype, wide):
    monkeypatch.setattr(long_scatters, "COUNTED", 8)
    rule = long_scatters.scatters_in_float64(scattered)
    assert f":{wide}[1] = scatter-add" in str(jax.make_jaxpr(rule)(*into(dtype)))
    out = rule(*into(dtype))
    assert out.dtype == dtype
    assert out.tolist() == [8]


def test_a_short_sum_stays_as_it_is(monkeypatch):
    rule = long_scatters.scatters_in_float64(scattered)
    plain = str(jax.make_jaxpr(scattered)(*into("float32")))
    assert str(jax.make_jaxpr(rule)(*into("float32"))) == plain
    monkeypatch.setattr(long_scatters, "COUNTED", 8)
    rows = jnp.zeros((2, 8), "float32"), jnp.zeros(4, int), jnp.ones((4, 8), "float32")
    assert "f64" not in str(jax.make_jaxpr(rule)(*rows))  # 32 numbers, but 4 at each place


def test_a_cpu_stops_at_the_count():
    """It is the reason for the rule, which can go when XLA adds such sums in another way."""
    x, n = jnp.zeros(1, "float32"), COUNT
    assert float(jax.jit(scattered)(x, jnp.zeros(n, int), jnp.ones(n, "float32"))[0]) < n


def gradient_of(function, *shape):
    x = paddle.ones(shape)
    x.stop_gradient = False
    function(x).sum().backward()
    return x.grad


def zeros():
    return paddle.zeros([1])


FAMILY = {
    "index_add": lambda at, ones: paddle.index_add(zeros(), at, 0, ones),
    "scatter": lambda at, ones: paddle.scatter(zeros(), at, ones, overwrite=False),
    "scatter_nd_add": lambda at, ones: paddle.scatter_nd_add(zeros(), at.unsqueeze(1), ones),
    "scatter_nd": lambda at, ones: paddle.scatter_nd(at.unsqueeze(1), ones, [1]),
    "put_along_axis": lambda at, ones: paddle.put_along_axis(zeros(), at, ones, 0, reduce="add"),
    "index_put": lambda at, ones: paddle.index_put(zeros(), (at,), ones, accumulate=True),
    "bincount": lambda at, ones: paddle.bincount(at, weights=ones),
    "histogram": lambda at, ones: paddle.histogram(ones, 1, 0, 2, weight=ones),
    "segment_sum": lambda at, ones: paddle.geometric.segment_sum(ones, at),
    "segment_mean": lambda at, ones: paddle.geometric.segment_mean(ones, at) * COUNT,
    "gather's gradient": lambda at, _: gradient_of(lambda x: paddle.gather(x, at), 1),
    "gather_nd's": lambda at, _: gradient_of(lambda x: paddle.gather_nd(x, at.unsqueeze(1)), 1),
    "indexing's": lambda at, _: gradient_of(lambda x: x[at], 1),
    "index_select's": lambda at, _: gradient_of(lambda x: paddle.index_select(x, at), 1),
    "take_along_axis's": lambda at, _: gradient_of(
        lambda x: paddle.take_along_axis(x, at, 0, broadcast=False), 1
    ),
    "embedding's": lambda at, _: gradient_of(lambda x: F.embedding(at, x), 1, 1),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", FAMILY)
def test_a_float32_sum_of_more_ones_than_it_counts(name):
    out = FAMILY[name](paddle.zeros([COUNT], "int64"), paddle.ones([COUNT]))
    assert out.dtype == paddle.float32
    np.testing.assert_array_equal(out.numpy().ravel(), [COUNT])
