"""16-bit floats are added in float32 and rounded once: in rules, rows and public functions."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxeager as paddle
from jaxeager import nn
from jaxeager.autograd import from_jax
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.wide_sums import adds_in_float32
from tests.support import half_sums
from tests.support.often import every

F = nn.functional
HALF = ("bfloat16", "float16")
TERMS = 4096


def tenths(dtype: str, *shape: int) -> jax.Array:
    return jnp.full(shape or (TERMS,), 0.1, dtype)


def total(dtype: str, terms: int = TERMS) -> float:
    """Return the sum of a number of tenths, rounded once."""
    exact = float(tenths(dtype, 1)[0]) * terms
    return float(jnp.asarray(exact, "float64").astype(dtype))


# ---- rules

NOWHERE = np.zeros(TERMS, np.int32)
RULES = {
    "reduce_sum": lambda x: lax.reduce_sum(x, [0]),
    "einsum": lambda x: jnp.einsum("i->", x),
    "cumsum": lambda x: lax.cumsum(x)[-1],
    "scatter": lambda x: jnp.zeros(1, x.dtype).at[NOWHERE].add(x)[0],
    "window": lambda x: lax.reduce_window(
        x, np.zeros((), x.dtype), lax.add, (TERMS,), (1,), "valid"
    )[0],
    "of a broadcast": lambda x: jax.grad(lambda b: jnp.sum((x * 0 + b) * x))(jnp.ones((), x.dtype)),
    "in a function": jax.jit(lambda x: lax.reduce_sum(x, [0])),
    "in a branch": lambda x: lax.cond(x[0] > 0, lambda: lax.reduce_sum(x, [0]), lambda: x[0]),
    "in a loop": lambda x: lax.scan(lambda c, _: (lax.reduce_sum(x, [0]), c), x[0], length=2)[0],
    "in a while": lambda x: lax.fori_loop(0, 2, lambda i, c: lax.reduce_sum(x, [0]), x[0]),
    "with a derivative of its own": lambda x: _summed(x),
}


@jax.custom_jvp
def _summed(x):
    return lax.reduce_sum(x, [0])


@_summed.defjvp
def _summed_jvp(primals, tangents):
    return _summed(*primals), 2 * _summed(*tangents)  # not JAX's own result


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("name", RULES)
def test_rule_adds_in_float32(name, dtype):
    out = jax.jit(adds_in_float32(RULES[name]))(tenths(dtype))
    assert out.dtype == dtype
    assert float(out) == total(dtype)


def test_many_terms_written_out_are_a_sum():
    rule = adds_in_float32(lambda x: sum([x] * 300, start=x))
    assert float(jax.jit(rule)(jnp.ones((), "bfloat16"))) == 300.0  # 301 rounded
    two = jax.make_jaxpr(adds_in_float32(lambda x: x + x))(jnp.ones((), "bfloat16"))
    assert "f32" not in str(two)


def test_all_of_a_rule_that_adds_is_float32():
    def length(x):
        return jnp.sqrt(jnp.sum(x * x))

    assert float(length(jnp.full(TERMS, 300, "float16"))) == np.inf
    assert float(jax.jit(adds_in_float32(length))(jnp.full(TERMS, 300, "float16"))) == 19200


def test_a_custom_derivative_stays():
    rule = adds_in_float32(_summed)
    assert jax.grad(lambda x: rule(x).astype("float32"))(tenths("bfloat16"))[0] == 2


def test_other_dtypes_are_left_alone():
    def rule(x):
        return jnp.cumsum(x) / lax.reduce_sum(x, [0])

    x = jnp.ones(5)
    assert str(jax.make_jaxpr(adds_in_float32(rule))(x)) == str(jax.make_jaxpr(rule)(x))
    calls = []
    jax.make_jaxpr(adds_in_float32(lambda x: calls.append(x) or rule(x)))(x)
    assert len(calls) == 1


def test_result_in_16_bits_of_wider_operands_is_rounded_once():
    rule = adds_in_float32(lambda x: lax.reduce_sum(x.astype("bfloat16"), [0]))
    assert float(jax.jit(rule)(jnp.ones(TERMS))) == TERMS


def test_factors_of_products_stay_narrow():
    def rule(x, y, dout):
        return x @ y, lax.reduce_sum(dout, [0])

    x = jnp.ones((3, 3), "bfloat16")
    text = str(jax.make_jaxpr(adds_in_float32(rule))(x, x, x))
    (product,) = [line for line in text.splitlines() if "dot_general" in line]
    assert product.strip().split(":")[1].startswith("bf16")
    assert "f32[3] = reduce_sum" in text


def test_compared_numbers_are_rounded_to_their_dtype():
    third = jnp.full(3, 1 / 3, "bfloat16")

    def rule(x, out):
        return lax.reduce_sum(jnp.where(jnp.exp(x) == out, x, 0), [0])

    out = jax.jit(adds_in_float32(rule))(third, jnp.exp(third))
    assert float(out) == 1.0


# ---- rows


@pytest.mark.parametrize("name", every(4, ROWS))
def test_no_row_adds_in_16_bits(name):
    for sample in list(half_sums.plain_samples(ROWS[name]))[:1]:
        for part in half_sums.parts_at(ROWS[name], sample):
            assert not half_sums.steps_at(part), part


FEW = ("add", "cumsum", "index_add")


def _check_row(name: str, dtype: str) -> None:
    parts, missing = half_sums.parts_of(ROWS[name])
    assert not missing, f"{name}: no sample has 4,096 terms in {missing}; add one to SAMPLES"
    for part in parts:
        off = half_sums.errors_of(part, dtype)
        assert max(off) <= 2, f"{part} is {off} units in the last place off"


@pytest.mark.parametrize("name", FEW)
def test_row_adds_4096_terms(name):
    assert half_sums.parts_of(ROWS[name])[0]
    _check_row(name, "bfloat16")


@pytest.mark.deep
@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("name", list(ROWS))
def test_every_row_adds_4096_terms(name, dtype):
    _check_row(name, dtype)


def test_untried_rows_add():
    for name in (*half_sums.UNTRIED, *half_sums.SAMPLES):
        assert half_sums.wanted_steps(ROWS[name]), name


# ---- public functions


def _ones(dtype, *shape) -> Any:
    return paddle.ones(shape or (TERMS,), dtype)


def _grad(function, x) -> Any:
    x.stop_gradient = False
    function(x).sum().backward()
    return x.grad


CALLS = {
    "sum": lambda d: paddle.full([TERMS], 0.5, d).sum() * 2,
    "nansum": lambda d: paddle.nansum(_ones(d)),
    "cumsum": lambda d: paddle.cumsum(_ones(d))[-1],
    "einsum": lambda d: paddle.einsum("i->", _ones(d)),
    "dot": lambda d: paddle.dot(_ones(d), _ones(d)),
    "matmul": lambda d: paddle.matmul(_ones(d, 2, TERMS), _ones(d, TERMS, 3)),
    "bmm": lambda d: paddle.bmm(_ones(d, 2, 2, TERMS), _ones(d, 2, TERMS, 3)),
    "tensordot": lambda d: paddle.tensordot(_ones(d, 64, 64), _ones(d, 64, 64), 2),
    "conv2d": lambda d: F.conv2d(_ones(d, 1, 64, 8, 8), _ones(d, 2, 64, 8, 8)),
    "add_n": lambda d: paddle.add_n([_ones(d, 1)] * 256 + [_ones(d, 1) * 3840]),
    "mse_loss": lambda d: F.mse_loss(_ones(d) * 0, _ones(d), reduction="sum"),
    "index_add": lambda d: paddle.index_add(
        paddle.zeros([1], d), paddle.zeros([TERMS], "int64"), 0, _ones(d)
    ),
    "scatter_nd_add": lambda d: paddle.scatter_nd_add(
        paddle.zeros([1], d), paddle.zeros([TERMS, 1], "int64"), _ones(d)
    ),
    "put_along_axis": lambda d: paddle.put_along_axis(
        paddle.zeros([1], d), paddle.zeros([TERMS], "int64"), _ones(d), 0, "add"
    ),
    "index_put": lambda d: paddle.index_put(
        paddle.zeros([1], d), (paddle.zeros([TERMS], "int64"),), _ones(d), accumulate=True
    ),
    "segment_sum": lambda d: paddle.geometric.segment_sum(
        _ones(d, TERMS, 1), paddle.zeros([TERMS], "int32")
    ),
    "bincount": lambda d: paddle.bincount(paddle.zeros([TERMS], "int64"), _ones(d)),
    "norm": lambda d: paddle.linalg.norm(_ones(d) * 64),
    "gradient of a broadcast": lambda d: _grad(lambda b: _ones(d) * 1 + b, _ones(d, 1)),
    "gradient of index_select": lambda d: _grad(
        lambda w: paddle.index_select(w, paddle.zeros([TERMS], "int64")), _ones(d, 1)
    ),
    "gradient of embedding": lambda d: _grad(
        lambda w: F.embedding(paddle.zeros([TERMS], "int64"), w), _ones(d, 1, 1)
    ),
    "gradient of expand": lambda d: _grad(lambda w: w.expand([TERMS]), _ones(d, 1)),
    "gradient of a JAX function": lambda d: _grad(
        lambda b: from_jax(lambda b: jnp.ones(TERMS, d) + b)(b), _ones(d, 1)
    ),
}


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("name", CALLS)
def test_call_adds_4096_terms(name, dtype):
    out = CALLS[name](dtype)
    assert str(out.dtype) == f"paddle.{dtype}"
    assert set(out.astype("float32").numpy().ravel()) == {4096.0}


LAYERS = {
    "linear": (lambda: nn.Linear(3, 2), [16, 256, 3]),
    "conv": (lambda: nn.Conv2D(2, 2, 1), [4, 2, 32, 32]),
    "depthwise": (lambda: nn.Conv2D(2, 2, 1, groups=2), [4, 2, 32, 32]),
    "transposed": (lambda: nn.Conv2DTranspose(2, 2, 1), [4, 2, 32, 32]),
}


def bias_grad(layer: Any) -> np.ndarray:
    return layer.bias.grad.numpy()


def _train(layer, x, dtype: str, loss=lambda y: y * 0.1):
    with paddle.amp.auto_cast(level="O1", dtype=dtype):
        y = layer(x)
    loss(y.astype("float32")).sum().backward()


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("name", LAYERS)
def test_bias_under_autocast(name, dtype):
    make, shape = LAYERS[name]
    layer = make()
    _train(layer, paddle.ones(shape), dtype)
    assert bias_grad(layer) == pytest.approx(409.6, rel=4e-3)


def test_bias_in_marked_and_lazy_programs():
    layer, x = nn.Linear(3, 2), paddle.ones([16, 256, 3])
    marked = paddle.jit.to_static(lambda x: _train(layer, x, "bfloat16"))
    for _ in range(2):
        layer.clear_gradients()
        marked(x)
        assert bias_grad(layer) == pytest.approx(409.6, rel=4e-3)
    for _ in range(2):
        layer.clear_gradients()
        with paddle.lazy():
            _train(layer, x, "bfloat16")
        assert bias_grad(layer) == pytest.approx(409.6, rel=4e-3)


def test_second_order():
    x, b = paddle.ones([TERMS], "bfloat16"), _ones("bfloat16", 1)
    b.stop_gradient = False
    (grad,) = paddle.grad((x * b * b).sum(), [b], create_graph=True)
    assert grad.item() == 2 * TERMS
    grad.backward()
    assert b.grad.item() == 2 * TERMS


def test_saved_program(tmp_path):
    class Summed(nn.Layer):
        def forward(self, x):
            return paddle.cumsum(x)[-1] + paddle.einsum("i->", x)

    spec = [paddle.static.InputSpec([TERMS], "bfloat16")]
    paddle.jit.save(Summed(), str(tmp_path / "summed"), input_spec=spec)
    out = paddle.jit.load(str(tmp_path / "summed"))(_ones("bfloat16"))
    assert float(out) == 2 * TERMS


def test_norm_that_gradients_are_clipped_by():
    w: Any = paddle.create_parameter([TERMS], "float16")
    w.grad = paddle.full([TERMS], 300.0, "float16")
    assert float(nn.utils.clip_grad_norm_([w], 1.0)) == 19200.0
    assert w.grad.astype("float32").numpy() == pytest.approx(1 / 64, rel=2e-3)
