"""Draws whose parameters are given by the elements of tensors: gamma and binomial."""

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.random import as_key, next_key
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.random.draws import needs_float, probability_samples
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.domains import FINITE_NOT_NEGATIVE, NOT_NEGATIVE, PROBABILITY, check_domain
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@in_float32
def standard_gamma_forward(x, key):
    """Draws from the gamma distribution of shape x and rate 1."""
    needs_float(x, "x")
    return jax.random.gamma(as_key(key), x, x.shape, x.dtype)


_standard_gamma = op(
    "standard_gamma",
    standard_gamma_forward,
    vjp=NONDIFF,
    nondiff="key",
    public=None,
    samples=probability_samples,
    errors=lambda: (
        BadInput((np.array([1]), jax.random.key(3)), {}, InvalidArgumentError, "has int64"),
    ),
    dtypes="float32 float64",  # bfloat16 is drawn in float32; it takes long to compile
    doc="Draws from the gamma distribution of each element's shape and of rate 1.",
    example="paddle.standard_gamma(paddle.to_tensor([2.0, 8.0]))",
)


@composite(method=False)
def standard_gamma(x: "Tensor", name: str | None = None) -> "Tensor":
    """Returns draws from the gamma distribution whose shape each element gives, of rate 1.

    There is no gradient, as in Paddle.

    Args:
        x: floating tensor of shapes, none of them negative.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        InvalidArgumentError: for an integer or complex tensor, a negative shape or nan; see Note
            [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.standard_gamma(paddle.ones([2, 3])).shape
        [2, 3]
    """
    check_domain("standard_gamma: a shape", x, NOT_NEGATIVE)
    return _standard_gamma(x, next_key())


def binomial_forward(count, prob, key):
    """Draws the number of successes of ``count`` trials of probability ``prob``."""
    needs_float(prob, "prob")
    shape: Any = jnp.broadcast_shapes(count.shape, prob.shape)
    # 64 bits: a count above 2 ** 24 is not exact in less.
    trials = jnp.maximum(count.astype(np.float64), 0)
    chance = jnp.clip(prob.astype(np.float64), 0, 1)
    return jax.random.binomial(as_key(key), trials, chance, shape, np.float64).astype(np.int64)


def binomial_samples():
    """Yields broadcasting, 0-D and zero-size."""
    key = jax.random.key(3)
    yield Sample(np.array([[20], [5]]), values((3,), 0.1, 0.9), key)
    yield Sample(np.array(40), values((), 0.1, 0.9), key)
    yield Sample(np.zeros((0, 3), int), values((3,), 0.1, 0.9), key)


_binomial = op(
    "binomial",
    binomial_forward,
    vjp=NONDIFF,
    nondiff="count prob key",
    public=None,
    samples=binomial_samples,
    errors=lambda: (
        BadInput(
            (np.ones(2), np.array([1, 1]), jax.random.key(3)), {}, InvalidArgumentError, "prob must"
        ),
    ),
    dtypes="float32",  # whichever it is, the draw is made in float64; it takes long to compile
    doc="Draws the number of successes of so many trials of given probability.",
    example="paddle.binomial(paddle.to_tensor([10, 20]), paddle.to_tensor([0.5, 0.1]))",
)


@composite(method=False)
def binomial(count: "Tensor", prob: "Tensor", name: str | None = None) -> "Tensor":
    """Returns the number of successes in ``count`` trials that succeed with probability ``prob``.

    Args:
        count: tensor of numbers of trials, none of them negative.
        prob: floating tensor of probabilities in [0, 1] that broadcasts with ``count``.
        name: accepted for compatibility.

    Returns:
        int64 tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for a ``prob`` that is not floating, shapes that do not broadcast, a
            negative count or what is no probability; see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.binomial(paddle.to_tensor([3, 4]), paddle.to_tensor([0.0, 1.0])).tolist()
        [0, 4]
    """
    check_domain("binomial: a count", count, FINITE_NOT_NEGATIVE)
    check_domain("binomial: a probability", prob, PROBABILITY)
    return _binomial(count, prob, next_key())
