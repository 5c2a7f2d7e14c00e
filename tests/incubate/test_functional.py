"""vjp and jvp of functions: against jax, to higher orders, through every kind of node."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.incubate.autograd import jvp, vjp

F = paddle.nn.functional


def tensor(values):
    """Return a float64 tensor that stops gradients, as users pass it."""
    return paddle.to_tensor(np.float64(values))


X, V = np.float64([[0.3, -0.7], [1.1, 0.4]]), np.float64([[1.0, 0.5], [-0.25, 2.0]])

# name, the function on Tensors, the same one on arrays
FUNCTIONS = [
    ("arithmetic", lambda x: x * x / (x + 3) - 2 * x, lambda x: x * x / (x + 3) - 2 * x),
    ("matmul", lambda x: paddle.matmul(x, x.t()).exp(), lambda x: jnp.exp(x @ x.T)),
    ("softmax", lambda x: F.softmax(x) * x, lambda x: jax.nn.softmax(x) * x),
    ("reduction", lambda x: x.sum(0) * x.max(), lambda x: x.sum(0) * x.max()),
    ("pieces", lambda x: paddle.concat(x.split(2), 1)[0] ** 2,
     lambda x: jnp.concatenate(jnp.split(x, 2), 1)[0] ** 2),
    ("list", lambda x: paddle.stack(x.unbind(1)) * x, lambda x: x.T * x),
    ("gather", lambda x: x[[1, 0, 1]].sin(), lambda x: jnp.sin(x[jnp.array([1, 0, 1])])),
    ("norm", lambda x: F.layer_norm(x, 2),
     lambda x: (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5)),
    ("scan", lambda x: x.cumsum(0).prod(1), lambda x: jnp.cumsum(x, 0).prod(1)),
    ("several", lambda x: (x.exp(), x.sum(), paddle.ones([2], "float64")),
     lambda x: (jnp.exp(x), x.sum(), jnp.ones(2))),
]  # fmt: skip
OVER = pytest.mark.parametrize(
    ("ours", "theirs"), [f[1:] for f in FUNCTIONS], ids=[f[0] for f in FUNCTIONS]
)


def values(result):
    """Return the arrays of a Tensor or several."""
    return jax.tree.map(np.asarray, [each.numpy() for each in result] if isinstance(
        result, tuple) else [result.numpy()])  # fmt: skip


@OVER
def test_jvp_equals_jax(ours, theirs):
    found = jvp(ours, tensor(X), tensor(V))
    wanted_of_both = jax.jit(lambda x, v: jax.jvp(theirs, (x,), (v,)))(X, V)
    for got, wanted in zip(found, wanted_of_both, strict=True):
        for a, b in zip(values(got), jax.tree.leaves(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@OVER
def test_vjp_equals_jax(ours, theirs):
    @jax.jit
    def both(x):
        ys, pull = jax.vjp(theirs, x)
        return ys, *pull(jax.tree.map(jnp.ones_like, ys))

    ys, wanted = both(X)
    got, grad = vjp(ours, tensor(X))
    for a, b in zip(values(got), jax.tree.leaves(ys), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    np.testing.assert_allclose(grad.numpy(), wanted, rtol=1e-10, atol=1e-12)


def test_jvp_of_jvp_and_grad_of_jvp():
    def f(x):
        return (x.sin() * x.exp()).sum()

    def g(x):
        return (jnp.sin(x) * jnp.exp(x)).sum()

    ours = jvp(lambda x: jvp(f, x, tensor(V))[1], tensor(X), tensor(V * 2))[1]
    theirs = jax.jvp(lambda x: jax.jvp(g, (x,), (V,))[1], (X,), (V * 2,))[1]
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12)
    x = paddle.to_tensor(X, stop_gradient=False)
    jvp(f, x, tensor(V))[1].backward()
    wanted = jax.grad(lambda x: jax.jvp(g, (x,), (V,))[1])(X)
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-12)


def test_jvp_is_forward_mode_and_runs_no_backward(monkeypatch):
    from jaxeager.graph import engine

    def refuse(*args, **kwargs):
        raise AssertionError("a backward was run")

    monkeypatch.setattr(engine.Run, "drain", refuse)
    _, change = jvp(lambda x: (x * x).exp().tanh().sum(), tensor(X), tensor(V))
    e = np.exp(X * X)
    np.testing.assert_allclose(change.item(), (2 * X * V * e / np.cosh(e) ** 2).sum(), rtol=1e-10)


def test_kinks_are_decided_as_in_backward():
    zero = tensor([0.0, 1.0, 1.0])
    for f in (F.relu, paddle.abs, lambda x: paddle.maximum(x, tensor([0.0, 1.0, 2.0]))):
        _, forward = jvp(f, zero)
        _, backward = vjp(f, zero)
        np.testing.assert_array_equal(forward.numpy(), backward.numpy())


def test_writes_in_place_and_views_inside_the_function():
    def f(x):
        y = x * 1.0
        y[0] = y[1] * 3.0
        y.multiply_(x)
        y[:, 1].exp_()
        return y

    def g(x):
        y = x.at[0].set(x[1] * 3.0) * x
        return y.at[:, 1].set(jnp.exp(y[:, 1]))

    _, change = jvp(f, tensor(X), tensor(V))
    np.testing.assert_allclose(change.numpy(), jax.jvp(g, (X,), (V,))[1], rtol=1e-12)


def test_dropout_and_norms_run_once():
    norm = paddle.nn.BatchNorm1D(2)
    runs = []

    def f(x):
        runs.append(1)
        return F.dropout(norm(x), 0.5) * x

    x = paddle.to_tensor(X.astype("float32"))
    y, change = jvp(f, x)
    assert len(runs) == 1
    assert y.shape == change.shape == [2, 2]


class Cube(paddle.autograd.PyLayer):
    """A PyLayer whose backward multiplies the derivative by ten."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * x * x * y, x + y

    @staticmethod
    def backward(ctx, first, second):
        x, y = ctx.saved_tensor()
        return 30 * x * x * y * first + second, x * x * x * first + second


def test_a_pylayer_is_derived_by_its_own_backward():
    x, y = tensor([1.0, 2.0]), tensor([3.0, 4.0])
    _, (first, second) = jvp(lambda x, y: Cube.apply(x * 2, y), [x, y], [x, y])
    a, b = x.numpy(), y.numpy()
    np.testing.assert_allclose(first.numpy(), 30 * (2 * a) ** 2 * b * 2 * a + (2 * a) ** 3 * b)
    np.testing.assert_allclose(second.numpy(), 2 * a + b)


def test_tensors_from_outside_the_function_get_gradients():
    layer = paddle.nn.Linear(2, 2)
    x, v = paddle.to_tensor(X.astype("float32")), paddle.to_tensor(V.astype("float32"))
    _, change = jvp(lambda x: layer(x).tanh(), x, v)
    change.sum().backward()

    def g(weight, bias):
        return jax.jvp(lambda x: jnp.tanh(x @ weight + bias), (x._array,), (v._array,))[1].sum()

    wanted = jax.grad(g, (0, 1))(layer.weight._array, layer.bias._array)
    for parameter, grad in zip(layer.parameters(), wanted, strict=True):
        np.testing.assert_allclose(parameter.grad.numpy(), grad, rtol=1e-4, atol=1e-6)


def test_arguments_that_depend_on_each_other_outside_count_as_independent():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    h = x * 3
    for product in (vjp, jvp):
        _, result = product(lambda x, h: x * h, [x, h], None)
        found = [each.tolist() for each in result] if isinstance(result, tuple) else result.tolist()
        assert found == ([[6.0], [2.0]] if product is vjp else [8.0])
    assert x.grad is None


@pytest.mark.parametrize("mode", [paddle.no_grad, paddle.inference_mode])
@pytest.mark.parametrize("product", [vjp, jvp])
def test_without_recording_they_are_right_and_stop_gradients(product, mode):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with mode():
        y, result = product(lambda x: (x * x * x).sum(), x)
        ys, _ = product(lambda x: [x * x], x)
        assert not paddle.is_grad_enabled()
    assert type(ys) is list
    assert y.stop_gradient
    assert ys[0].stop_gradient
    assert result.stop_gradient
    assert result.sum().item() == 15.0


def test_complex_functions_follow_paddles_convention():
    z, v = np.complex128([1 + 2j, -0.5 + 1j]), np.complex128([0.5 - 1j, 2 + 0.25j])
    _, change = jvp(lambda z: z * z.exp(), paddle.to_tensor(z), paddle.to_tensor(v))
    np.testing.assert_allclose(change.numpy(), (1 + z) * np.exp(z) * v, rtol=1e-12)
    _, size = jvp(lambda z: z.abs(), paddle.to_tensor(z), paddle.to_tensor(v))
    np.testing.assert_allclose(size.numpy(), (np.conj(z) * v).real / abs(z), rtol=1e-12)


@pytest.mark.parametrize("product", [vjp, jvp])
@pytest.mark.parametrize(
    ("func", "xs", "v", "error", "message"),
    [
        (3, [1.0], None, TypeError, "Expected 'fun' is Callable, but got <class 'int'>"),
        (abs, "x", None, TypeError, "Expected 'xs' is a Tensor or a list.*but got str"),
        (abs, [[1.0], 2], None, TypeError, r"Expected 'xs' is.*but got \[Tensor, int\]"),
        (abs, [], None, TypeError, r"Expected 'xs' is.*but got \[\]"),
        (abs, [[1.0]], "v", TypeError, "Expected 'v' is.*but got str"),
        (abs, [[1.0]], [[1.0], None], TypeError, r"Expected 'v' is.*but got \[Tensor, NoneType\]"),
        (abs, [[1.0]], [[1.0], [1.0]], RuntimeError, "invalid length: should be 1 but got 2"),
        (
            abs,
            [[1.0]],
            [[1.0, 2.0]],
            RuntimeError,
            r"v\[0\] has invalid shape: should be \[1\] but",
        ),
        (lambda x: 3, [[1.0]], None, TypeError, "must return a Tensor or a list.*returned int"),
        (lambda x: (x, 3), [[1.0]], None, TypeError, r"it returned \[Tensor, int\]"),
    ],
)
def test_errors(product, func, xs, v, error, message):
    def made(given):
        if not isinstance(given, list):
            return given
        return [tensor(each) if isinstance(each, list) else each for each in given]

    with pytest.raises(error, match=message):
        product(func, made(xs), made(v))
    assert paddle.is_grad_enabled()


def test_a_node_that_was_released_says_so():
    x = paddle.to_tensor([1.0], stop_gradient=False)

    def f(x):
        y = x * x
        y.backward()
        return y

    with pytest.raises(SystemError, match="backward twice for the same subgraph"):
        jvp(f, x)
