"""incubate's Jacobian and Hessian of functions, against jax."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.incubate.autograd import Hessian, Jacobian

X, Y = np.float64([[0.3, -0.7], [1.1, 0.4]]), np.float64([[1.0], [2.0]])


def f(x, y):
    """Return two outputs, of Tensors or of arrays."""
    return x * x * y, (x @ y) * 2.0


def flat_jacobian(function, *xs):
    """Return jax's Jacobian of all outputs by all inputs, flattened."""
    shapes = [x.shape for x in xs]
    cuts = np.cumsum([x.size for x in xs])[:-1]

    def run(joined):
        parts = [p.reshape(s) for p, s in zip(jnp.split(joined, cuts), shapes, strict=True)]
        return jnp.concatenate([out.reshape(-1) for out in function(*parts)])

    return jax.jacobian(run)(jnp.concatenate([x.reshape(-1) for x in xs]))


def test_jacobian_joins_inputs_and_outputs():
    matrix = Jacobian(f, [paddle.to_tensor(X), paddle.to_tensor(Y)])
    assert matrix.shape == (6, 6)
    assert repr(matrix) == "Jacobian(shape=(6, 6), 0 of 6 rows)"
    wanted = flat_jacobian(f, X, Y)
    np.testing.assert_allclose(matrix[5].numpy(), wanted[5], rtol=1e-12)
    assert repr(matrix) == "Jacobian(shape=(6, 6), 1 of 6 rows)"
    np.testing.assert_allclose(matrix[:].numpy(), wanted, rtol=1e-12)
    np.testing.assert_allclose(matrix[1:3, -1].numpy(), wanted[1:3, -1], rtol=1e-12)


def test_batched_jacobian_and_hessian():
    x = np.linspace(0.1, 1.2, 12).reshape(3, 2, 2)
    matrix = Jacobian(lambda x: (x.exp(), x.sum([1, 2])), paddle.to_tensor(x), is_batched=True)
    assert matrix.shape == (3, 5, 4)
    for sample in range(3):
        wanted = flat_jacobian(lambda x: (jnp.exp(x), x.sum()), x[sample])
        np.testing.assert_allclose(matrix[sample].numpy(), wanted, rtol=1e-12)
    second = Hessian(lambda x: (x**3).sum([1, 2]), paddle.to_tensor(x), is_batched=True)
    assert second.shape == (3, 4, 4)
    wanted = np.stack([np.diag(6 * sample.reshape(-1)) for sample in x])
    np.testing.assert_allclose(second[:].numpy(), wanted, rtol=1e-12)
    np.testing.assert_allclose(second[:, 0, :].numpy(), wanted[:, 0], rtol=1e-12)


def test_hessian_of_several_inputs_and_its_gradient():
    x, y = paddle.to_tensor(X, stop_gradient=False), paddle.to_tensor(Y)
    matrix = Hessian(lambda x, y: (x * x * x * y).sum(), [x, y])
    assert matrix.shape == (6, 6)
    assert repr(matrix) == "Hessian(shape=(6, 6), 0 of 6 rows)"
    np.testing.assert_allclose(np.diag(matrix[:].numpy())[:4], (6 * X * Y).reshape(-1))
    np.testing.assert_allclose(matrix[:].numpy(), matrix[:].numpy().T)
    matrix[:4, :4].sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * np.broadcast_to(Y, (2, 2)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: Hessian(lambda x: x * x, x), RuntimeError, r"it returned shapes \[\[2, 2\]\]"),
        (lambda x: Jacobian(lambda x: 1.0, x), TypeError, "but it returned float"),
        (
            lambda x: Jacobian(lambda x: x.sum(), x, is_batched=True),
            ValueError,
            r"must have axis 0 in common, but their shapes are \[\[2, 2\], \[\]\]",
        ),
        (lambda x: Jacobian(lambda x: x * x, x)[[0, 1]], TypeError, r"received \[0, 1\]; for any"),
        (
            lambda x: Jacobian(lambda x: x * x, x)[4],
            IndexError,
            "index 4 is out of bounds for axis 0",
        ),
        (
            lambda x: Jacobian(lambda x: x, 2.0),
            TypeError,
            "Expected 'xs' is a Tensor.*but got float",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(paddle.to_tensor(X))
