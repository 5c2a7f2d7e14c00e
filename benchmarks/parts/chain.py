"""A chain of 50 multiplications and a sum, forward and backward, node by node."""

import jax
import jax.numpy as jnp

import jaxeager as paddle

from .programs import LENGTH, paddle_chain
from .timing import Row, block_of, compare, interleave

CHAINS = 4  # 2 ms, see forward.py


def _raw_chain(x, factor, wanted: int = 1):
    """Make the same calls by hand: 51 jitted forward calls, then 51 jitted VJP calls.

    The VJP calls take the operands of a MultiplyGradNode's kernel: both factors and the gradient.
    When two gradients are required, those of the factor are accumulated call by call.
    """
    multiply = jax.jit(jnp.multiply)
    total = jax.jit(jnp.sum)
    multiply_vjp = jax.jit(lambda x, factor, dout: (dout * factor, dout * x)[:wanted])
    total_vjp = jax.jit(lambda dout: (jnp.broadcast_to(dout, x.shape),))
    add = jax.jit(jnp.add)
    seed = jnp.ones((), x.dtype)

    def run():
        y, inputs = x, []
        for _ in range(LENGTH):
            inputs.append(y)
            y = multiply(y, factor)
        total(y)
        (grad,), sum_of_factor = total_vjp(seed), None
        while inputs:
            grads = multiply_vjp(inputs.pop(), factor, grad)
            grad = grads[0]
            if wanted == 2:
                piece = grads[1]
                sum_of_factor = piece if sum_of_factor is None else add(sum_of_factor, piece)
        return grad, sum_of_factor

    return run


def _functional_chain(x, factor):
    """Run jax.grad of the same chain without jit: JAX traces it again at each call."""

    def loss(x):
        for _ in range(LENGTH):
            x = jnp.multiply(x, factor)
        return jnp.sum(x)

    grad = jax.grad(loss)
    return lambda: grad(x)


def measure(repeats: int) -> list[Row]:
    """Return the rows against raw jitted calls and against un-jitted jax.grad."""
    x = jnp.full((4, 4), 0.5, jnp.float32)
    factor = jnp.full((4, 4), 1.01, jnp.float32)
    contenders = {
        "ours": block_of(paddle_chain(paddle), CHAINS, _wait),
        "raw": block_of(_raw_chain(x, factor), CHAINS, jax.block_until_ready),
        "ours, two gradients": block_of(paddle_chain(paddle, factor_grad=True), CHAINS, _wait),
        "raw, two gradients": block_of(_raw_chain(x, factor, 2), CHAINS, jax.block_until_ready),
        "jax.grad": block_of(_functional_chain(x, factor), 1, jax.block_until_ready),
    }
    took = interleave(f"chain of {LENGTH}", contenders, 3 * repeats)
    both = f"{LENGTH} multiplications, forward and backward"
    return [
        compare("chain", both, "the same raw jax.jit calls", took["ours"], took["raw"], target=1.4),
        compare(
            "chain",
            f"{both}, gradient of both operands",
            "the same raw jax.jit calls",
            took["ours, two gradients"],
            took["raw, two gradients"],
            note="50 gradients are added up in the second leaf",
        ),
        compare(
            "chain",
            both,
            "jax.grad without jit",
            took["ours"],
            took["jax.grad"],
            target=1 / 8,
            note="at least 8 times as fast",
        ),
    ]


def _wait(tensor) -> None:
    jax.block_until_ready(tensor.__jax_array__())
