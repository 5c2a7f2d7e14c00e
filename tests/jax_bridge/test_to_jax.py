"""to_jax: functions on Tensors as pure JAX functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.autograd import PyLayer, from_jax, to_jax
from tests.support.leaves import leaf, leaf64


def mlp(params, x):
    hidden = F.relu(F.linear(x, params["w1"], params["b1"]))
    return F.linear(hidden, params["w2"], params["b2"])


def mlp_loss(params, x, target):
    return F.mse_loss(mlp(params, x), target)


@pytest.fixture(scope="module")
def mlp_arrays():
    rng = np.random.default_rng(0)
    shapes = {"w1": (3, 8), "b1": (8,), "w2": (8, 2), "b2": (2,)}
    params = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return params, rng.normal(size=(5, 3)), rng.normal(size=(5, 2))


@pytest.fixture(scope="module")
def mlp_gradients(mlp_arrays):
    """Return the gradients that backward() computes."""
    arrays, x, target = mlp_arrays
    params = {name: leaf64(array) for name, array in arrays.items()}
    mlp_loss(params, paddle.to_tensor(x), paddle.to_tensor(target)).backward()
    return {name: param.grad.numpy() for name, param in params.items()}


# ---- transformations of JAX


def test_grad_of_a_dict_of_arrays(mlp_arrays, mlp_gradients):
    arrays, x, target = mlp_arrays
    found = jax.grad(to_jax(mlp_loss))(arrays, x, target)
    for name, grad in mlp_gradients.items():
        np.testing.assert_allclose(found[name], grad, rtol=1e-12)


def test_grad_of_a_dict_of_parameters(mlp_arrays, mlp_gradients):
    arrays, x, target = mlp_arrays
    params = {name: paddle.nn.Parameter(paddle.to_tensor(a)) for name, a in arrays.items()}
    found = jax.jit(jax.grad(to_jax(mlp_loss)))(params, x, target)
    for name, grad in mlp_gradients.items():
        np.testing.assert_allclose(found[name].numpy(), grad, rtol=1e-12)
        assert params[name].grad is None


def test_jit_traces_once(mlp_arrays):
    arrays, x, target = mlp_arrays
    traces = []

    def loss(params, x, target):
        traces.append(1)
        return mlp_loss(params, x, target)

    jitted = jax.jit(to_jax(loss))
    first, second = jitted(arrays, x, target), jitted(arrays, x, target)
    assert traces == [1]
    assert isinstance(first, jax.Array)
    expected = mlp_loss(
        {name: paddle.to_tensor(a) for name, a in arrays.items()},
        *map(paddle.to_tensor, (x, target)),
    )
    np.testing.assert_allclose([first, second], [expected.item()] * 2)


def test_vmap_over_a_batch(mlp_arrays):
    arrays, x, _ = mlp_arrays
    pure = to_jax(mlp)
    np.testing.assert_allclose(
        jax.vmap(pure, in_axes=(None, 0))(arrays, x), pure(arrays, x), rtol=1e-12
    )
    per_sample = jax.vmap(jax.grad(to_jax(mlp_loss)), in_axes=(None, 0, 0))(*mlp_arrays)
    assert per_sample["w1"].shape == (5, 3, 8)


def test_jvp_and_hessian():
    pure = to_jax(lambda x: (x * x * x).sum())
    x = jnp.array([1.0, 2.0])
    assert jax.jvp(pure, (x,), (jnp.ones(2),))[1] == 15.0
    np.testing.assert_allclose(jax.jit(jax.hessian(pure))(x), np.diag([6.0, 12.0]))


def test_scan_and_checkpoint():
    cell = to_jax(lambda state, x: (F.tanh(state + x), state * 2))
    final, outs = jax.lax.scan(cell, jnp.zeros(2), jnp.ones((4, 2)))
    assert (final.shape, outs.shape) == ((2,), (4, 2))
    pure = to_jax(lambda x: F.gelu(x).sum())
    x = jnp.linspace(-1, 1, 5)
    np.testing.assert_allclose(jax.grad(jax.checkpoint(pure))(x), jax.grad(pure)(x), rtol=1e-12)


def test_a_layer():
    layer = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 2))
    x = np.ones((2, 3), "float32")
    found = jax.jit(to_jax(layer))(x)
    np.testing.assert_allclose(found, layer(paddle.to_tensor(x)).numpy(), rtol=1e-6)


def test_static_arguments_by_name():
    pure = jax.jit(to_jax(lambda x, axis: x.sum(axis)), static_argnames="axis")
    assert pure(jnp.ones((2, 3)), axis=1).tolist() == [3.0, 3.0]


def test_outputs_in_any_nesting():
    pure = to_jax(lambda x: {"a": (x, None, [x + 1]), "n": 3})
    out = pure(jnp.ones(2))
    assert isinstance(out["a"][0], jax.Array)
    assert (out["a"][1], out["a"][2][0].tolist(), out["n"]) == (None, [2.0, 2.0], 3)


def test_to_jax_is_a_decorator():
    @to_jax
    def f(x):
        """Doubles."""
        return x * 2

    @to_jax(takes_key=True)
    def g(x):
        return x + paddle.rand([2])

    assert (f.__name__, f.__doc__, f(jnp.ones(1)).tolist()) == ("f", "Doubles.", [2.0])
    assert g(jax.random.key(0), jnp.zeros(2)).shape == (2,)


# ---- contents of the function


def test_writing_in_place():
    def f(x):
        y = paddle.zeros([3])
        y[0] = x[1]
        y[1:] = x[:2] * 2
        view = y[2:]
        view.scale_(10.0)
        y.add_(paddle.ones([3]))
        x *= 3
        return y + x

    x = np.float32([1.0, 2.0, 3.0])
    expected = f(paddle.to_tensor(x)).numpy()
    assert expected.tolist() == [6.0, 9.0, 50.0]
    for run in (to_jax(f), jax.jit(to_jax(f))):
        np.testing.assert_allclose(run(x), expected)
    jacobian = jax.jit(jax.jacrev(to_jax(f)))(x)
    assert jacobian.tolist() == [[3.0, 1.0, 0.0], [2.0, 3.0, 0.0], [0.0, 20.0, 3.0]]
    batch = jax.vmap(to_jax(f))(np.stack([x, x]))
    np.testing.assert_allclose(batch, [expected, expected])


def test_arguments_are_not_written():
    x = leaf64([1.0, 2.0])
    out = to_jax(lambda t: t.scale_(2.0))(x)
    assert (out.tolist(), x.tolist(), x.inplace_version) == ([2.0, 4.0], [1.0, 2.0], 0)


def test_writing_into_what_is_not_its_own():
    """The tensor has its old value, and the error states the solution."""
    total = paddle.zeros([3])
    total.name = "total"

    def add(x):
        total.add_(x)
        return total * 2

    with pytest.raises(
        RuntimeError,
        match=r"\(PreconditionNotMet\) add\(\) writes into total of shape \[3\], which it did "
        "not create: values that JAX traces cannot be kept there. Take the tensor as an argument",
    ):
        jax.jit(to_jax(add))(jnp.ones(3))
    assert total.tolist() == [0.0, 0.0, 0.0]
    assert to_jax(add)(jnp.ones(3)).tolist() == [2.0, 2.0, 2.0]  # nothing is traced here
    assert total.tolist() == [1.0, 1.0, 1.0]


def test_running_statistics():
    norm = paddle.nn.BatchNorm1D(2)
    x = np.ones((3, 2), "float32")
    with pytest.raises(RuntimeError, match=r"forward\(\) writes into .* call eval\(\)"):
        jax.jit(to_jax(norm.forward))(x)
    assert norm._mean.tolist() == [0.0, 0.0]
    norm.eval()
    np.testing.assert_allclose(jax.jit(to_jax(norm))(x), norm(paddle.to_tensor(x)).numpy())


def test_writes_before_an_error_are_taken_back():
    total = paddle.zeros([3])

    def fail(x):
        total.set_value(x)
        raise KeyError("mine")

    with pytest.raises(KeyError):
        jax.jit(to_jax(fail))(np.ones(3, "float32"))
    assert total.tolist() == [0.0, 0.0, 0.0]


CUTS = {
    "detach": lambda x: x.detach() * x,
    "data": lambda x: x.data * x,
    "no_grad": lambda x: _square_without_grad(x) * x,
    "stop_gradient": lambda x: _stopped(x * x) * x,
    "detach_": lambda x: (x * x).detach_() * x,
    "to_tensor": lambda x: paddle.to_tensor(x * x) * x,
    "to_tensor, a leaf": lambda x: paddle.to_tensor(x * x, stop_gradient=False) * x,
    "to_tensor, converted": lambda x: paddle.to_tensor(x, "float64").astype("float32") * x,
    "Tensor": lambda x: paddle.Tensor(x * x) * x,
}


def _square_without_grad(x):
    with paddle.no_grad():
        return x * x


def _stopped(x):
    x.stop_gradient = True
    return x


@pytest.mark.parametrize("cut", CUTS)
def test_gradients_stop_in_jax_where_they_stop_here(cut):
    x = leaf64(3.0)
    CUTS[cut](x).backward()
    pure = to_jax(CUTS[cut])
    assert jax.grad(pure)(3.0 * jnp.ones(())) == x.grad.item()
    assert jax.jit(jax.grad(pure))(3.0 * jnp.ones(())) == x.grad.item()


def test_paddle_grad_inside_a_function_that_jax_differentiates():
    """A gradient penalty: paddle.grad inside, JAX outside."""

    def penalty(w, x):
        x.stop_gradient = False
        (grad,) = paddle.grad(F.tanh(x @ w).sum(), x, create_graph=True)
        return ((grad.norm() - 1) ** 2).sum()

    rng = np.random.default_rng(0)
    w, x = rng.normal(size=(3, 2)), rng.normal(size=(4, 3))
    ours = leaf64(w)
    penalty(ours, paddle.to_tensor(x)).backward()
    found = jax.jit(jax.grad(to_jax(penalty)))(w, x)
    np.testing.assert_allclose(found, ours.grad.numpy(), rtol=1e-10)


def test_backward_inside_jit():
    """A whole training step, compiled."""

    def step(params, x, target):
        for param in params.values():
            param.stop_gradient = False
        mlp_loss(params, x, target).backward()
        return {name: param - 0.1 * param.grad for name, param in params.items()}

    rng = np.random.default_rng(0)
    shapes = {"w1": (3, 8), "b1": (8,), "w2": (8, 2), "b2": (2,)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    x, target = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    pure = to_jax(step)
    eager, jitted = pure(arrays, x, target), jax.jit(pure)(arrays, x, target)
    for name in arrays:
        np.testing.assert_allclose(jitted[name], eager[name], rtol=1e-10)


def test_asking_for_a_value_is_jax_own_error():
    for ask in (lambda x: x.numpy(), lambda x: x.item(), lambda x: bool(x > 0), lambda x: float(x)):
        with pytest.raises(jax.errors.JAXTypeError, match=r"traced array|Abstract tracer"):
            jax.jit(to_jax(ask))(jnp.ones(()))


def test_no_function():
    with pytest.raises(TypeError, match=r"\(InvalidType\) to_jax takes a function, but got int."):
        to_jax(3)


# ---- random ops


def test_random_ops_draw_when_traced():
    pure = jax.jit(to_jax(lambda x: x + paddle.rand([3])))
    x = jnp.zeros(3)
    assert pure(x).tolist() == pure(x).tolist()


def test_random_ops_draw_from_a_key():
    def f(x):
        return F.dropout(x, 0.5), paddle.rand([2]), paddle.rand([2]), paddle.normal(shape=[2])

    pure = to_jax(f, takes_key=True)
    jitted, x = jax.jit(pure), jnp.ones(100)
    keys = jax.random.key(1), jax.random.key(2)
    paddle.seed(7)
    state = jax.random.key_data(paddle.get_rng_state()[0])
    a, again, b = jitted(keys[0], x), jitted(keys[0], x), jitted(keys[1], x)
    for first, second, other, eager in zip(a, again, b, pure(keys[0], x), strict=True):
        assert first.tolist() == second.tolist()
        assert first.tolist() != other.tolist()
        np.testing.assert_allclose(first, eager, rtol=1e-6)
    assert a[1].tolist() != a[2].tolist()
    assert (jax.random.key_data(paddle.get_rng_state()[0]) == state).all()
    assert jax.vmap(pure, (0, None))(jax.random.split(keys[0], 4), x)[0].shape == (4, 100)


# ---- PyLayers and JAX ops inside


class Clipped(PyLayer):
    """Rounds, and passes gradients where the input is small, which JAX would not derive."""

    @staticmethod
    def forward(ctx, x, limit, others=()):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return paddle.round(x) + (others[0] if others else 0.0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        passed = grad * (x.abs() <= ctx.limit).astype(grad.dtype)
        return (passed, [grad * 5]) if len(ctx.needs_input_grad) == 2 else passed


def test_a_pylayer_is_differentiated_by_its_backward():
    f = lambda x: (Clipped.apply(x * 2, 3.0) * x).sum()  # noqa: E731
    values = np.array([0.3, 1.2, 2.6])
    x = leaf64(values)
    f(x).backward()
    pure = to_jax(f)
    np.testing.assert_allclose(jax.grad(pure)(values), x.grad.numpy())
    np.testing.assert_allclose(jax.jit(jax.grad(pure))(values), x.grad.numpy())
    batch = jax.vmap(jax.grad(pure))(np.stack([values, values * 2]))
    np.testing.assert_allclose(batch[0], x.grad.numpy())
    np.testing.assert_allclose(pure(values), f(x).item())


def test_a_pylayer_with_a_list():
    f = lambda x, y: Clipped.apply(x, 3.0, others=[y]).sum()  # noqa: E731
    found = jax.grad(to_jax(f), (0, 1))(np.array([1.0, 4.0]), np.array([1.0, 1.0]))
    assert [grad.tolist() for grad in found] == [[1.0, 0.0], [5.0, 5.0]]


def test_a_pylayer_to_second_order():
    class Exp(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.y = paddle.exp(x)
            return ctx.y, "text", [x * 1]

        @staticmethod
        def backward(ctx, grad, others):
            return grad * ctx.y + others[0]

    pure = to_jax(lambda x: Exp.apply(x)[0])
    np.testing.assert_allclose(jax.grad(jax.grad(pure))(1.0 * jnp.ones(())), np.e)


def test_a_pylayer_with_integers_and_unused_outputs():
    class Take(PyLayer):
        @staticmethod
        def forward(ctx, x, index):
            ctx.save_for_backward(index, None, "text")
            ctx.set_materialize_grads(True)
            return x[index], index * 2, x * 3

        @staticmethod
        def backward(ctx, grad, of_index, unused):
            index, nothing, text = ctx.saved_tensor()
            assert (nothing, text) == (None, "text")
            assert unused.tolist is not None
            return paddle.zeros([3], dtype=grad.dtype).scatter_nd_add(index.unsqueeze(1), grad)

    pure = to_jax(lambda x, index: Take.apply(x, index)[0].sum())
    assert jax.grad(pure)(np.ones(3), np.array([2, 2])).tolist() == [0.0, 0.0, 2.0]


def test_a_complex_pylayer():
    class Square(PyLayer):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensor()[0].conj()

    z = np.array(0.5 + 0.7j)
    ours = leaf(z, "complex128")
    Square.apply(ours).backward()
    found = jax.grad(to_jax(Square.apply), holomorphic=True)(z)
    np.testing.assert_allclose(np.conj(found), ours.grad.item())


def test_errors_of_a_pylayer_name_it():
    class P(PyLayer):
        @staticmethod
        def forward(ctx, x, what):
            return x.sum() if what == "shape" else 3

        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(ValueError, match=r"GradNodePyLayer_P's backward .* of shape \[\] at 0"):
        jax.grad(to_jax(lambda x: P.apply(x, "shape")))(np.ones(3))
    with pytest.raises(ValueError, match="P : At least one output"):
        to_jax(lambda x: P.apply(x, ""))(np.ones(3))


def test_from_jax_inside():
    op = from_jax(lambda x: jnp.sin(x) * 2, name="f")
    pure = to_jax(lambda x: (op(x) * x).sum())
    x = np.array([0.5, 1.0])
    np.testing.assert_allclose(
        jax.jit(jax.grad(pure))(x), jax.grad(lambda x: (jnp.sin(x) * 2 * x).sum())(x)
    )
    y = leaf64(x)
    from_jax(pure, name="there_and_back")(y).backward()
    np.testing.assert_allclose(y.grad.numpy(), jax.grad(pure)(x))


# ---- nothing of a trace is left


def test_nothing_of_a_trace_is_left_behind():
    """Ops keep values between calls: after a trace everything still runs."""

    def f(x):
        y = (x + 1.5) * 2 - x / 7 + x**3
        y = F.softmax(F.gelu(y.clip(-1.25, 1.75)), axis=-1).pow(2.5)
        z = paddle.where(y > 0.123, y, y * 0 + 0.321) + paddle.full([3], 4.75) + paddle.arange(3.0)
        w = z.sum() + z.mean() + F.layer_norm(z.unsqueeze(0), [3]).std() + F.dropout(z, 0.5).max()
        out = paddle.zeros([5])
        out[1:4] = z
        out[0] = 9.25
        return out * w + F.one_hot(paddle.to_tensor(2), 5) + paddle.linspace(0, 1, 5)

    x = np.float32([0.1, 0.2, 0.3])
    with jax.checking_leaks():
        jax.jit(to_jax(f))(x)
        jax.jit(jax.grad(to_jax(lambda x: f(x).sum())))(x)
    t = paddle.to_tensor(x, stop_gradient=False)
    f(t).sum().backward()
    assert np.isfinite(t.grad.numpy()).all()
