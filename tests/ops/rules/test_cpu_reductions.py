"""Extremes with nan, and reductions over long rows: see Note [Reductions on a CPU]."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.rules import cpu_reductions

SHAPES = {  # by name: shape, reduced axes, whether they are the rows of a long array
    "two rows": ((2, 40), 0, True),
    "a multiple of eight": ((16, 33), 0, True),
    "a rest of seven": ((23, 33), 0, True),
    "in the middle": ((3, 9, 33), 1, True),
    "several adjacent axes": ((5, 4, 33), (0, 1), True),
    "axes of one element": ((1, 9, 1, 33), (0, 1, 2), True),
    "elements of several axes": ((9, 5, 7), 0, True),
    "apart": ((3, 20, 33), (0, 2), False),
    "short rows": ((64, 31), 0, False),
    "along the rows": ((9, 64), 1, False),
    "one row": ((1, 90), 0, False),
}
FUNCTIONS = {
    "sum": jnp.sum, "prod": jnp.prod, "max": jnp.max, "min": jnp.min, "any": jnp.any,
    "all": jnp.all,
}  # fmt: skip


@pytest.fixture(autouse=True)
def short(monkeypatch, no_kernel_files):
    """Make rows of 32 elements long, for kernels that are traced in the test."""
    paddle.kernel_memory.free()
    monkeypatch.setattr(cpu_reductions, "LONG_ROW", 32)


def numbers(shape, dtype="float32"):
    """Return numbers whose sums and products have no rounding, with nan."""
    values = np.random.default_rng(0).choice([-2.0, -1.0, 1.0, 2.0], shape)
    if np.issubdtype(np.dtype(dtype), np.floating):
        values.reshape(-1)[::37] = np.nan
    return values.astype(dtype)


def has_loop(function, x):
    """Return whether a function of an array combines rows."""
    return "platform_index" in str(jax.make_jaxpr(function)(x))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
def test_rows_are_combined_as_by_numpy(name, kind, dtype):
    shape, axes, is_long = SHAPES[name]
    x = numbers(shape, dtype)
    rule = cpu_reductions.reduces_on_cpu(lambda x: FUNCTIONS[kind](x, axis=axes))
    found = jax.jit(rule)(x)
    with np.errstate(invalid="ignore"):
        want = getattr(np, kind)(x, axis=axes)
    np.testing.assert_array_equal(found, want)
    assert has_loop(rule, x) == is_long


def test_a_sum_is_as_exact_as_one_of_pairs(monkeypatch):
    monkeypatch.setattr(cpu_reductions, "LONG_ROW", 2**14)
    x = np.random.default_rng(1).random((1000, 20_000), "float32")
    want = x.sum(0, dtype="float64")
    found = paddle.to_tensor(x).sum(0).numpy()
    assert np.abs(found / want - 1).max() < 1e-6


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_are_added_in_float32(dtype):
    """And rounded once, also in the gradient of a broadcast."""
    x = paddle.full([2049, 40], 1.0, dtype)
    assert (
        x.sum(0).astype("float32").numpy().tolist()
        == [2048.0 if dtype == "bfloat16" else 2049.0 // 2 * 2] * 40
    )
    table = paddle.zeros([40], dtype)
    table.stop_gradient = False
    (x + table).sum().backward()
    assert table.grad.astype("float32").numpy().tolist() == [2048.0] * 40


@pytest.mark.parametrize("kind", ["max", "sum", "prod"])
def test_jax_differentiates_the_usual_step(kind):
    """Elements that tie share the gradient of an extreme, as without the loop."""
    x = jnp.asarray(np.random.default_rng(2).integers(0, 3, (20, 40)).astype("float32"))

    def usual(x):
        return FUNCTIONS[kind](x, axis=0)

    rule = cpu_reductions.reduces_on_cpu(usual)
    assert has_loop(rule, x)
    found, want = [jax.grad(lambda x, f=f: (f(x) ** 2).sum()) for f in (rule, usual)]
    np.testing.assert_allclose(found(x), want(x), rtol=1e-6)
    found, want = [jax.grad(lambda x, f=f: f(x).sum()) for f in (found, want)]
    np.testing.assert_allclose(found(x), want(x), rtol=1e-6)


@pytest.mark.parametrize("call", ["sum", "mean", "max", "amax", "min", "std", "logsumexp"])
def test_ops_and_their_gradients(call, monkeypatch):
    values = np.random.default_rng(3).standard_normal((17, 3, 11)).astype("float32")

    def run():
        x = paddle.to_tensor(values, stop_gradient=False)
        out = getattr(paddle, call)(x, 0)
        (out * out).sum().backward()
        return out.numpy(), x.grad.numpy()

    found = run()
    monkeypatch.setattr(cpu_reductions, "LONG_ROW", 2**14)
    paddle.kernel_memory.free()
    for mine, usual in zip(found, run(), strict=True):
        np.testing.assert_allclose(mine, usual, rtol=2e-6, atol=1e-6)


def test_batched_rows():
    x = numbers((4, 9, 40))
    rule = cpu_reductions.reduces_on_cpu(lambda x: jnp.sum(x, axis=0))
    np.testing.assert_array_equal(jax.vmap(rule)(x), x.sum(1))


WITH_NAN = {  # shapes of 4,096 elements and more, whose extremes XLA takes without nan
    "vector": ((5000,), 0),
    "rows": ((64, 100), 1),
    "columns": ((64, 100), 0),
    "apart": ((16, 30, 33), (0, 2)),
    "all": ((8, 30, 33), None),
    "channels": ((4, 8, 20, 20), (0, 2, 3)),
}


@pytest.mark.parametrize("name", WITH_NAN)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["max", "min", "amax", "amin"])
def test_extremes_have_nan(name, dtype, kind, monkeypatch):
    monkeypatch.setattr(cpu_reductions, "LONG_ROW", 2**14)
    shape, axes = WITH_NAN[name]
    values = np.random.default_rng(4).integers(-99, 99, shape).astype("float32")
    for place in (0, values.size // 2, values.size - 1):
        with_nan = values.copy()
        with_nan.reshape(-1)[place] = np.nan
        x = paddle.to_tensor(with_nan).astype(dtype)
        want = getattr(np, kind)(with_nan, axis=axes)
        found = getattr(paddle, kind)(x, list(axes) if isinstance(axes, tuple) else axes)
        np.testing.assert_array_equal(found.astype("float32").numpy(), want)


def test_extremes_in_loops_and_branches_have_nan():
    values = np.ones((4, 5000), "float32")
    values[2, 7] = np.nan

    def rows(x):
        return jax.lax.scan(lambda total, row: (total + 1, row.max()), 0, x)[1]

    def chosen(x):
        return jax.lax.cond(x[0, 0] > 0, lambda x: x.max(1), lambda x: x[:, 0], x)

    for rule in (rows, chosen):
        found = jax.jit(cpu_reductions.reduces_on_cpu(rule))(values)
        np.testing.assert_array_equal(found, [1, 1, np.nan, 1])


def test_the_softmax_of_nan_is_nan():
    values = np.zeros((8, 32, 64, 64), "float32")
    values[1, 2, 3, 4] = np.nan
    found = paddle.nn.functional.softmax(paddle.to_tensor(values), -1).numpy()
    assert np.isnan(found[1, 2, 3]).all()
    assert np.isnan(found).sum() == 64


def test_a_largest_gradient_of_nan_is_found():
    """The norm of order inf is the largest absolute value."""
    weight = paddle.create_parameter([5000], "float32")
    values = np.ones(5000, "float32")
    values[7] = np.nan
    weight.grad = paddle.to_tensor(values)
    assert np.isnan(paddle.nn.utils.clip_grad_norm_([weight], 1.0, float("inf")).item())
    with pytest.raises(RuntimeError, match="non-finite"):
        paddle.nn.utils.clip_grad_norm_([weight], 1.0, float("inf"), error_if_nonfinite=True)
