"""Jacobians of transforms against jax.jacfwd, and densities against change of variables."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.distribution import variable

D = paddle.distribution


def t(value):
    """Return a float64 tensor."""
    return paddle.to_tensor(value, dtype="float64")


TWO, HALF = t(2.0), t(0.5)
EVENTS = {
    "affine": D.IndependentTransform(D.AffineTransform(HALF, t([2.0, -1.5, 0.5])), 1),
    "scalar affine": D.IndependentTransform(D.AffineTransform(HALF, TWO), 1),
    "power": D.IndependentTransform(D.PowerTransform(t(1.7)), 1),
    "sigmoid": D.IndependentTransform(D.SigmoidTransform(), 1),
    "chain": D.ChainTransform(
        [
            D.AffineTransform(HALF, TWO),
            D.TanhTransform(),
            D.IndependentTransform(D.ExpTransform(), 1),
        ]
    ),
    "stack": D.IndependentTransform(
        D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.AffineTransform(HALF, TWO)], -1), 1
    ),
    "reshape": D.ChainTransform([D.ReshapeTransform((3,), (3, 1)), D.ExpTransform()]),
}


def as_function(method, shape):
    """Return a method of a transform as a function of flat jax arrays."""

    def function(x):
        tensor = paddle.to_tensor(x).reshape(list(shape))
        return jnp.ravel(method(tensor).numpy())

    return function


def numeric_jacobian(function, x):
    """Return the Jacobian by central differences."""
    steps = 1e-6 * np.eye(len(x))
    columns = [(function(x + step) - function(x - step)) / 2e-6 for step in steps]
    return np.stack(columns, -1)


@pytest.mark.parametrize("name", EVENTS)
def test_log_determinants_are_those_of_the_jacobian(name):
    transform, x = EVENTS[name], np.array([0.3, 0.9, 0.4])
    matrix = numeric_jacobian(as_function(transform.forward, (3,)), x)
    found = transform.forward_log_det_jacobian(t(x))
    assert found.shape == []
    assert float(found) == pytest.approx(np.linalg.slogdet(matrix)[1], rel=1e-6)
    y = transform.forward(t(x))
    np.testing.assert_allclose(transform.inverse(y).numpy(), x, rtol=1e-9)
    assert float(transform.inverse_log_det_jacobian(y)) == pytest.approx(-float(found))


def test_stick_breaking_is_differentiated_by_jax():
    """Its Jacobian is that of all parts but the last."""
    transform, x = D.StickBreakingTransform(), np.array([0.3, -1.2, 0.8])

    def parts(x):
        z = jax.nn.sigmoid(x - jnp.log(jnp.arange(3.0, 0.0, -1.0)))
        return z * jnp.concatenate([jnp.ones(1), jnp.cumprod(1 - z)[:-1]])

    y = transform.forward(t(x))
    np.testing.assert_allclose(y.numpy()[:-1], parts(x), rtol=1e-12)
    assert float(y.sum()) == pytest.approx(1.0)
    expected = np.linalg.slogdet(jax.jacfwd(parts)(x))[1]
    assert float(transform.forward_log_det_jacobian(t(x))) == pytest.approx(expected)
    np.testing.assert_allclose(transform.inverse(y).numpy(), x, rtol=1e-10)
    np.testing.assert_allclose(transform.forward(t(np.zeros(3))).numpy(), 0.25)


def test_transformed_densities_change_variables_as_jax_does():
    base = D.Independent(D.Normal(t([0.1, -0.2, 0.3]), t([1.0, 2.0, 0.5])), 1)
    made = D.TransformedDistribution(base, [D.TanhTransform(), D.AffineTransform(HALF, TWO)])
    y = np.array([0.7, -0.9, 1.6])

    def back(y):
        return jnp.arctanh((y - 0.5) / 2)

    jacobian = np.linalg.slogdet(jax.jacfwd(back)(y))[1]
    expected = float(base.log_prob(paddle.to_tensor(np.asarray(back(y))))) + jacobian
    assert made.event_shape == (3,)
    assert float(made.log_prob(t(y))) == pytest.approx(expected)


def test_each_element_of_a_larger_batch_has_its_own_draws():
    paddle.seed(3)
    base = D.Normal(t([[0.0], [5.0]]), t([[1.0], [1.0]]))
    made = D.TransformedDistribution(base, [D.AffineTransform(t([0.0, 10.0, 20.0]), t(1.0))])
    drawn = made.sample([400]).numpy()
    assert drawn.shape == (400, 2, 3)
    np.testing.assert_allclose(drawn.mean(0), [[0, 10, 20], [5, 15, 25]], atol=0.3)
    matrix = np.corrcoef(drawn.reshape(400, 6).T)
    assert np.abs(matrix - np.eye(6)).max() < 0.2


def test_gradients_reach_the_parameters_of_base_and_transform():
    loc = paddle.to_tensor(0.5, stop_gradient=False)
    scale = paddle.to_tensor(2.0, stop_gradient=False)
    made = D.TransformedDistribution(
        D.Normal(loc, paddle.ones([])), [D.AffineTransform(paddle.zeros([]), scale)]
    )
    made.rsample([5]).mean().backward()
    assert float(loc.grad) == pytest.approx(2.0)
    (grad,) = paddle.grad(made.log_prob(paddle.to_tensor(3.0)), [scale])
    assert float(grad) == pytest.approx((1.5 - 0.5) * 1.5 / 2 - 1 / 2)


def test_kinds_say_what_is_allowed():
    kinds = [
        (D.ExpTransform()._codomain, [True, True, False]),
        (D.TanhTransform()._codomain, [True, False, True]),
        (D.SigmoidTransform()._codomain, [True, False, False]),
        (D.ExpTransform()._domain, [True, True, True]),
    ]
    for kind, expected in kinds:
        assert kind.constraint(paddle.to_tensor([0.5, 3.0, -0.5])).tolist() == expected
        assert not kind.is_discrete
    rows = paddle.to_tensor([[0.5, 0.5], [0.5, 0.6]])
    assert D.SoftmaxTransform()._codomain.constraint(rows).tolist() == [True, False]
    both = variable.Independent(variable.positive, 1)
    assert both.constraint(paddle.to_tensor([[1.0, 2.0], [1.0, -2.0]])).tolist() == [True, False]
    assert both.event_rank == 1
    assert D.ChainTransform([])._domain.event_rank == D.ChainTransform([])._codomain.event_rank == 0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: D.Transform().forward(TWO), "Transform has no _forward"),
        (lambda: D.Transform().inverse(TWO), "Transform has no _inverse"),
        (lambda: D.Transform().forward_log_det_jacobian(TWO), "one of them is needed"),
        (lambda: D.Transform().inverse_log_det_jacobian(TWO), "one of them is needed"),
        (lambda: D.AbsTransform().forward_log_det_jacobian(TWO), "several values to one"),
        (lambda: D.ReshapeTransform((2,), (3,)), "but got 2!=3"),
        (lambda: D.StackTransform([D.ExpTransform()]).forward(t([1.0, 2.0])), "it is 2, not 1"),
    ],
)
def test_errors_say_what_was_wrong(call, text):
    with pytest.raises(paddle.errors.JaxEagerError, match=text):
        call()
