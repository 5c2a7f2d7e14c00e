"""from_jax: pure JAX functions as ops on Tensors."""

import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.autograd import from_jax, saved_tensors_hooks
from jaxeager.debug import draw_backward_graph
from tests.support.leaves import leaf, leaf64


@pytest.fixture(params=[True, False], ids=["recompute", "residuals"])
def recompute(request):
    return request.param


def test_a_call_is_one_node_with_the_right_gradients(recompute):
    @from_jax(recompute=recompute)
    def f(x, y):
        return jnp.sin(x) * y + x

    x, y = leaf64([0.5, 1.0]), leaf64([2.0, 3.0])
    out = f(x, y)
    assert out.grad_fn.name() == "GradNodeJax_f"
    assert [node.name() for node in out.grad_fn.next_functions] == ["GradNodeAccumulation"] * 2
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.cos([0.5, 1.0]) * [2.0, 3.0] + 1)
    np.testing.assert_allclose(y.grad.numpy(), np.sin([0.5, 1.0]))


def test_any_function_any_nesting(recompute):
    def f(params, x, *, flags):
        hidden = jnp.tanh(x @ params["w"][0] + params["b"])
        return {"out": hidden @ params["w"][1], "all": (hidden, None, [hidden.sum()])}

    op = from_jax(f, name="mlp", recompute=recompute)
    rng = np.random.default_rng(0)
    arrays = {"w": [rng.normal(size=(3, 4)), rng.normal(size=(4, 2))], "b": np.zeros(4)}
    params = jax.tree.map(leaf64, arrays)
    x = rng.normal(size=(5, 3))
    found = op(params, paddle.to_tensor(x), flags=("a", 1))
    assert found["all"][1] is None
    (found["out"].sum() + found["all"][2][0] * 2).backward()

    def loss(params):
        out = f(params, x, flags=None)
        return out["out"].sum() + out["all"][2][0] * 2

    expected = jax.grad(loss)(jax.tree.map(jnp.asarray, arrays))
    is_tensor = {"is_leaf": lambda t: isinstance(t, paddle.Tensor)}
    for tensor, grad in zip(
        jax.tree.leaves(params, **is_tensor), jax.tree.leaves(expected), strict=True
    ):
        np.testing.assert_allclose(tensor.grad.numpy(), grad)


def test_every_order(recompute):
    op = from_jax(lambda x: x**4 * jnp.exp(x), name="f", recompute=recompute)
    reference = lambda x: x**4 * jnp.exp(x)  # noqa: E731
    x = leaf64(0.7)
    y = op(x)
    for _ in range(4):
        reference = jax.grad(reference)
        (y,) = paddle.grad(y, x, create_graph=True)
        np.testing.assert_allclose(y.item(), reference(0.7))


def test_gradients_of_gradients_by_several_inputs(recompute):
    f = lambda x, y: jnp.sin(x * y)  # noqa: E731
    op = from_jax(f, name="f", recompute=recompute)
    x, y = leaf64(0.3), leaf64(1.7)
    (first,) = paddle.grad(op(x, y) * x, x, create_graph=True)
    found = paddle.grad(first, [x, y])
    g = jax.grad(lambda x, y: f(x, y) * x)
    np.testing.assert_allclose([t.item() for t in found], jax.grad(g, (0, 1))(0.3, 1.7))


def test_as_one_op_among_others(recompute):
    op = from_jax(jnp.sin, recompute=recompute)
    x = leaf64([1.0, 2.0])
    y = op(x * 2) * 3
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * np.cos([2.0, 4.0]))


def test_complex_gradients_are_conjugated(recompute):
    f = lambda z, w: jnp.sin(z) * w  # noqa: E731
    op = from_jax(f, name="f", recompute=recompute)
    z, w, seed = np.array([0.5 + 0.7j]), np.array([0.3 + 2j]), np.array([1.0 - 0.5j])
    tensors = [leaf(z, "complex128"), leaf(w, "complex128")]
    op(*tensors).backward(paddle.to_tensor(seed))
    expected = jax.vjp(f, z, w)[1](jnp.conj(seed))
    for tensor, grad in zip(tensors, expected, strict=True):
        np.testing.assert_allclose(tensor.grad.numpy(), np.conj(grad))
    ours = leaf(z, "complex128")
    (paddle.sin(ours) * paddle.to_tensor(w)).backward(paddle.to_tensor(seed))
    np.testing.assert_allclose(ours.grad.numpy(), tensors[0].grad.numpy())


def test_a_real_input_of_a_complex_function(recompute):
    op = from_jax(lambda x: x * (1 + 2j), name="f", recompute=recompute)
    x = leaf64([3.0])
    op(x).backward(paddle.to_tensor(np.array([1.0 + 1.0j])))
    assert (x.grad.tolist(), x.grad.dtype) == ([3.0], paddle.float64)


def test_integers_have_no_gradient(recompute):
    op = from_jax(lambda x, i: (x[i], i + 1), name="take", recompute=recompute)
    x = leaf64([1.0, 2.0, 3.0])
    i = paddle.to_tensor([2, 2])
    i.stop_gradient = False
    taken, more = op(x, i)
    assert (more.stop_gradient, more.tolist()) == (True, [3, 3])
    assert taken.grad_fn.next_functions[1] is None
    taken.sum().backward()
    assert (x.grad.tolist(), i.grad) == ([0.0, 0.0, 2.0], None)


def test_only_used_outputs_and_wanted_inputs(recompute):
    op = from_jax(lambda x, y: (x * y, x + y, x - y), name="f", recompute=recompute)
    x, y = leaf64(2.0), leaf64(3.0, stop_gradient=True)
    op(x, y)[1].backward()
    assert (x.grad.item(), y.grad) == (1.0, None)


def test_arrays_are_constants():
    op = from_jax(lambda x, y, z: x * y * z, name="f")
    x = leaf64([2.0])
    out = op(x, jnp.array([3.0]), np.array([5.0]))
    out.backward()
    assert x.grad.tolist() == [15.0]
    assert out.grad_fn.next_functions[1:] == [None, None]


def test_nothing_is_recorded_without_a_wanted_gradient():
    op = from_jax(jnp.sin)
    assert op(leaf64(1.0, stop_gradient=True)).grad_fn is None
    with paddle.no_grad():
        assert op(leaf64(1.0)).stop_gradient
    assert op(np.float64(1.0)).stop_gradient


def test_a_second_call_traces_nothing(recompute):
    traces = []

    def f(x, scale):
        traces.append(scale)
        return jnp.sin(x) * scale

    op = from_jax(f, recompute=recompute)
    x = leaf64([1.0, 2.0])

    def run(scale):
        y = op(x, scale)
        (first,) = paddle.grad(y.sum(), x, create_graph=True)
        first.sum().backward()
        op(x, scale).sum().backward()

    run(2.0)
    before = len(traces)
    run(2.0)
    assert len(traces) == before
    run(3.0)
    assert traces[before:] == [3.0] * before


def test_static_arguments_are_distinguished():
    seen = []

    def f(x, value):
        seen.append(repr(value))
        return x * 1

    op = from_jax(f)
    x = leaf64(1.0)
    for value in (1, 1.0, True, 0.0, -0.0, "a", None, (1, 2), [1, 2], {"k": 3}):
        op(x, value)
    assert seen == [
        "1",
        "1.0",
        "True",
        "0.0",
        "-0.0",
        "'a'",
        "None",
        "(1, 2)",
        "[1, 2]",
        "{'k': 3}",
    ]


def test_methods_and_instances():
    class Scaled:
        def __init__(self, by):
            self.by = by

        @from_jax
        def times(self, x):
            return x * self.by

        def __call__(self, x):
            return x + self.by

    x = leaf64(2.0)
    assert Scaled(3.0).times(x).item() == 6.0
    out = from_jax(Scaled(3.0))(x)
    assert (out.item(), out.grad_fn.name()) == (5.0, "GradNodeJax_Scaled")


def test_docstring_and_name_are_kept():
    @from_jax
    def f(x):
        """Doubles."""
        return x * 2

    assert (f.__name__, f.__doc__) == ("f", "Doubles.")


# ---- saved tensors


def test_saved_inputs_are_version_checked(recompute):
    op = from_jax(jnp.sin, recompute=recompute)
    x = leaf64([1.0]) * 1
    y = op(x)
    x.scale_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_released_and_retained(recompute):
    op = from_jax(jnp.sin, recompute=recompute)
    x = leaf64(0.0)
    y = op(x)
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 2.0
    with pytest.raises(SystemError, match="TensorWrappers of GradNodeJax_sin do not exist"):
        y.backward()


def test_hooks_on_saved_tensors(recompute):
    op = from_jax(jnp.sin, recompute=recompute)
    x = leaf64(0.5)
    log = []

    def pack(tensor):
        log.append("pack")
        return tensor.numpy()

    with saved_tensors_hooks(pack, paddle.to_tensor):
        y = op(x)
    (first,) = paddle.grad(y, x, create_graph=True)
    (second,) = paddle.grad(first, x)
    assert log == ["pack"]
    np.testing.assert_allclose([first.item(), second.item()], [np.cos(0.5), -np.sin(0.5)])


def test_hooks_on_gradients(recompute):
    op = from_jax(jnp.sin, recompute=recompute)
    x = leaf64(0.0)
    y = op(x)
    y.register_hook(lambda grad: grad * 10)
    y.backward()
    assert x.grad.item() == 10.0


def test_nothing_is_left(recompute):
    op = from_jax(jnp.sin, recompute=recompute)
    gc.collect()
    gc.disable()
    try:
        x = leaf64([1.0])
        y = op(x)
        references = [weakref.ref(y), weakref.ref(y._array)]
        del y
        assert [reference() for reference in references] == [None, None]
    finally:
        gc.enable()


def test_the_node_is_drawn(tmp_path):
    y = from_jax(lambda a, b: a @ b, name="product")(leaf64([[1.0, 2.0]]), leaf64([[1.0], [2.0]]))
    text = draw_backward_graph(y, tmp_path / "product", "dot")[0].read_text()
    assert "GradNodeJax_product" in text
    assert "float64[1, 2]" in text
    y.backward()
    assert draw_backward_graph(y, tmp_path / "after", "dot")


# ---- errors


def test_no_function():
    with pytest.raises(TypeError, match=r"\(InvalidType\) from_jax takes a function, but got int."):
        from_jax(3)


def test_static_arguments_without_a_hash():
    op = from_jax(lambda x, s: x * 1, name="f")
    with pytest.raises(
        TypeError,
        match=r"f\(\): an argument of type set is not an array, so it is static and must be "
        "hashable. Make it a Tensor, an array or a tuple.",
    ):
        op(leaf64(1.0), {1, 2})


def test_an_error_of_the_function_is_its_own():
    @from_jax
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        f(leaf64(1.0))


def test_a_value_that_is_not_there_yet():
    @from_jax
    def f(x):
        return x if x > 0 else -x

    with pytest.raises(jax.errors.TracerBoolConversionError):
        f(leaf64(1.0))
