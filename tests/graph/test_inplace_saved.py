"""FLAGS_inplace_saved: a saved tensor that was written later is an error, or used as saved."""

import contextlib
import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, PermissionDeniedError

SOME, MANY = range(40), range(40, 300)
X = np.linspace(-0.9, 1.1, 4)

# An op of one or two tensors, its twin in place, and the function it computes.
ONE = {
    "tanh": (paddle.tanh, lambda t: t.tanh_(), jnp.tanh),
    "sin": (paddle.sin, lambda t: t.sin_(), jnp.sin),
    "exp": (lambda t: paddle.exp(t * 0.5), None, lambda v: jnp.exp(v * 0.5)),
    "square": (paddle.square, None, jnp.square),
    "scale": (lambda t: t * 1.5 + 0.25, lambda t: t.scale_(1.5, 0.25), lambda v: v * 1.5 + 0.25),
}
TWO = {
    "multiply": (paddle.multiply, lambda t, u: t.multiply_(u), jnp.multiply),
    "add": (paddle.add, lambda t, u: t.add_(u), jnp.add),
    "atan2": (paddle.atan2, None, jnp.arctan2),
}


@contextlib.contextmanager
def inplace_saved(mode):
    """Set the flag to a value for a block."""
    paddle.set_flags({"FLAGS_inplace_saved": mode})
    try:
        yield
    finally:
        paddle.set_flags({"FLAGS_inplace_saved": "error"})


def drawn(number):
    """Return the steps of one random program: (op, in place, first and second operand)."""
    rng = random.Random(number)
    names = [*ONE, *TWO]
    return [
        (rng.choice(names), rng.random() < 0.5, rng.randrange(99), rng.randrange(99))
        for _ in range(rng.randint(4, 9))
    ]


def on_tensors(steps, x):
    """Run a program; the first of its tensors is not a leaf, so that it may be written."""
    tensors = [x * 1.0, x * 2.0]
    for name, is_inplace, first, second in steps:
        t, u = tensors[first % len(tensors)], tensors[second % len(tensors)]
        made, inplace, _ = ONE.get(name) or TWO[name]
        if is_inplace and inplace is not None and (name in ONE or t is not u):
            inplace(*((t,) if name in ONE else (t, u)))
        else:
            tensors.append(made(*((t,) if name in ONE else (t, u))))
    return sum((t.sum() for t in tensors), paddle.zeros([], "float64"))


def on_values(steps, x):
    """Run the functional program: a write gives a name another value."""
    values = [x * 1.0, x * 2.0]
    for name, is_inplace, first, second in steps:
        i, j = first % len(values), second % len(values)
        _, inplace, compute = ONE.get(name) or TWO[name]
        made = compute(*((values[i],) if name in ONE else (values[i], values[j])))
        if is_inplace and inplace is not None and (name in ONE or i != j):
            values[i] = made
        else:
            values.append(made)
    return sum(v.sum() for v in values)


def gradient(steps):
    x = paddle.to_tensor(X, stop_gradient=False)
    on_tensors(steps, x).backward()
    return x.grad.numpy()


@pytest.mark.parametrize("numbers", [SOME, pytest.param(MANY, marks=pytest.mark.deep)])
def test_every_program_has_the_gradient_of_the_functional_one(numbers):
    """When the value is the saved one, nothing is refused, and nothing is wrong."""
    refused = 0
    for number in numbers:
        steps = drawn(number)
        expected = jax.grad(lambda x, steps=steps: on_values(steps, x))(jnp.asarray(X))
        with inplace_saved("snapshot"):
            np.testing.assert_allclose(gradient(steps), expected, rtol=1e-9, err_msg=str(number))
        try:
            np.testing.assert_allclose(gradient(steps), expected, rtol=1e-9, err_msg=str(number))
        except PermissionDeniedError:
            refused += 1
    assert refused > len(numbers) // 4, "the programs hardly write over what is saved"


def test_gradients_of_gradients_take_the_saved_value():
    def second(mode):
        with inplace_saved(mode):
            x = paddle.to_tensor([0.5, 2.0], dtype="float64", stop_gradient=False)
            y = x * 1.0
            z = y * y * y
            y.fill_(100.0)
            (first,) = paddle.grad(z.sum(), x, create_graph=True)
            (found,) = paddle.grad(first.sum(), x)
        return found.tolist()

    assert second("snapshot") == [3.0, 12.0]  # 6 x
    with pytest.raises(PermissionDeniedError, match="modified by an inplace operation"):
        second("error")


def test_a_write_through_a_view_and_a_context_of_a_pylayer():
    class Cube(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, dy):
            (x,) = ctx.saved_tensor()
            return 3 * x * x * dy

    with inplace_saved("snapshot"):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        y = x * 1.0
        z = Cube.apply(y) + paddle.exp(y)
        y[0] = 50.0
        z.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * np.array([1, 4]) + np.exp([1, 2]), rtol=1e-6)


def test_the_flag_takes_two_words():
    with pytest.raises(InvalidArgumentError, match="'error' or 'snapshot', but received 'copy'"):
        paddle.set_flags({"FLAGS_inplace_saved": "copy"})
    assert paddle.get_flags("FLAGS_inplace_saved") == {"FLAGS_inplace_saved": "error"}
