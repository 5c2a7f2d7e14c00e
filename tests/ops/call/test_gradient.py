"""The VJP of a node, for every kind of saved operand: numbers, packed tensors, written tensors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import PermissionDeniedError
from jaxeager.ops.call import kernels
from jaxeager.ops.register import op
from jaxeager.ops.row import ROWS

A = np.float64([[0.5, -1.5], [2.0, 0.25]])
B = np.float64([[1.5, 0.5], [-0.5, 3.0]])


def norm(paddle, x, y):
    return paddle.nn.functional.layer_norm(x, [2], y[0], None)


def norm_of_arrays(x, y):
    spread = (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5)
    return spread * y[0]


# name: the function in Paddle's names, in JAX's, and how many tensors are packed
SHAPES = {
    "nothing": (lambda p, x, y: x + y, lambda x, y: x + y, 0),
    "an operand": (lambda p, x, y: p.sin(x), lambda x, y: jnp.sin(x), 1),
    "an output": (lambda p, x, y: p.exp(x), lambda x, y: jnp.exp(x), 1),
    "two operands": (lambda p, x, y: x * y, lambda x, y: x * y, 2),
    "scalars": (lambda p, x, y: p.clip(x, 0.0, 1.0), lambda x, y: jnp.clip(x, 0.0, 1.0), 1),
    "two and attributes": (
        lambda p, x, y: p.matmul(x, y, transpose_y=True),
        lambda x, y: x @ y.T,
        2,
    ),
    "a list of operands": (
        lambda p, x, y: p.concat([x, y, x]),
        lambda x, y: jnp.concatenate([x, y, x]),
        0,
    ),
    "a list of outputs": (
        lambda p, x, y: p.split(x, 2)[1],
        lambda x, y: jnp.split(x, 2)[1],
        0,
    ),
    "several outputs": (
        lambda p, x, y: p.topk(x, 1)[0],
        lambda x, y: jax.lax.top_k(x, 1)[0],
        2,
    ),
    "a missing operand": (norm, norm_of_arrays, 5),  # that of y[0] is the fifth
    "a list that is kept": (
        lambda p, x, y: p.linalg.multi_dot([x, y, x]),
        lambda x, y: x @ y @ x,
        3,
    ),
}


def leaves():
    return [paddle.to_tensor(each, stop_gradient=False) for each in (A, B)]


def grads_of(tensors):
    return [np.zeros_like(A) if each.grad is None else each.grad.numpy() for each in tensors]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_is_that_of_jax(shape):
    ours, theirs, _ = SHAPES[shape]
    x, y = leaves()
    out = ours(paddle, x, y)
    seed = np.arange(1.0, out.size + 1).reshape(out.shape)
    out.backward(paddle.to_tensor(seed))
    wanted = jax.grad(lambda x, y: (theirs(x, y) * seed).sum(), (0, 1))(A, B)
    for found, each in zip(grads_of((x, y)), wanted, strict=True):
        np.testing.assert_allclose(found, each, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_packed_tensors_are_unpacked_once_and_give_the_same(shape):
    ours, _, count = SHAPES[shape]
    log = []

    def pack(tensor):
        log.append("packed")
        return len(log), tensor.numpy()

    def unpack(found):
        log.append(found[0])
        return paddle.to_tensor(found[1])

    x, y = leaves()
    ours(paddle, x, y).sum().backward()
    u, v = leaves()
    with paddle.autograd.saved_tensors_hooks(pack, unpack):
        out = ours(paddle, u, v)
    assert len(log) == count
    out.sum().backward()
    assert sorted(log[count:]) == list(range(1, count + 1))
    for found, wanted in zip(grads_of((u, v)), grads_of((x, y)), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("shape", "position", "text"),
    [
        ("an operand", 0, "'x' of sin"),
        ("two operands", 0, "'x' of multiply"),
        ("two operands", 1, "'y' of multiply"),
        ("scalars", 0, "'x' of clip"),
        ("two and attributes", 1, "'y' of matmul"),
        ("a missing operand", 0, "'x' of layer_norm"),
        ("a list that is kept", 1, "of multi_dot"),
    ],
)
def test_a_saved_tensor_that_was_written_is_named(shape, position, text):
    ours, _, _ = SHAPES[shape]
    x, y = leaves()
    written = [x * 1, y * 1]
    out = ours(paddle, *written)
    written[position].add_(paddle.ones([2, 2], "float64"))
    with pytest.raises(PermissionDeniedError, match=text) as caught:
        out.sum().backward()
    assert "Its version is 1 but the expected version is 0" in str(caught.value)
    assert x.grad is None


def test_each_set_of_wanted_gradients_has_its_own_kernel():
    for wanted in ((True, True), (True, False), (False, True)):
        x, y = (
            paddle.to_tensor(each, stop_gradient=not is_wanted)
            for each, is_wanted in zip((A, B), wanted, strict=True)
        )
        (x * y).backward()
        for tensor, other, is_wanted in ((x, B, wanted[0]), (y, A, wanted[1])):
            assert (tensor.grad is not None) is is_wanted
            if is_wanted:
                np.testing.assert_array_equal(tensor.grad.numpy(), other)


# ---- kernels that are not needed


def test_missing_gradients_are_made_inside_the_kernel(monkeypatch):
    """Of three parts one is used: the others' gradients are zeros that no kernel fills."""

    def fill(aval, value):
        raise AssertionError(f"{value} of {aval.shape} was filled")

    monkeypatch.setattr(kernels, "filled", fill)
    x = paddle.to_tensor(np.arange(6.0), stop_gradient=False)
    seed = paddle.to_tensor([1.0, 2.0], dtype="float64")
    first, _, third = paddle.split(x, 3)
    paddle.autograd.backward([first], [seed], retain_graph=True)
    assert x.grad.tolist() == [1, 2, 0, 0, 0, 0]
    paddle.autograd.backward([third], [seed])
    assert x.grad.tolist() == [1, 2, 0, 0, 1, 2]
    a = paddle.to_tensor([[2.0, 0.0], [1.0, 3.0]], stop_gradient=False)
    _, r = paddle.linalg.qr(a)
    paddle.autograd.backward([r], [paddle.ones([2, 2])])
    expected = jax.grad(lambda a: jnp.linalg.qr(a)[1].sum())(a._array)
    np.testing.assert_allclose(a.grad.numpy(), expected, rtol=1e-5)


def test_a_sum_passes_its_gradient_on():
    """An operand of its shape and dtype needs no kernel; a broadcast one is summed."""
    x, y = (paddle.to_tensor(np.ones([2, 3], "float32"), stop_gradient=False) for _ in range(2))
    row = paddle.to_tensor(np.ones([3], "float32"), stop_gradient=False)
    seed = paddle.to_tensor(np.arange(6, dtype="float32").reshape(2, 3))
    paddle.autograd.backward([x + y], [seed])
    assert x.grad._array is y.grad._array
    with paddle.no_grad():
        x.grad.add_(paddle.ones([2, 3]))
    assert y.grad.tolist() == seed.tolist()
    x.clear_grad()
    paddle.autograd.backward([x + row], [seed])
    assert x.grad.tolist() == seed.tolist()
    assert row.grad.tolist() == [3, 5, 7]
    whole = paddle.to_tensor(np.ones([2, 3], "float64"), stop_gradient=False)
    paddle.autograd.backward([x + whole], [seed.astype("float64")])
    assert (x.grad.dtype, whole.grad.dtype) == (paddle.float32, paddle.float64)
    row.stop_gradient = True
    x.clear_grad()
    paddle.autograd.backward([x + row], [seed])
    assert x.grad.tolist() == seed.tolist()


# ---- rules that do not fit their row


@pytest.fixture
def row_of():
    """Return a function that registers a row for this test alone."""
    yield lambda forward, **fields: op("of_this_test", forward, public=None, **fields)
    del ROWS["of_this_test"]


@pytest.mark.parametrize(
    ("rule", "saves", "message"),
    [
        (lambda x, y, dout: (dout * y, dout * x), "x", r"takes y, but the row gives it only x, do"),
        (lambda y, dout: dout * y, "y", "returns one gradient, in no tuple, for 2 diff"),
        (lambda y, dout: (dout, y, y), "y", r"returns 3 gradients for 2 .* operands \(x, y\)"),
    ],
)
def test_a_rule_that_does_not_fit_its_row_is_named(row_of, rule, saves, message):
    out = row_of(lambda x, y: x * y, vjp=rule, saves=saves)(
        paddle.to_tensor(A, stop_gradient=False), paddle.to_tensor(B)
    )
    with pytest.raises(TypeError, match=f"Row of_this_test: its VJP {message}"):
        out.sum().backward()
